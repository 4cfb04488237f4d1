"""Clusters of questions: carried from the rows to the counts, and refused where they are torn."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import errbar
from conformance_clusters import asked, expected
from conformance_engines import BACKENDS, ENGINES, WARNINGS_OF_IBIS, Table
from errbar.cli import main
from errbar.data.counts import CategoryCounts, CountsByState
from errbar.data.queries.properties import cluster_codes
from errbar.data.queries.questions import Slice
from errbar.errors import InputError, RepeatedTrial

COLUMNS = ("question", "trial", "outcome", "cluster")
ROWS = [
    *[("q1", trial, 1, "doc b") for trial in range(3)],
    *[("q2", trial, trial % 2, "doc a") for trial in range(3)],
    *[("q3", trial, 1, "doc a") for trial in range(3)],
    *[("q4", trial, 1, "doc b") for trial in range(3)],
    *[("q5", trial, 1, None) for trial in range(3)],
    *[("q6", trial, 0, None) for trial in range(2)],
]


def frame(rows: Sequence[tuple[Any, ...]] = ROWS, columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=list(columns), orient="row", infer_schema_length=None)


def only_slice(data: Any, **told: Any) -> Slice:
    (found,) = errbar.load(data, **told).source.slices(())
    return found


def entries(piece: Slice) -> list[tuple[int, ...]]:
    assert piece.clusters is not None
    parts = (piece.clusters, piece.trials, piece.scored, piece.right, piece.other, piece.questions)
    return sorted(zip(*(part.tolist() for part in parts), strict=True))


def test_states_are_counted_by_cluster_in_the_order_of_names() -> None:
    assert entries(only_slice(frame())) == [
        (0, 3, 3, 1, 0, 1),
        (0, 3, 3, 3, 0, 1),
        (1, 3, 3, 3, 0, 2),
        (2, 2, 2, 0, 0, 1),  # without a name: after those with one, each by itself
        (3, 3, 3, 3, 0, 1),
    ]
    assert only_slice(frame()).alone == 2


def test_without_a_column_there_are_no_clusters() -> None:
    rows = frame().drop("cluster")
    assert only_slice(rows).clusters is None
    assert only_slice(rows).counts("wrong").clusters is None
    assert only_slice(frame(), cluster=None).clusters is None
    assert errbar.load(rows).source.categories(())["", ""].clusters is None


def test_a_column_without_a_name_is_as_good_as_none() -> None:
    empty = frame().with_columns(cluster=pl.lit(None, pl.String))
    assert only_slice(empty).clusters is None
    assert errbar.load(empty).source.categories(())["", ""].clusters is None
    assert not any("cluster " in note for note in errbar.load(empty).inspect().notes()[:-1])
    without = errbar.load(empty.drop("cluster"))
    assert errbar.load(empty).inspect().to_dicts() == without.inspect().to_dicts()


def test_counts_keep_the_clusters_whatever_failed_rows_count_as() -> None:
    piece = only_slice(frame().with_columns(outcome=pl.col("outcome").replace(0, None)))
    for taken in ("wrong", "missing", "right"):
        counts = piece.counts(taken)
        assert counts.clusters is not None
        assert piece.clusters is not None
        assert counts.clusters.tolist() == piece.clusters.tolist()


def test_some_of_the_states_keep_their_clusters() -> None:
    piece = only_slice(frame())
    some = piece.where(piece.right == 3)
    assert entries(some) == [entry for entry in entries(piece) if entry[3] == 3]
    assert some.alone == 1
    counts = piece.counts("wrong")
    kept = counts.where(counts.trials == 3)
    assert kept.clusters is not None
    assert sorted(kept.clusters.tolist()) == [0, 0, 1, 3]
    assert len(kept) == 5


def test_scores_are_those_of_the_same_counts_without_clusters() -> None:
    metrics = ("pass@1", "pass@2", "maj@3", "bayes", "avg")
    for short in ("drop", "posterior"):
        with_clusters = errbar.load(frame()).score(*metrics, short=short)
        without = errbar.load(frame(), cluster=None).score(*metrics, short=short)
        for clustered, plain in zip(with_clusters, without, strict=True):
            assert (clustered.value, clustered.questions) == (plain.value, plain.questions)


clusters = st.sampled_from(["a", "b", "10", "9", "", None])
questions = st.lists(st.tuples(clusters, st.lists(st.integers(0, 2), min_size=1, max_size=4)))


@given(questions.filter(bool), st.booleans(), st.randoms())
def test_every_table_is_counted_as_in_plain_python(
    given_questions: list[tuple[str | None, list[int]]], with_trials: bool, order: Any
) -> None:
    rows = [
        {"question": f"q{at}", "cluster": name, "trial": trial, "outcome": outcome}
        for at, (name, outcomes) in enumerate(given_questions)
        for trial, outcome in enumerate(outcomes)
    ]
    order.shuffle(rows)
    held = ["question", "cluster", "outcome", *(["trial"] if with_trials else [])]
    meaning = {name: name for name in held}.get
    kinds = {"question": pl.String, "cluster": pl.String, "outcome": pl.Int64, "trial": pl.Int64}
    table = pl.DataFrame(rows, schema=kinds).select(held)
    assert asked(errbar.load(table), ()) == expected(rows, meaning, ())


@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "pyarrow", "DuckDB table", "CSV"])
@pytest.mark.parametrize(
    ("torn", "said"),
    [
        (("doc a", "doc z"), "question 'q2' is in 'doc a' and in 'doc z'"),
        (("doc a", None), "question 'q2' is in 'doc a' in 1 of its 2 rows"),
    ],
)
def test_a_question_that_is_torn_is_refused_by_all_that_ask(
    engine: str, torn: tuple[Any, ...], said: str, tmp_path: Path
) -> None:
    kinds = {"question": "text", "outcome": "whole", "cluster": "text", "answer": "text"}
    rows = [("q1", 1, "doc a", "x"), *(("q2", at, torn[at], "x") for at in range(2))]
    runs = errbar.load(ENGINES[engine](Table(kinds, rows), tmp_path))
    for ask in (
        lambda: runs.score("pass@1"),
        lambda: runs.source.categories(()),
        lambda: runs.source.ballots(()),
    ):
        with pytest.raises(
            InputError, match="all rows of a question must have the same cluster"
        ) as caught:
            ask()
        assert said in str(caught.value)
        assert "cluster=None" in str(caught.value)


def test_a_question_may_be_in_another_cluster_in_another_task() -> None:
    rows = [(task, "q", 1, f"doc {task}") for task in "ab"]
    found = errbar.load(frame(rows, ("task", "question", "outcome", "cluster"))).source.slices(())
    assert [entries(each) for each in found] == [[(0, 1, 1, 1, 0, 1)]] * 2


def test_slices_have_clusters_of_their_own() -> None:
    rows = [(f"q{at}", 1, "abc"[at % 3], "xy"[at % 3 == 2]) for at in range(9)]
    data = frame(rows, ("question", "outcome", "cluster", "level"))
    found = {each.key[2]: entries(each) for each in errbar.load(data).source.slices(["level"])}
    assert found == {
        "x": [(0, 1, 1, 1, 0, 3), (1, 1, 1, 1, 0, 3)],
        "y": [(0, 1, 1, 1, 0, 3)],
    }
    by_cluster = errbar.load(data).source.slices(["cluster"])
    assert [(each.key[2], entries(each)) for each in by_cluster] == [
        (name, [(0, 1, 1, 1, 0, 3)]) for name in "abc"
    ]


def test_rewards_and_ballots_know_the_cluster_of_each_question() -> None:
    source = errbar.load(frame().with_columns(answer=pl.lit("x"))).source
    results = source.categories(())["", ""]
    assert results.clusters is not None
    assert results.clusters.tolist() == [1, 0, 0, 1, 2, 3]  # in the order of their ids
    assert [ballot.cluster for ballot in source.ballots(())["", ""]] == [1, 0, 0, 1, 2, 3]


COUNTED = {"question": "text", "trials": "whole", "correct": "whole", "cluster": "text"}
COUNTED_ROWS = [("q1", 4, 1, "b"), ("q2", 4, 1, "b"), ("q3", 4, 2, "a"), ("q4", 4, 1, None)]


@pytest.mark.filterwarnings(*WARNINGS_OF_IBIS)
@pytest.mark.parametrize(
    "engine", [*BACKENDS, "pandas objects", "Parquet", "JSON lines", "Ibis on SQLite"]
)
def test_tables_of_counts_have_clusters(engine: str, tmp_path: Path) -> None:
    data = ENGINES[engine](Table(COUNTED, COUNTED_ROWS).shuffled(0), tmp_path)
    piece = only_slice(data, system=None)
    assert entries(piece) == [(0, 4, 4, 2, 0, 1), (1, 4, 4, 1, 0, 2), (2, 4, 4, 1, 0, 1)]
    assert piece.alone == 1


@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "DuckDB table", "CSV"])
def test_rows_of_counts_are_added_up_within_a_cluster_alone(engine: str, tmp_path: Path) -> None:
    fine = [*COUNTED_ROWS, ("q3", 2, 2, "a")]
    torn = [*COUNTED_ROWS, ("q3", 2, 2, "b")]
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    data = ENGINES[engine](Table(COUNTED, fine), first)
    with pytest.raises(RepeatedTrial):
        only_slice(data)
    assert entries(only_slice(data, repeats="keep"))[0] == (0, 6, 6, 4, 0, 1)
    with pytest.raises(InputError, match="'q3' is in 'a' and in 'b'"):
        only_slice(ENGINES[engine](Table(COUNTED, torn), second), repeats="keep")


def test_counts_in_clusters_are_not_added() -> None:
    mine = CountsByState([4, 4], [1, 1], [2, 1], [0, 1])
    other = CountsByState([4], [1], [2])
    for left, right in ((mine, mine), (mine, other), (other, mine)):
        with pytest.raises(InputError, match="cannot be added"):
            left + right
    assert len(other + other) == 4
    assert (other + other).clusters is None
    tally = CategoryCounts([[1, 2]], clusters=[0])
    with pytest.raises(InputError, match="cannot be added"):
        tally + tally


def test_counts_with_other_clusters_are_others() -> None:
    mine = CountsByState([4, 4], [1, 1], [2, 1], [0, 1])
    assert mine == CountsByState([4, 4], [1, 1], [2, 1], [0, 1])
    assert mine != CountsByState([4, 4], [1, 1], [2, 1], [0, 0])
    assert mine != CountsByState([4, 4], [1, 1], [2, 1])
    assert mine != CountsByState([4, 4], [1, 1], [1, 1], [0, 1])
    assert CategoryCounts([[1, 2]], clusters=[0]) != CategoryCounts([[1, 2]])


@pytest.mark.parametrize("numbers", [[0], [0, 1, 2], [[0, 1]], [-1, 0], [0.5, 1.0]])
def test_clusters_that_number_nothing_are_refused(numbers: Any) -> None:
    with pytest.raises(InputError, match="clusters must"):
        CountsByState([4, 4], [1, 1], [2, 1], numbers)


def test_counts_given_in_clusters_stay_in_them() -> None:
    counts = CountsByState([4, 4], [1, 2], [2, 1], [1, 0])
    source = errbar.load(counts).source
    (each,) = source.slices(())
    assert entries(each) == [(0, 4, 4, 2, 0, 1), (1, 4, 4, 1, 0, 2)]
    assert each.alone == 0
    results = source.categories(())["", ""]
    assert results.clusters is not None
    assert results.clusters.tolist() == [1, 1, 0]


@given(st.lists(st.sampled_from(["", "a", "b", "c"])))
def test_numbers_follow_names_and_tell_the_nameless_apart(names: list[str]) -> None:
    numbers = cluster_codes(names).tolist()
    assert sorted(set(numbers)) == list(range(len(set(names) - {""}) + names.count("")))
    named = [(name, at) for name, at in zip(names, numbers, strict=True) if name]
    assert sorted(set(named)) == sorted(set(named), key=lambda pair: pair[1])
    often = Counter(numbers)
    assert all(often[at] == 1 for name, at in zip(names, numbers, strict=True) if not name)


def test_inspect_says_how_many_clusters_there_are() -> None:
    notes = errbar.load(frame()).inspect().notes()
    assert (
        "4 clusters of questions; 2 of 6 questions have no cluster; each counts as its own cluster."
        in (notes)
    )
    whole = frame().filter(pl.col("cluster").is_not_null())
    assert "2 clusters of questions." in errbar.load(whole).inspect().notes()
    twice = pl.concat([whole.with_columns(system=pl.lit(name)) for name in "ab"])
    said = "2 clusters of questions for each system and task."
    assert said in errbar.load(twice).inspect().notes()
    other = twice.filter((pl.col("system") == "a") | (pl.col("cluster") == "doc a"))
    said = "1 to 2 clusters of questions for each system and task."
    assert said in errbar.load(other).inspect().notes()


def test_a_score_says_which_questions_were_in_no_cluster() -> None:
    said = "2 of 6 questions have no cluster; each counts as its own cluster."
    assert said in errbar.load(frame()).score("pass@1").remarks


def test_the_command_can_do_without_clusters(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.csv"
    file.write_text("question,outcome,group\nq,1,a\nq,0,b\n")
    refused = CliRunner().invoke(main, ["score", str(file), "-m", "pass@1"])
    assert refused.exit_code == 2
    assert "--map cluster=" in refused.stderr
    fine = CliRunner().invoke(main, ["score", str(file), "-m", "pass@1", "--map", "cluster="])
    assert fine.exit_code == 0, fine.stderr


def test_many_clusters_are_numbered_alike_in_slices_and_results() -> None:
    rng = np.random.default_rng(5)
    names = [f"doc {rng.integers(300)}" for _ in range(2000)]
    rows = [(f"q{at}", int(rng.integers(2)), name) for at, name in enumerate(names)]
    data = frame(rows, ("question", "outcome", "cluster"))
    piece, results = only_slice(data), errbar.load(data).source.categories(())["", ""]
    assert piece.clusters is not None
    assert results.clusters is not None
    right = np.bincount(piece.clusters, weights=piece.right * piece.questions)
    assert right.tolist() == np.bincount(results.clusters, weights=results.counts[:, 1]).tolist()
