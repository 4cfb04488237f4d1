"""The bundled example is what its script makes, and has what it is meant to show."""

import csv

import numpy as np
import pytest

import errbar
from errbar import demo
from errbar.data.counts import Counts


@pytest.fixture(scope="module")
def runs() -> errbar.Runs:
    return errbar.load(demo.LOGS)


def counts(task: str) -> dict[str, Counts]:
    """The counts of each system, by adding up the rows of a table."""
    trials: dict[str, dict[str, list[int]]] = {}
    for row in csv.DictReader(demo.generated()[f"{task}.csv"].splitlines()):
        of_system = trials.setdefault(row["system"], {})
        of_system.setdefault(row["question"], []).append(int(row["outcome"] or 0))
    return {
        system: Counts(
            trials=[len(of_question) for of_question in questions.values()],
            correct=[sum(of_question) for of_question in questions.values()],
            questions=list(questions),
        )
        for system, questions in trials.items()
    }


def test_the_bundled_tables_are_what_their_script_makes() -> None:
    bundled = {path.name: path.read_bytes() for path in [demo.BOARD, *demo.LOGS.iterdir()]}
    assert {name: text.encode("ascii") for name, text in demo.generated().items()} == bundled


def test_the_example_says_once_that_it_is_invented() -> None:
    assert demo.ABOUT.count("invented agents") == 1
    assert "no model was run" in demo.ABOUT


def test_it_loads_as_counts_with_the_ids_of_the_questions() -> None:
    systems = demo.load()
    assert list(systems) == list(demo.SYSTEMS)
    for of_system in systems.values():
        assert list(of_system.questions) == [f"repair-{number:02}" for number in range(1, 41)]
        assert set(of_system.trials.tolist()) == {8}


def test_counts_equal_the_sums_of_the_rows() -> None:
    for system, summed in counts(demo.HARD).items():
        assert demo.load()[system].correct.tolist() == summed.correct.tolist()


def test_every_trial_has_a_cost_and_the_small_agent_is_the_cheapest() -> None:
    for name in (demo.HARD, demo.EASY):
        table = demo.generated()[f"{name}.csv"]
        rows = list(csv.DictReader(table.splitlines()))
        assert all(float(row["cost"]) > 0 for row in rows)
        spent = {
            name: [float(r["cost"]) for r in rows if r["system"] == name] for name in demo.SYSTEMS
        }
        assert min(spent, key=lambda name: np.mean(spent[name])) == "siskin-mini"


def test_some_repairs_are_always_right_and_some_never() -> None:
    for of_system in demo.load().values():
        assert np.count_nonzero(of_system.correct == 8) >= 5
        assert np.count_nonzero(of_system.correct == 0) >= 4
        assert np.count_nonzero((of_system.correct > 0) & (of_system.correct < 8)) >= 10


def test_triage_is_near_its_ceiling_but_for_a_flaky_ticket_and_two_failures(
    runs: errbar.Runs,
) -> None:
    tickets = counts(demo.EASY)
    flaky = f"ticket-{demo.FLAKY}"
    for of_system in tickets.values():
        assert of_system.correct.sum() / of_system.trials.sum() >= 0.95
        at = list(of_system.questions).index(flaky)
        assert 0 < of_system.correct[at] < 8
    shown = str(runs.score("avg"))
    assert "2 of 1,680 rows have no result (error 1, timeout 1): counted as wrong." in shown


def test_two_agents_are_tied_on_average_but_not_in_steadiness() -> None:
    scores = errbar.score(demo.load(), "avg", "pass@8", "pass^8")
    found = {(e.system, str(e.metric)): e for e in scores}
    siskin, dunlin = found["siskin-1", "avg"], found["dunlin-2", "avg"]
    assert siskin.interval.low < dunlin.value < siskin.interval.high
    assert found["siskin-1", "pass@8"].value > found["dunlin-2", "pass@8"].value
    assert found["siskin-1", "pass^8"].value < found["dunlin-2", "pass^8"].value


def test_the_report_is_named_after_what_was_evaluated(runs: errbar.Runs) -> None:
    title = runs.inspect().title()
    assert title == "dunlin-2, siskin-1 and siskin-mini on repo-repair and ticket-triage"


def test_a_report_on_nothing_with_a_name_has_a_title() -> None:
    assert errbar.load([[1, 0], [0, 1]]).inspect().title() == "1 system"
