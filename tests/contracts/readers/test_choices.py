"""What a log leaves to choose: whatever it does not is refused, never ignored."""

from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.data.readers.base import every_reader
from errbar.errors import InputError
from logs import FIXTURES

HELD = sorted(name for name in every_reader() if (FIXTURES / name).is_dir())


@pytest.mark.parametrize("name", HELD)
def test_a_choice_that_is_not_there_is_refused(name: str) -> None:
    place = FIXTURES / name
    for log in (place, *sorted(place.rglob("*"))):
        try:
            errbar.load(log)
        except InputError:
            continue  # no log by itself
        for what in ("scorer", "filter", "signal"):
            asked: dict[str, Any] = {what: "no such choice"}
            with pytest.raises(InputError, match="no such choice"):
                errbar.load(log, **asked)
        return
    pytest.fail(f"there is no log of {name} that can be read")


def test_every_reader_with_a_log_of_ours_is_tried() -> None:
    assert set(every_reader()) - set(HELD) == {
        "item_runs",
        "totals",
    }  # its logs are made in its own test


@pytest.mark.parametrize("told", [{}, {"reader": "inspect_ai"}], ids=["found", "named"])
def test_nothing_can_be_mapped_in_a_log_and_the_reader_that_knows_it_is_named(
    told: dict[str, Any],
) -> None:
    log = FIXTURES / "inspect_ai" / "epochs.eval"
    with pytest.raises(InputError) as refused:
        errbar.load(log, question="id", **told)
    said = str(refused.value)
    assert "question='id'" in said
    assert "a log of inspect_ai, whose columns are known" in said
    assert f"errbar convert {log} outcomes.csv" in said


@pytest.mark.parametrize("name", ["lm_eval", "human_eval", "helm", "inspect_ai"])
def test_a_folder_of_logs_is_not_taken_for_tables_because_of_a_mapping(name: str) -> None:
    with pytest.raises(InputError, match=f"a log of {name}, whose columns are known"):
        errbar.load(FIXTURES / name, question="no such column")


def test_lines_that_are_a_table_too_can_be_mapped_though_a_reader_knows_them() -> None:
    lines = FIXTURES / "human_eval" / "samples.jsonl_results.jsonl"
    mapped = errbar.load(lines, question="task_id", outcome="passed").score("avg")
    assert mapped[0].value == errbar.load(lines).score("avg")[0].value


def test_a_table_of_no_harness_is_refused_for_its_own_reason(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("task_id,passed\na,1\n")
    with pytest.raises(InputError, match="Did you mean 'task_id'"):
        errbar.load(tmp_path / "runs.csv", question="task_idd")
