"""Every shape in which people have outcomes gives the right number, alone and beside any other."""

from itertools import combinations
from pathlib import Path

import pytest

import errbar
from errbar.errors import InputError
from shapes import GOOD, SHAPES, Shape


def means_of(runs: errbar.Runs) -> dict[str, float]:
    scores = runs.score("avg")
    assert len({score.system for score in scores}) == len(scores), "two rows have the same name"
    return {score.system: score.value for score in scores}


def written(shape: Shape, place: Path) -> Path:
    place.mkdir()
    shape.write(place)
    return place


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_its_means_and_accounts_for_every_row(name: str, tmp_path: Path) -> None:
    place = written(SHAPES[name], tmp_path / "data")
    runs = errbar.load(place)
    assert means_of(runs) == pytest.approx(dict(SHAPES[name].means))
    accounts = runs.source.origin.accounts
    files = {file for file in place.rglob("*") if file.is_file()}
    assert set(accounts) == files
    rows = sum(row["rows"] for row in runs.inspect().to_dicts())
    if not any(
        file.suffix in (".npy",) or file.name in ("counts.json", "passed.csv") for file in files
    ):
        assert sum(account.kept for account in accounts.values()) == rows


# Words differ in nothing else: one kind stands for all of them.
WORDS = ("C and I", "correct and incorrect", "check marks", "success and failure", "per cent")
# Questions with weights beside some without are refused.
COMBINED = [name for name in SHAPES if name not in (*WORDS, "weights")]
# Beside tables these are more often something else: they are read where their path is given.
BY_PATH = ("JUnit", "SQLite")

# A shape for each way to name systems (by file, in the document, as keys, as columns, not at all)
# and for each kind of source (tables, counts, matrices). Every two of these are loaded alone,
# because some rules ask whether any of the inputs names its systems.
KINDS = (
    *("a file per system", "an array of objects", "outcomes by system and id", "counts by id"),
    *("a column per system", "a matrix of NumPy", "a file per question"),
)
TOGETHER = 16


def groups_with_every_pair(names: list[str], size: int) -> list[tuple[str, ...]]:
    """Groups such that any two names are together in one of them: a covering design, greedily."""
    apart = {frozenset(pair) for pair in combinations(names, 2)}
    groups = []
    while apart:
        group = sorted(min(apart, key=lambda pair: sorted(map(names.index, pair))))
        while len(group) < min(size, len(names)):
            others = [name for name in names if name not in group]
            group.append(max(others, key=lambda name: _gain(name, group, apart)))
        groups.append(tuple(group))
        apart -= {frozenset(pair) for pair in combinations(group, 2)}
    return groups


def _gain(name: str, group: list[str], apart: set[frozenset[str]]) -> int:
    return sum(frozenset((name, member)) in apart for member in group)


PAIRS = list(combinations(KINDS, 2))
GROUPS = groups_with_every_pair(COMBINED, TOGETHER)


@pytest.fixture(scope="module")
def shape_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every shape in a folder of its own, written once."""
    place = tmp_path_factory.mktemp("shapes")
    folders = {name: written(SHAPES[name], place / f"{at}") for at, name in enumerate(COMBINED)}
    return folders | {name: next(folders[name].iterdir()) for name in BY_PATH}


@pytest.mark.parametrize("names", [*PAIRS, *GROUPS], ids=" + ".join)
def test_no_shape_loses_or_joins_a_system_beside_others(
    names: tuple[str, ...], shape_folders: dict[str, Path]
) -> None:
    expected = sorted(mean for name in names for mean in SHAPES[name].means.values())
    found = means_of(errbar.load([shape_folders[name] for name in names]))
    assert sorted(found.values()) == pytest.approx(expected)


def test_any_two_shapes_are_loaded_together() -> None:
    together = {frozenset(pair) for group in GROUPS for pair in combinations(group, 2)}
    assert together == {frozenset(pair) for pair in combinations(COMBINED, 2)}


def test_weighted_questions_beside_others_are_refused(shape_folders: dict[str, Path]) -> None:
    weighted = written(SHAPES["weights"], shape_folders["Excel"].parent / "weights")
    with pytest.raises(InputError, match=r"each question must have one weight.*has no weight"):
        errbar.load([weighted, shape_folders["an array of objects"]]).score("avg")


@pytest.mark.parametrize("name", BY_PATH)
def test_what_is_not_read_beside_tables_is_named(name: str, shape_folders: dict[str, Path]) -> None:
    file = shape_folders[name]
    runs = errbar.load([file.parent, shape_folders["a file per system"]])
    assert means_of(runs) == pytest.approx(SHAPES["a file per system"].means)
    assert any(file.name in remark and "ot read" in remark for remark in runs.score("avg").notes())


def test_a_vector_is_a_question_in_each_entry() -> None:
    outcomes = [int(each) for each in GOOD.values()] * 20
    for data in (outcomes, tuple(outcomes)):
        (score,) = errbar.load(data).score("avg")
        assert (score.value, score.questions, score.trials) == (0.8, 200, 200)
