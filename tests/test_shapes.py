"""Every shape in which people have outcomes gives the right number, alone and beside any other."""

from itertools import combinations
from pathlib import Path

import pytest

import errbar
from shapes import GOOD, SHAPES, Shape


def means_of(*places: Path) -> dict[str, float]:
    scores = errbar.load([*places] if len(places) > 1 else places[0]).score("avg")
    assert len({one.system for one in scores}) == len(scores), "two rows have the same name"
    return {one.system: one.value for one in scores}


def written(shape: Shape, place: Path) -> Path:
    place.mkdir()
    shape.write(place)
    return place


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_its_means(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    assert means_of(written(shape, tmp_path / "data")) == pytest.approx(dict(shape.means))


@pytest.mark.parametrize("name", SHAPES)
def test_every_row_of_every_shape_is_accounted_for(name: str, tmp_path: Path) -> None:
    place = written(SHAPES[name], tmp_path / "data")
    runs = errbar.load(place)
    accounts = runs.source.origin.accounts
    files = {file for file in place.rglob("*") if file.is_file()}
    assert set(accounts) == files
    rows = sum(row["rows"] for row in runs.inspect().to_dicts())
    if not any(
        file.suffix in (".npy",) or file.name in ("counts.json", "passed.csv") for file in files
    ):
        assert sum(one.kept for one in accounts.values()) == rows


# Words differ in nothing else: one kind stands for all of them.
WORDS = ("C and I", "correct and incorrect", "check marks", "success and failure", "per cent")
PAIRED = [name for name in SHAPES if name not in WORDS]


@pytest.mark.parametrize("name", PAIRED)
def test_no_shape_loses_or_joins_a_system_beside_another(name: str, tmp_path: Path) -> None:
    """All pairs: this shape with each that stands after it."""
    mine = written(SHAPES[name], tmp_path / "mine")
    for one, other in combinations(PAIRED, 2):
        if one != name:
            continue
        theirs = written(SHAPES[other], tmp_path / f"other {list(SHAPES).index(other)}")
        expected = sorted([*SHAPES[name].means.values(), *SHAPES[other].means.values()])
        assert sorted(means_of(mine, theirs).values()) == pytest.approx(expected), other


def test_a_vector_is_a_question_in_each_entry() -> None:
    outcomes = [int(one) for one in GOOD.values()] * 20
    for data in (outcomes, tuple(outcomes)):
        (score,) = errbar.load(data).score("avg")
        assert (score.value, score.questions, score.trials) == (0.8, 200, 200)
