"""What cannot be used is refused by an error of errbar, whatever library it comes from."""

import math
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import errbar
from errbar import eval as evaluation
from errbar import roc, selective
from errbar.data.queries.costs import read_prices
from errbar.errors import ErrbarError, InputError, WrongType

LISTS = {"question": [[1, 2], [3], [1, 2]], "outcome": [1, 0, 0]}
NUMBERED = {0: [7, 8, 9], 1: [1, 0, 1]}
HUGE = 10**400


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_ids_that_are_lists_are_read_as_texts(frame: Callable[[Any], Any]) -> None:
    (found,) = errbar.load(frame(LISTS)).score("avg").to_dicts()
    assert (found["questions"], found["trials"]) == (2, 3)
    assert found["value"] == 0.25


@pytest.mark.parametrize(
    ("question", "outcome"), [(0, 1), ("0", "1"), (np.int64(0), np.int64(1))], ids=repr
)
def test_columns_with_numbers_for_names_can_be_named(question: Any, outcome: Any) -> None:
    rows = [dict(zip(NUMBERED, row, strict=True)) for row in zip(*NUMBERED.values(), strict=True)]
    for data in (pd.DataFrame(NUMBERED), rows, NUMBERED):
        found = errbar.load(data, question=question, outcome=outcome).score("avg")
        assert found[0].value == pytest.approx(2 / 3)


def test_names_of_any_kind_among_the_columns_are_texts() -> None:
    table = pd.DataFrame({("a", "b"): [7, 8], "outcome": [1, 0], None: [0, 0], 2.5: [0, 0]})
    assert errbar.load(table, question="('a', 'b')").score("avg")[0].value == 0.5
    with pytest.raises(InputError, match="two fields are named '0'"):
        errbar.load([{0: 1, "0": 2, "outcome": 1}])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: errbar.load([[HUGE, 1]]),
        lambda: errbar.load({"a": [[HUGE, 1]]}),
        lambda: errbar.load([{"question": 1, "outcome": HUGE}]).score("avg"),
        lambda: errbar.eval.pass_at_k([[HUGE, 1]], 1),
        lambda: errbar.Counts([HUGE], [1]),
        lambda: errbar.Counts([2, 2], [1, 1], questions=[[1, 2], [3, 4]]),  # type: ignore[list-item]
        lambda: errbar.Counts([2, 2], [1, 1], questions=np.eye(2)),  # type: ignore[arg-type]
        lambda: selective.aurc([0.9, 0.8], [0, 1], estimator=[]),  # type: ignore[arg-type]
        lambda: selective.aurc([0.9, 0.8], [0, 1], estimator={}),  # type: ignore[arg-type]
    ],
)
def test_arguments_that_cannot_be_are_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises((InputError, WrongType)):
        ask()


PAIR = {"a": np.eye(4), "b": 1 - np.eye(4)}
ARRAY, NO_ARRAY = np.array([1, 2]), np.array([])
WRONG: dict[tuple[str, str], list[Any]] = {
    ("score", "bounds"): [3, "ab", np.eye(2), (1,), NO_ARRAY],
    **{("score", name): [ARRAY] for name in ("method", "estimand", "audit", "errors")},
    **{("compare", name): [NO_ARRAY] for name in ("baseline", "adjust", "systems", "short")},
    **{("noise", name): [1.5] for name in ("systems", "by", "rng", "baseline")},
    ("noise", "designs"): [1.5, [(1, 2, 3)], [("a", "b")], [(0, 1)]],
    **{("cost", name): [pd.NaT] for name in ("systems", "prices", "tries", "rng")},
    ("rank", "weights"): [1, [1], pd.NA],
    ("calibration", "bins"): ["x", {}, 0],
    ("items", "systems"): [3],
    ("load", "label"): [["a"]],
}


@pytest.mark.parametrize(
    ("verb", "option", "value"),
    [(*names, value) for names, values in WRONG.items() for value in values],
)
def test_options_of_a_wrong_type_are_refused_by_name(verb: str, option: str, value: Any) -> None:
    with pytest.raises((InputError, WrongType), match=option):
        getattr(errbar, verb)(PAIR, **{option: value})


@pytest.mark.parametrize("right", ["NaN", "-inf", "1e400", "\ud800", "a'b", '"', "\0", "\uffff"])
def test_any_word_may_be_given_as_right(right: str) -> None:
    rows = [{"question": at, "outcome": word} for at, word in enumerate([right, "no", "no", "no"])]
    if right == "NaN":  # a result that is missing, whatever is right
        with pytest.raises(InputError, match="was given as right; the column has"):
            errbar.score(rows, right=right)
    else:
        assert errbar.score(rows, right=right)[0].value == 0.25


@pytest.mark.parametrize("packed", [False, True])
def test_a_header_that_states_more_than_the_file_has_is_refused(
    packed: bool, tmp_path: Path
) -> None:
    """Nothing of the stated size, 8 TB, is allocated."""
    file = tmp_path / "a.npy"
    with file.open("wb") as content:
        head = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
        np.lib.format.write_array_header_1_0(content, head)
        content.write(bytes(64))
    if packed:
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.write(file, "a.npy")
        file = tmp_path / "a.npz"
    with pytest.raises(InputError, match="states 8,000,000,000,000 bytes, but there are 64"):
        errbar.load(file)


def test_an_archive_of_arrays_has_the_limits_of_any_archive(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros((4000, 1000)))
    with pytest.raises(InputError, match="32,000,128 uncompressed bytes are too many"):
        errbar.load(tmp_path / "a.npz")
    arrays = {"a": np.eye(12), "b": 1 - np.eye(12)}
    np.savez_compressed(tmp_path / "b.npz", **arrays)  # type: ignore[arg-type]
    found = errbar.load(tmp_path / "b.npz").score("avg")
    assert [row.value for row in found] == pytest.approx([1 / 12, 11 / 12])


ASKED: dict[str, Callable[[Any, Any, float], Any]] = {
    "score": lambda mine, _, __: errbar.score(mine, "avg"),
    "benchmark": lambda mine, _, __: errbar.score(mine, "avg", estimand="benchmark"),
    "documented": lambda mine, _, __: errbar.score(mine, "avg", method="documented"),
    "bounds": lambda mine, _, scale: errbar.score(mine, "avg", bounds=(0, scale)),
    "compare": lambda mine, theirs, _: errbar.compare({"a": mine, "b": theirs}, "avg"),
    "rank": lambda mine, theirs, _: errbar.rank({"a": mine, "b": theirs}, "avg"),
    "gate": lambda mine, theirs, scale: errbar.gate(mine, theirs, "avg", max_drop=scale / 9),
    "monitor": lambda mine, _, scale: errbar.monitor(mine, above=scale / 2, bounds=(0, scale)),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e308, 1e300, 1e154, 1e76, 1e74, 1e-74, 1e-76, 1e-300])
@pytest.mark.parametrize("name", ASKED)
def test_rewards_of_any_size_have_finite_numbers_or_are_refused(name: str, scale: float) -> None:
    rng = np.random.default_rng(1)
    mine, theirs = rng.random((30, 4)) * scale, rng.random((30, 4)) * scale
    if 1e-75 < scale < 1e75:
        numbers = [
            value
            for row in ASKED[name](mine, theirs, scale).to_dicts()
            for key, value in row.items()
            if isinstance(value, float) and key in ("value", "sd", "low", "high", "difference")
        ]
        assert numbers
        assert np.isfinite(numbers).all()
    else:
        with pytest.raises(InputError, match="use another unit"):
            ASKED[name](mine, theirs, scale)


def test_a_reward_of_the_smallest_float_is_0() -> None:
    (found,) = errbar.score(np.array([[sys.float_info.min], [0.5], [5e-324], [0.25]]), "avg")
    assert found.value == 0.1875
    (found,) = errbar.score(np.full((4, 1), 3 * sys.float_info.min), "avg")
    assert found.value == 0.0


RUNS = [
    {"system": s, "question": q, "outcome": (s + q) % 2, "cost": 1.0}
    for s in (0, 1)
    for q in (0, 1, 2)
]
LONG = "q" * 5_000  # no system has names of files as long


@pytest.mark.parametrize(
    "ask",
    [
        lambda: errbar.cost(RUNS, prices={"": 1}),
        lambda: errbar.cost(RUNS, prices={"": []}),
        lambda: errbar.cost(RUNS, prices={"0": (math.nan, 1.0)}),
        lambda: errbar.rank(RUNS, weights={"": []}),
        lambda: errbar.rank(RUNS, weights={"": None}),
        lambda: errbar.rank(RUNS, weights={None: 1.0, "b": 1.0}),
        lambda: errbar.load(1, spark="a"),
        lambda: errbar.load([{}, {}], spark=[]),
        lambda: errbar.score(RUNS, largest_cluster=10**400),
        lambda: errbar.monitor(RUNS, "0", above=0.5, trials=10**400),
        lambda: errbar.history(LONG),
        lambda: errbar.agree(LONG),
        lambda: errbar.load(f"{LONG}.zip"),
        lambda: errbar.curve(RUNS, ks=np.array(None, dtype=object)),
        lambda: errbar.history({"a": RUNS}, columns={None: 1}),  # type: ignore[dict-item]
        lambda: selective.compare(
            dict.fromkeys("ab", selective.Predictions([0.1, 0.2], loss=[0, 1])),
            coverages=np.array(None, dtype=object),  # type: ignore[arg-type]
            rng=0,
        ),
        lambda: selective.Predictions([0.1], loss=[0], clusters=np.array("a")),
    ],
)
def test_arguments_that_a_fuzzer_found_are_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(ErrbarError):
        ask()


def test_price_tables_of_other_shapes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    for text in ('{"a": 1}', "[1]", "1", '[{"model": "a", "input": 1e999, "output": 1}]', "\xff"):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match="price"):
            errbar.cost(RUNS, prices=file)


def test_pairs_in_a_json_file_are_prices(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"small": [0.25, 2.0]}')
    assert read_prices(file) == read_prices({"small": (0.25, 2.0)})


def test_numbers_of_bins_beyond_the_answers_hold_one_value_each() -> None:
    rows = [{"question": q, "outcome": q % 2, "confidence": q / 50} for q in range(50)]
    most = errbar.calibration(rows, bins=50).to_dicts()
    assert errbar.calibration(rows, bins=10**30).to_dicts() == most


def test_the_largest_cluster_has_a_size_of_which_an_end_can_be_computed() -> None:
    rows = [{"question": q, "outcome": q % 3 > 0, "cluster": q // 2} for q in range(40)]
    (found,) = errbar.score(rows, "avg", largest_cluster=10**12)
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx((0.0, 1.0), abs=1e-9)
    with pytest.raises(InputError, match="largest_cluster must be at most"):
        errbar.score(rows, largest_cluster=10**30)


class OnAGpu:
    """An array whose library refuses to copy it."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("use .cpu() first")


def test_an_array_that_cannot_be_copied_is_refused_with_the_reason() -> None:
    for ask in (
        lambda: evaluation.pass_at_k(OnAGpu(), 1),
        lambda: evaluation.bayes([[0, 1]], [0, 1], OnAGpu()),
        lambda: selective.aurc(OnAGpu(), [0, 1]),
        lambda: selective.Predictions([0.1, 0.2], loss=OnAGpu()),
        lambda: roc.roc_auc([0.1, 0.2], OnAGpu()),
        lambda: errbar.load(OnAGpu()),
        lambda: errbar.load({"a": OnAGpu()}),
    ):
        with pytest.raises(InputError, match=r"use \.cpu"):
            ask()


@pytest.mark.parametrize("name", ["question", "outcome", "system", "weight", "confidence", "cost"])
def test_python_objects_in_polars_are_read_as_their_values(name: str) -> None:
    columns: dict[str, list[Any]] = {
        "question": ["a", "b", "c"],
        "outcome": [1, 0, 1],
        "weight": [1.0, 2.0, 1.0],
    }
    columns |= {"system": ["x", "x", "y"], "confidence": [0.1, 0.2, 0.3], "cost": [1.0, 2.0, 3.0]}
    objects = pl.Series(name, columns[name], dtype=pl.Object)
    frame = pl.DataFrame(columns)
    known = errbar.load(frame).score("avg").to_dicts()
    assert errbar.load(frame.with_columns(objects)).score("avg").to_dicts() == known
    assert errbar.load(frame.with_columns(objects)).cost().to_dicts() == (
        errbar.load(frame).cost().to_dicts()
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_costs_that_are_texts_are_numbers_or_refused(frame: Callable[[Any], Any]) -> None:
    columns = {"question": ["a", "b", "c"], "outcome": [1, 0, 1]}
    (known,) = errbar.cost(frame({**columns, "cost": [" 1.5", "", None]})).to_dicts()
    assert known["total"] == 1.5
    with pytest.raises(InputError, match="'x'"):
        errbar.cost(frame({**columns, "cost": ["1", "x", "2"]}))


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean"])
def test_a_missing_cluster_of_pandas_is_refused(kind: str) -> None:
    with pytest.raises(InputError, match="clusters"):
        selective.Predictions(
            [0.1, 0.2, 0.3],
            loss=[0, 1, 1],
            clusters=pd.Series([1, None, 0], dtype=kind),
        )


def test_costs_whose_squares_are_no_floats_are_refused() -> None:
    for cost in (1e300, 1e-300):
        with pytest.raises(InputError, match="costs reach 1e"):
            errbar.cost([{**row, "cost": cost} for row in RUNS])


def test_a_long_text_beside_records_is_no_path() -> None:
    (found,) = errbar.load({"prompt": LONG, "results": RUNS[:3]}).score("avg").to_dicts()
    assert found["questions"] == 3
