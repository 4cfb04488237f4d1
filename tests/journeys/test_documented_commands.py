"""Every block of code in the documentation is run: none is left for the reader to try first."""

import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from documented import (
    PAGES,
    Block,
    blocks,
    commands,
    example_data,
    inspect_logs,
    require_named,
    run,
)
from errbar.analysis import audit
from errbar.cli import main, monitor
from errbar.data import readers
from errbar.data.readers.base import every_reader

EVERY = [block for page in PAGES for block in blocks(page)]
BY_SPARK = "a-million-questions-on-spark.md"  # run by tests/contracts/engines/test_spark.py
BY_GATE = "gate.md"  # the workflow is run by tests/unit/surface/test_gate.py
BY_PYTEST = "test-with-pytest.md"  # run by tests/journeys/test_pytest_plugin.py
BY_INSPECT = "inside-inspect.md"  # run by tests/journeys/test_inspect_extension.py
INSPECT = "score-inspect-logs.md"  # which has logs of its own
BY_MLFLOW = "track-with-mlflow.md"  # run by tests/journeys/test_mlflow.py
READER, REGRADED = "add-a-reader.md", "score-lm-eval-logs.md"  # run below
GALLERY = "gallery.md"  # run below, and drawn where the site is built

SHELL = {
    page: [block for block in EVERY if block.page == page and block.language == "sh"]
    for page in PAGES
    if page.name not in {BY_SPARK, BY_PYTEST}
}

# What commands have printed that read the same logs on every page and write nothing.
PRINTED: dict[str, str] = {}

# What pages say that commands print.
SAYS = {
    (INSPECT, "errbar inspect logs/"): [
        "the log says accuracy",
        "the same",
        "Status:",
    ],
    (INSPECT, "errbar score logs/ -m pass@1"): ["(also: number, parts/a"],
    (INSPECT, "errbar score logs/ -m pass@1 --by level"): ["level"],
    ("score-lm-eval-logs.md", "errbar inspect output/"): ["errbar gets", "the same"],
    ("score-lm-eval-logs.md", "errbar score output/"): ["(also: acc_norm", "maj@4"],
    ("monitor.md", "errbar monitor log.jsonl --better new old --trials 4"): ["new is better"],
    ("tutorial.md", "errbar score src/errbar/demo/logs/repo-repair.csv -m pass@1"): [
        "[0.532, 0.783]"
    ],
    ("tutorial.md", "errbar compare src/errbar/demo/logs/repo-repair.csv -m pass@1"): [
        "pairs of systems differ significantly"
    ],
    ("rank.md", "errbar rank logs/ -m pass@8"): ["group"],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with data under the names that pages use."""
    example_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_says_what_it_is_and_code_is_run_somewhere() -> None:
    assert len(EVERY) > 80
    kinds = {block.language for block in EVERY}
    assert kinds == {"sh", "python", "text", "yaml"}
    run = {BY_SPARK, BY_PYTEST, BY_INSPECT, BY_MLFLOW, READER, REGRADED, GALLERY}
    assert {block.page.name for block in EVERY if block.is_code} == run
    assert [block.page.name for block in EVERY if block.language == "yaml"] == [BY_GATE] * 4
    for block in EVERY:
        assert block.is_example == (">>> " in block.text), f"{block}: examples and code are mixed"


def test_the_code_of_the_gallery_runs() -> None:
    names: dict[str, object] = {}
    code = [block.text for block in EVERY if block.page.name == GALLERY and block.is_code]
    assert len(code) == 12
    for text in code:
        exec(text, names)


def test_no_fence_is_overlooked() -> None:
    for page in PAGES:
        fences = re.findall(r"^\s*```", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), page


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize(
    "page", [page for page in SHELL if SHELL[page]], ids=lambda each: each.name
)
def test_commands_of_a_page_run_and_print_what_it_says(
    page: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(sleep=_never, strftime=time.strftime)
    monkeypatch.setattr(monitor, "time", clock)
    monkeypatch.setattr(audit, "SIMULATIONS", 10)
    own_logs = page.name == INSPECT
    if own_logs:
        inspect_logs(place / "logs")
    said = {words: parts for (name, words), parts in SAYS.items() if name == page.name}
    for block in SHELL[page]:
        for command in commands(block):
            if command.words[0] != "errbar":
                require_named(command)
                continue
            line = shlex.join(command.words)
            known = line in PRINTED and not own_logs
            printed = PRINTED[line] if known else " ".join(run(command, place).split())
            assert printed or "-o" in command.words
            for part in said.pop(line, []):
                assert part in printed, f"{block}: {line}"
            if "logs/" in command.words and not command.targets and not own_logs:
                PRINTED[line] = printed
    assert not said, "the page has no such command"


def _never(_: float) -> None:
    pytest.fail("the run that is followed cannot be decided, and would be followed for ever")


def _code(name: str) -> Block:
    (block,) = (each for each in EVERY if each.page.name == name and each.is_code)
    return block


def test_responses_are_graded_anew_as_the_page_says(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (place / "output").is_dir()
    exec(_code(REGRADED).text, {})
    printed = capsys.readouterr().out
    assert "pass@4" in printed
    assert "6 questions x 4 trials" in " ".join(printed.split())  # not one grade each


@pytest.fixture
def my_harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module of the page, where readers are looked for."""
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "my_harness.py").write_text(_code(READER).text, encoding="utf-8")
    monkeypatch.setattr(readers, "__path__", [*readers.__path__, str(tmp_path / "added")])
    every_reader.cache_clear()
    yield
    every_reader.cache_clear()


@pytest.mark.usefixtures("my_harness")
def test_the_reader_of_the_page_reads_the_line_of_the_page(tmp_path: Path) -> None:
    (line,) = (each for each in EVERY if each.page.name == READER and each.language == "text")
    log = tmp_path / "log.jsonl"
    log.write_text(line.text, encoding="utf-8")
    printed = " ".join(CliRunner().invoke(main, ["inspect", str(log)]).output.split())
    said = re.search(r"`(Reader: my_harness \([^`]*\))`", line.page.read_text(encoding="utf-8"))
    assert said is not None
    assert said[1] in printed
    assert "Status: error 1, ok 2." in printed
    scored = CliRunner().invoke(main, ["score", str(log), "--format", "csv"]).stdout
    assert "base,,avg,0.333" in scored
