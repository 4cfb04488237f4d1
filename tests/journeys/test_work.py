"""Long work: progress on a terminal, and Ctrl-C that is prompt and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

pytest.importorskip("termios", reason="Windows has no such terminals and signals")

from errbar.cli.work import Work
from terminals import HOME, Screen, plain, start

ROWS = 2_000_000  # half a second or more to write, and a fraction of one to make
TIMES = 16  # the same rows so often take many seconds to write; looking for copies takes one
ENDINGS = ("parquet", "jsonl")  # CSV is written as lines of JSON are


@pytest.fixture(scope="session")
def big(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Outcomes that take a while to convert."""
    file = tmp_path_factory.mktemp("big") / "runs.parquet"
    duckdb.connect().execute(
        f"COPY (SELECT i % 10000 AS question, i // 10000 AS trial, i % 2 AS outcome, "
        f"md5(i::VARCHAR) AS answer FROM range({ROWS}) rows(i)) TO '{file}' (FORMAT parquet)"
    )
    return str(file)


@pytest.fixture(scope="session")
def endless(big: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Outcomes that nobody waits for, whatever the machine: whoever reads them is stopped."""
    place = tmp_path_factory.mktemp("endless")
    for at in range(TIMES):
        (place / f"{at}.parquet").hardlink_to(big)  # symbolic links to one file are read once
    return str(place)


def script(body: str, **options: Any) -> subprocess.Popen[str]:
    """Python code in a process of its own, with `working`, `atomic_file`, `time` and `signal`."""
    names = (
        "import signal, sys, time\n"
        "from errbar.cli.work import ended_early, working\n"
        "from errbar.base.files import atomic_file\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", names + body],
        env={**os.environ, "PYTHONPATH": HOME},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def ending_of(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str, str]:
    """The exit code and what was written to pipes, once it has ended; it outlives no test."""
    try:
        out, said = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, out, said


def at_work(words: str, screen: Screen) -> subprocess.Popen[str]:
    """A process that works until its input ends, as `ending_of` ends it."""
    body = f"with working({words!r}): sys.stdin.read()"
    return script(body, stdin=subprocess.PIPE, stderr=screen.outside)


def code_of(process: subprocess.Popen[str]) -> int:
    """The exit code, once it has ended."""
    return ending_of(process)[0]


def seconds_on(screen: Screen) -> list[int]:
    """How long work had gone on, as each line of progress said."""
    return [int(number) for number in re.findall(rb": (\d+) s", bytes(screen.written))]


def until(condition: Any, process: subprocess.Popen[str], seconds: float = 60) -> None:
    """Wait until it holds, as long as there is a process that can make it so."""
    end = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail("waited in vain")
        time.sleep(0.02)


def left_on(screen: str) -> str:
    """What one sees in the end: text after a carriage return covers what was there."""
    lines = []
    for line in screen.split("\n"):
        seen = ""
        for piece in line.split("\r"):
            seen = piece + seen[len(piece) :]
        lines.append(seen.rstrip())
    return "\n".join(lines)


# Progress.


def test_a_second_is_silent_and_then_there_is_a_line_that_goes_away() -> None:
    screen = Screen()
    process = at_work("some work", screen)
    until(lambda: seconds_on(screen), process)
    assert code_of(process) == 0
    text = screen.text()
    assert seconds_on(screen)[0] >= 1
    assert text.startswith("\rsome work: ")
    assert left_on(text) == ""


def test_quick_work_shows_nothing_on_a_terminal() -> None:
    screen = Screen()
    process = script(
        "began = time.monotonic()\n"
        "with working('some work'): time.sleep(0.5)\n"
        "print(time.monotonic() - began)",
        stderr=screen.outside,
    )
    code, took, _ = ending_of(process)
    assert code == 0
    assert screen.text() == "" or float(took) >= 1  # on a machine that was busy, it was not quick


def test_a_pipe_gets_no_progress() -> None:
    process = script("with working('some work'): time.sleep(1.7)")
    assert ending_of(process) == (0, "", "")


def test_an_error_clears_the_line_before_it_is_shown() -> None:
    screen = Screen()
    process = script(
        "try:\n"
        "    with working('some work'):\n"
        "        sys.stdin.read()\n"
        "        raise ValueError('wrong')\n"
        "except ValueError as error:\n"
        "    sys.exit(f'Error: {error}')\n",
        stdin=subprocess.PIPE,
        stderr=screen.outside,
    )
    until(lambda: seconds_on(screen), process)
    assert code_of(process) == 1
    text = screen.text()
    assert text.startswith("\rsome work: ")
    assert left_on(text) == "Error: wrong\n"


@pytest.mark.parametrize("width", [10, 30])
def test_a_line_is_never_wider_than_the_terminal(width: int) -> None:
    screen = Screen(width)
    words = "work on\x1b[31m " + "x" * 100
    process = at_work(words, screen)
    until(lambda: seconds_on(screen), process)
    assert code_of(process) == 0
    text = screen.text()
    assert max(map(len, text.split("\r"))) < width
    assert re.search(r"x: \d+ s", text)
    assert "\x1b" not in text
    assert left_on(text) == ""


@pytest.mark.parametrize(
    ("share", "shown"), [(-1.0, " s"), (0.0, " s, 0%"), (41.6, " s, 42%"), (100.0, " s, 100%")]
)
def test_a_line_has_the_share_that_the_engine_knows(share: float, shown: str) -> None:
    work = Work("some work")
    work.engine = SimpleNamespace(query_progress=lambda: share)
    assert re.fullmatch(rf"some work: \d+{shown}", work.line())


def test_the_command_shows_how_far_the_engine_has_come(big: str, tmp_path: Path) -> None:
    screen = Screen()
    target = tmp_path / "out.jsonl"
    process = script(
        "from errbar.cli import main, work\n"
        "work._SILENT = work._BETWEEN = 0.01\n"  # a fast machine needs no second
        f"main(['convert', {big!r}, {str(target)!r}])",
        stderr=screen.outside,
    )
    code, out, _ = ending_of(process, seconds=240)
    text = screen.text()
    assert (code, out) == (0, f"{target}: {ROWS:,} rows.\n")
    shares = [
        int(line.rpartition(", ")[2].removesuffix("%"))
        for line in (piece.strip() for piece in text.split("\r"))
        if line.endswith("%")
    ]
    assert 0 <= min(shares) < max(shares) <= 100  # from 0 anew for each statement of the engine
    assert left_on(text).startswith("Columns: question, trial, outcome")


@pytest.mark.parametrize("command", [[], ["score"]])
def test_the_line_is_gone_before_the_result_is_shown(command: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("system,question,outcome\na,1,1\na,2,0\nb,1,0\nb,2,0\n")
    screen = Screen()
    process = script(
        "from errbar.cli import main, work\n"
        "work._SILENT = work._BETWEEN = 0.001\n"
        f"main({[*command, str(runs)]!r})",
        stdout=screen.outside,
        stderr=screen.outside,
    )
    assert code_of(process) == 0
    text = screen.text()
    assert "runs.csv: 0 s\r" in text  # of a long path the end is shown
    assert "runs.csv: 0 s" not in left_on(plain(text))


# Ctrl-C.


@pytest.mark.parametrize("ending", ENDINGS)
def test_ctrl_c_in_a_conversion_is_prompt_and_leaves_the_old_file(
    ending: str, endless: str, tmp_path: Path
) -> None:
    target = tmp_path / f"out.{ending}"
    target.write_text("old")
    process = start(["convert", endless, str(target), "--force"])
    until(lambda: any(file.stat().st_size for file in tmp_path.glob(".errbar-*")), process)
    process.send_signal(signal.SIGINT)
    assert ending_of(process, seconds=30) == (130, "", "Interrupted.\n")
    assert os.listdir(tmp_path) == [target.name]
    assert target.read_text() == "old"


def test_ctrl_c_clears_the_line_on_a_terminal(endless: str, tmp_path: Path) -> None:
    screen = Screen()
    process = start(["convert", endless, str(tmp_path / "out.jsonl")], stderr=screen.outside)
    until(lambda: b"%" in screen.written, process)
    process.send_signal(signal.SIGINT)
    assert code_of(process) == 130
    assert left_on(screen.text()) == "Interrupted.\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("command", ["score", "inspect"])
def test_ctrl_c_while_outcomes_are_read_is_no_error_of_theirs(command: str, endless: str) -> None:
    screen = Screen()
    by = ["--by", "answer"] if command == "score" else ["--map", "system=answer"]
    process = start([command, endless, *by, "--repeats", "keep"], stderr=screen.outside)
    until(lambda: seconds_on(screen), process)
    process.send_signal(signal.SIGINT)
    assert code_of(process) == 130
    assert left_on(screen.text()) == "Interrupted.\n"


def test_work_that_hangs_is_ended(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    process = script(
        f"with ended_early(), working('stuck'), atomic_file({str(target)!r}) as beside:\n"
        f"    beside.write_text('half')\n"
        f"    signal.signal(signal.SIGINT, lambda *_: None)\n"  # deaf, as an engine is
        f"    print('ready', flush=True)\n"
        f"    time.sleep(600)\n"
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert ending_of(process) == (130, "", "Interrupted.\n")
    assert time.monotonic() - began > 1  # it was given time to end by itself
    assert os.listdir(tmp_path) == []
