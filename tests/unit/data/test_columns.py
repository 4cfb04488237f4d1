"""Columns of the outcomes table: told, found by name, or guessed, and every guess is shown."""

import polars as pl
import pytest

import errbar
from errbar.base.remarks import on_command_line
from errbar.data.columns import STATUSES, USUAL, require_statuses
from errbar.data.readers.tables.column_choice import REQUIRED, find_columns
from errbar.errors import InputError, UnknownColumn

REST = {"question": ["question"], "outcome": ["outcome"]}
GUESSES = [(meaning, name) for meaning, names in USUAL.items() for name in names]


def needed_beside(*meanings: str) -> list[str]:
    """Columns that must be there besides those of `meanings`."""
    return [meaning for meaning in REQUIRED if meaning not in meanings]


@pytest.mark.parametrize("meaning", list(USUAL))
def test_a_column_of_its_own_name_is_taken_and_is_no_guess(meaning: str) -> None:
    found = find_columns([*needed_beside(meaning), meaning])
    assert found[meaning] == meaning
    assert not found.guessed
    assert set(found.describe().split(", ")) == {*needed_beside(meaning), meaning}


def test_a_usual_name_is_guessed_and_shown() -> None:
    for meaning, name in GUESSES:
        names = ["notes", *needed_beside(meaning), name]
        found = find_columns(names, {"system": None} if meaning != "system" else {})
        assert found[meaning] == name
        assert found.guessed == {meaning}
        shown = found.describe().partition("; not used: ")[0].split(", ")
        assert f"{meaning} = {name}" in [part.partition(" (")[0] for part in shown]


def test_no_usual_name_stands_for_two_columns() -> None:
    names = [name for _, name in GUESSES]
    assert len(set(names)) == len(names)
    assert not set(names) & set(USUAL)


def test_the_own_name_wins_over_a_usual_one_wherever_it_stands() -> None:
    for meaning, name in GUESSES:
        for names in ([meaning, name], [name, meaning]):
            assert find_columns([*needed_beside(meaning), *names])[meaning] == meaning, name


def test_the_likelier_of_two_usual_names_wins_wherever_it_stands() -> None:
    for names in (["reward", "correct"], ["correct", "reward"]):
        found = find_columns(["question", "system", *names])
        assert found["outcome"] == "correct"
        assert found.describe() == "system, question, outcome = correct (or reward)"


@pytest.mark.parametrize("names", [["Question", "OUTCOME"], ["Task_ID", "Is_Correct"]])
def test_case_does_not_matter_but_another_case_is_a_guess(names: list[str]) -> None:
    found = find_columns(names)
    assert (found["question"], found["outcome"]) == tuple(names)
    assert found.guessed == {"question", "outcome"}
    assert found.describe() == f"question = {names[0]}, outcome = {names[1]}"


def test_the_exact_name_wins_over_another_case() -> None:
    for names in (["Question", "question"], ["question", "Question"]):
        found = find_columns([*names, "outcome"])
        assert found["question"] == "question"
        assert not found.guessed


def test_a_told_name_wins_over_the_own_name() -> None:
    found = find_columns(["question", "outcome", "task_id", "system"], {"question": "task_id"})
    assert found["question"] == "task_id"
    assert found.describe() == "system, question = task_id, outcome; not used: 'question'"


def test_columns_that_may_tell_systems_apart_are_shown_where_none_does() -> None:
    found = find_columns(["question", "outcome", "Who", *"abcdefgh"])
    said = "no column names the system, so all rows are one system; not used: 'Who', 'a', "
    assert said in found.describe()
    assert found.describe().endswith("and 1 more")
    assert find_columns(["question", "outcome"]).describe() == "question, outcome"


def test_what_was_told_and_what_was_guessed_are_distinguished() -> None:
    found = find_columns(["prompt", "passed", "model"], {"question": "prompt"})
    assert found.guessed == {"system", "outcome"}
    assert found.describe() == "system = model, question = prompt, outcome = passed"


def test_the_same_column_is_not_taken_twice() -> None:
    found = find_columns(["task_id", "outcome", "task"], {"task": "task_id", "question": "task"})
    assert (found["task"], found["question"]) == ("task_id", "task")
    with pytest.raises(UnknownColumn, match="looks like question"):
        find_columns(["id", "outcome"], {"trial": "id"})
    found = find_columns(["score", "question", "correct"], {"confidence": "score"})
    assert (found["confidence"], found["outcome"]) == ("score", "correct")


def test_a_column_told_to_be_two_things_is_refused() -> None:
    with pytest.raises(InputError, match="'x'"):
        find_columns(["x", "outcome"], {"question": "x", "task": "x"})


def test_a_table_of_everything_is_mapped_without_overlap() -> None:
    found = find_columns([name for _, name in GUESSES])
    assert set(found.named) == set(USUAL)
    assert len(set(found.named.values())) == len(USUAL)
    assert found.guessed == set(USUAL)


@pytest.mark.parametrize(
    ("names", "lacking"),
    [
        (["outcome", "text"], "question"),
        (["question", "text"], "outcome"),
        (["text"], "question or outcome"),
        ([], "question or outcome"),
    ],
)
def test_a_lacking_column_is_named_with_what_is_there_and_what_to_do(
    names: list[str], lacking: str
) -> None:
    with pytest.raises(UnknownColumn) as refused:
        find_columns(names)
    said = str(refused.value)
    assert f"looks like {lacking};" in said
    assert (", ".join(map(repr, names)) or "none") in said
    assert f"with {lacking.split(maxsplit=1)[0]}='COLUMN'." in said
    with on_command_line(), pytest.raises(UnknownColumn) as refused:
        find_columns(names)
    assert f"with --map {lacking.split(maxsplit=1)[0]}=COLUMN." in str(refused.value)


def test_an_unknown_meaning_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownColumn, match=r"'questoin'.* Did you mean 'question'?"):
        find_columns(["a", "outcome"], {"questoin": "a"})


def test_an_unknown_column_is_refused_with_the_nearest_one_and_the_rest() -> None:
    with pytest.raises(UnknownColumn, match=r"'tsk_id'.* Did you mean 'task_id'?.*'passed'"):
        find_columns(["task_id", "passed"], {"question": "tsk_id"})


def test_a_name_that_is_like_no_other_gets_no_hint() -> None:
    with pytest.raises(UnknownColumn) as refused:
        find_columns(["question", "outcome"], {"question": "zzzz"})
    assert "Did you mean" not in str(refused.value)


def test_names_that_are_not_text_do_not_break_the_search() -> None:
    found = find_columns(["question", "outcome", 0, 1])  # type: ignore[list-item]
    assert found["question"] == "question"


def test_every_known_status_is_accepted_and_another_is_named() -> None:
    require_statuses(STATUSES)
    with pytest.raises(InputError, match=r"'odd'.*ok, limit.*status=None"):
        require_statuses(["ok", "odd"])


def test_a_public_error_names_its_kind() -> None:
    table = pl.DataFrame({"question": ["a"], "number": [1]})
    with pytest.raises(ValueError, match="looks like outcome"):
        errbar.load(table)
