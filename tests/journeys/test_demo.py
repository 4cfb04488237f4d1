"""The bundled example is what its script makes, and has what it is meant to show."""

from importlib.resources import files

import numpy as np

from errbar import demo, score
from errbar.cli.demo import TRY_NEXT


def test_the_bundled_table_is_what_its_script_makes() -> None:
    bundled = files("errbar.demo").joinpath("outcomes.csv").read_bytes()
    assert demo.outcomes().encode("ascii") == bundled
    assert demo.outcomes() == demo.outcomes()


def test_every_row_of_the_table_says_that_it_is_synthetic() -> None:
    head, *rows = demo.outcomes().splitlines()
    assert head == "task,system,question,trial,outcome"
    assert all(row.startswith("synthetic,") for row in rows)
    assert len(rows) == 3 * 40 * 8
    assert demo.ABOUT.startswith("Synthetic")


def test_it_loads_as_counts_with_the_ids_of_the_questions() -> None:
    systems = demo.load()
    assert list(systems) == ["small", "medium", "large"]
    for counts in systems.values():
        assert list(counts.questions) == [f"q{number:02}" for number in range(1, 41)]
        assert set(counts.trials.tolist()) == {8}


def test_counts_equal_the_sums_of_the_rows() -> None:
    rows = [row.split(",") for row in demo.outcomes().splitlines()[1:]]
    for system, counts in demo.load().items():
        right = [
            sum(int(row[4]) for row in rows if row[1] == system and row[2] == question)
            for question in counts.questions
        ]
        assert counts.correct.tolist() == right


def test_some_questions_are_always_right_and_some_never() -> None:
    for counts in demo.load().values():
        assert np.count_nonzero(counts.correct == 8) >= 5
        assert np.count_nonzero(counts.correct == 0) >= 4
        assert np.count_nonzero((counts.correct > 0) & (counts.correct < 8)) >= 10


def test_medium_and_large_are_tied_on_average_but_not_in_steadiness() -> None:
    found = {(e.system, str(e.metric)): e for e in score(demo.load(), "avg", "pass@8", "pass^8")}
    medium, large = found["medium", "avg"], found["large", "avg"]
    assert medium.interval.low < large.value < medium.interval.high
    assert found["medium", "pass@8"].value > found["large", "pass@8"].value
    assert found["medium", "pass^8"].value < found["large", "pass^8"].value


def test_what_the_demo_says_to_try_next_runs() -> None:
    shown: list[str] = []
    exec(TRY_NEXT, {"print": lambda table: shown.append(str(table))})
    assert shown[0].splitlines()[2].split()[:2] == ["mine", "pass@1"]
