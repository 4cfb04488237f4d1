"""Costs of systems: by hand, by engine, from prices, and what is said of rows without a cost."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import errbar
from errbar import demo
from errbar.errors import InputError, UnknownColumn
from inspect_logs import sample, saved, small
from logs import FIXTURES

RUNS = errbar.load(demo.LOGS / f"{demo.HARD}.csv")


def spent() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    size = 2 * 20 * 3
    system, question, trial = (part.ravel() for part in np.indices((2, 20, 3)))
    return pl.DataFrame(
        {
            "system": [("dear", "cheap")[at] for at in system],
            "question": [f"q{at}" for at in question],
            "trial": trial,
            "outcome": rng.integers(0, 2, size),
            "cost": np.round(rng.lognormal(size=size) * (2 - system), 4),
            "input_tokens": rng.integers(100, 900, size),
            "output_tokens": rng.integers(10, 90, size),
        }
    )


def test_means_and_ratios_by_hand() -> None:
    rows = spent()
    found = {row.of.system: row for row in errbar.cost(rows)}
    for name, row in found.items():
        own = rows.filter(pl.col("system") == name)
        paid = float(own["cost"].to_numpy().sum())
        assert row.cost.value == pytest.approx(own["cost"].mean())
        assert row.total == pytest.approx(paid)
        assert row.per_success.value == pytest.approx(
            paid / np.count_nonzero(own["outcome"].to_numpy())
        )
        assert row.cost.low < row.cost.value < row.cost.high
        two = next(tries for tries in row.tries if tries.k == 2)
        each = [part.select("outcome", "cost").rows() for _, part in own.group_by("question")]
        orders = [
            [a[1] + (0 if a[0] else b[1]) for a in part for b in part if a is not b]
            for part in each
        ]
        assert two.cost.value == pytest.approx(np.mean([np.mean(costs) for costs in orders]))
        assert two.solved.value == errbar.score(own, "pass@2")[0].value
    (difference,) = errbar.cost(rows).differences
    assert difference.difference.value == pytest.approx(
        found[difference.first].cost.value - found[difference.second].cost.value
    )


def test_costs_are_the_same_with_any_engine() -> None:
    rows = spent()
    connection = duckdb.connect()
    connection.register("spent", rows.to_arrow())
    expected = errbar.cost(rows).to_dicts()
    for other in (rows.to_pandas(), rows.to_arrow(), connection.table("spent")):
        for record, known in zip(errbar.cost(other).to_dicts(), expected, strict=True):
            assert record["system"] == known["system"]
            numbers = {name: known[name] for name in known if type(known[name]) is float}
            assert {name: record[name] for name in numbers} == pytest.approx(numbers, rel=1e-9)


def test_prices_turn_tokens_into_a_cost(tmp_path: Path) -> None:
    rows = spent()
    table = tmp_path / "prices.csv"
    table.write_text("model,input,output\ndear,3,15\ncheap,0.25,2\n")
    for prices in (table, {"dear": (3, 15), "cheap": (0.25, 2)}):
        found = {row.of.system: row for row in errbar.cost(rows, prices=prices)}
        own = rows.filter(pl.col("system") == "dear")
        tokens = 3 * own["input_tokens"].to_numpy() + 15 * own["output_tokens"].to_numpy()
        assert found["dear"].total == pytest.approx(tokens.sum() / 1e6)
    with pytest.raises(UnknownColumn, match="no price of 'dear'; the table has: 'cheap'"):
        errbar.cost(rows, prices={"cheap": (1, 1)})
    table.write_text("model,input\ndear,3\n")
    with pytest.raises(InputError, match="input and output"):
        errbar.cost(rows, prices=table)
    with pytest.raises(UnknownColumn, match="input_tokens"):
        errbar.cost(rows.drop("output_tokens"), prices={"dear": (1, 1)})


def test_any_column_may_be_spent() -> None:
    rows = spent()
    found = errbar.cost(rows, of="output_tokens")
    assert sum(row.total for row in found) == rows["output_tokens"].sum()
    assert found.columns()[2][0].startswith("output_tokens per trial")
    for data, options, said in (
        (rows.drop("cost"), {}, "no column has a cost"),
        (rows, {"of": "nothing"}, "no column with a cost named 'nothing'"),
        ([[1, 0], [0, 1]], {}, "matrices and counts have no cost"),
    ):
        with pytest.raises(InputError, match=said):
            errbar.cost(data, **options)


@pytest.mark.parametrize("name", ["cost", "cost_usd", "USD", "total_cost"])
def test_a_cost_has_usual_names(name: str) -> None:
    rows = {"question": [1, 1, 2], "outcome": [1, 0, 1], name: [0.5, 0.25, 1.25]}
    (row,) = errbar.load(rows).cost().to_dicts()
    assert row["total"] == 2.0


def test_rows_without_a_cost_are_counted_and_cost_as_others_of_their_kind() -> None:
    rows = [
        {"question": "a", "outcome": 1, "cost": 2.0},
        {"question": "a", "outcome": 1, "cost": None},
        {"question": "a", "outcome": 0, "cost": 8.0},
        {"question": "b", "outcome": 0, "cost": 6.0},
        {"question": "b", "outcome": 0, "cost": None},
        {"question": "c", "outcome": 1, "cost": None},
    ]
    found = errbar.cost(pl.DataFrame(rows))
    assert found[0].cost.value == pytest.approx(((2 + 2 + 8) / 3 + 6) / 2)
    assert found[0].questions == 2
    said = " ".join(found.notes())
    assert "3 of 6 rows have no cost" in said
    assert "1 question left out for lack of a cost" in said


def test_a_failed_row_costs_and_counts_as_wrong() -> None:
    found = {row.of.system: row for row in RUNS.cost()}
    assert found["dunlin-2"].quality.value == RUNS.score("avg")[0].value
    text = str(RUNS.cost(tries=[4]))
    assert text.startswith("siskin-mini costs least.\n\n")
    assert "siskin-mini costs least: 0.0670 per success (95% CI 0.0480 to 0.0927;" in text
    assert RUNS.cost(tries=[4]).tried()[0]["k"] == 4


@pytest.mark.parametrize(
    ("log", "columns"),
    [
        ("promptfoo", {"cost", "input_tokens", "output_tokens", "seconds"}),
        ("harbor", {"cost", "input_tokens", "output_tokens", "seconds"}),
        ("tau2_bench", {"cost", "seconds"}),
        ("verifiers", {"seconds"}),
    ],
)
def test_logs_bring_what_their_trials_cost(log: str, columns: set[str]) -> None:
    names: set[str] = set()
    for path in sorted((FIXTURES / log).iterdir()):
        try:
            source: Any = errbar.load(path).source
        except InputError:
            continue
        frames = [source] if hasattr(source, "frame") else [p.source for p in source.parts.values()]
        for each in frames:
            names |= set(each.frame.collect_schema().names())
    assert columns <= names, json.dumps(sorted(names))


def test_a_sample_of_inspect_ai_has_the_tokens_of_all_its_models(tmp_path: Path) -> None:
    usage = {"a": {"input_tokens": 5, "output_tokens": 7}, "b": {"input_tokens": 6}}
    spent_samples = [
        sample("q1", 1, "C", model_usage=usage, total_time=2.5),
        sample("q2", 1, "I", model_usage={}, metadata={"seconds": 9}),
    ]
    log = saved(tmp_path / "run.json", small(spent_samples))
    source: Any = errbar.load(log).source
    names = ("input_tokens", "output_tokens", "seconds", "metadata.seconds")
    rows = source.frame.select(*names).sort("seconds", nulls_last=True).collect().rows()
    assert rows == [(11.0, 7.0, 2.5, None), (None, None, None, 9.0)]


def test_a_negative_cost_is_refused_even_if_the_question_costs_more() -> None:
    rows = [{"question": "a", "outcome": 1, "cost": cost} for cost in (-1.0, 3.0)]
    with pytest.raises(
        InputError, match="not negative; of the rows of question 'a' the least is -1"
    ):
        errbar.cost([*rows, {"question": "b", "outcome": 0, "cost": 1.0}])


def test_costs_of_nothing_are_doubted_and_have_no_interval() -> None:
    """Harnesses write 0 where they do not know a price."""
    rows = [{"question": at, "outcome": at % 2, "cost": 0.0} for at in range(20)]
    (row,) = found = errbar.cost(rows)
    assert (row.cost.value, row.per_success.value) == (0.0, 0.0)
    assert np.isnan([row.cost.low, row.cost.high, row.per_success.low, row.per_success.high]).all()
    assert any("All costs are 0" in note for note in found.remarks)


def test_equal_means_of_unequal_costs_have_an_interval() -> None:
    """A difference of 0 is as uncertain as any other, and so is a mean reward of 0."""
    paid = {"dear": (1.0, 2.0, 3.0), "cheap": (3.0, 1.0, 2.0)}
    rows = [
        {"system": name, "question": at, "outcome": at - 1, "cost": cost}
        for name, costs in paid.items()
        for at, cost in enumerate(costs)
    ]
    found = errbar.cost(rows)
    (difference,) = found.differences
    for each in (difference.difference, *(row.quality for row in found)):
        assert each.value == 0.0
        assert each.low < 0.0 < each.high
