"""Long work: progress on a terminal, and Ctrl-C that is prompt and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

pytest.importorskip("termios", reason="Windows has no such terminals and signals")

from terminals import HOME, Screen, start

ROWS = 6_000_000  # some seconds to write, and a fraction of one to make
ENDINGS = ("parquet", "csv", "jsonl")


@pytest.fixture(scope="session")
def big(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Outcomes that take seconds to convert."""
    file = tmp_path_factory.mktemp("big") / "runs.parquet"
    duckdb.connect().execute(
        f"COPY (SELECT i % 10000 AS question, i // 10000 AS trial, i % 2 AS outcome, "
        f"md5(i::VARCHAR) AS answer FROM range({ROWS}) rows(i)) TO '{file}' (FORMAT parquet)"
    )
    return str(file)


def script(body: str, **options: Any) -> subprocess.Popen[str]:
    """Python code in a process of its own, with `working`, `written_whole`, `time` and `signal`."""
    names = (
        "import signal, sys, time\n"
        "from errbar.cli.endings import ended_early\n"
        "from errbar.cli.work import working\n"
        "from errbar.data.whole import written_whole\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", names + body],
        env={**os.environ, "PYTHONPATH": HOME},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def code_of(process: subprocess.Popen[str]) -> int:
    """The exit code, once it has ended."""
    process.communicate(timeout=60)
    return process.returncode


def until(condition: Any, seconds: float = 30) -> None:
    """Wait until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
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
    process = script("with working('some work'): time.sleep(1.7)", stderr=screen.outside)
    assert code_of(process) == 0
    text = screen.text()
    assert "\rsome work: 1 s" in text
    assert left_on(text) == ""


def test_quick_work_shows_nothing_on_a_terminal() -> None:
    screen = Screen()
    process = script("with working('some work'): time.sleep(0.5)", stderr=screen.outside)
    assert code_of(process) == 0
    assert screen.text() == ""


def test_a_pipe_gets_no_progress() -> None:
    process = script("with working('some work'): time.sleep(1.7)")
    assert process.communicate(timeout=30) == ("", "")


def test_an_error_clears_the_line_before_it_is_shown() -> None:
    screen = Screen()
    process = script(
        "try:\n"
        "    with working('some work'):\n"
        "        time.sleep(1.5)\n"
        "        raise ValueError('wrong')\n"
        "except ValueError as error:\n"
        "    sys.exit(f'Error: {error}')\n",
        stderr=screen.outside,
    )
    assert code_of(process) == 1
    text = screen.text()
    assert "some work: 1 s" in text
    assert left_on(text) == "Error: wrong\n"


@pytest.mark.parametrize("width", [10, 30])
def test_a_line_is_never_wider_than_the_terminal(width: int) -> None:
    screen = Screen(width)
    words = "work on\x1b[31m " + "x" * 100
    process = script(f"with working({words!r}): time.sleep(1.7)", stderr=screen.outside)
    assert code_of(process) == 0
    text = screen.text()
    assert max(map(len, text.split("\r"))) < width
    assert "x: 1 s" in text
    assert "\x1b" not in text
    assert left_on(text) == ""


def test_the_command_shows_how_far_the_engine_has_come(big: str, tmp_path: Path) -> None:
    screen = Screen()
    target = tmp_path / "out.jsonl"
    process = start(["convert", big, str(target)], stderr=screen.outside)
    out, _ = process.communicate(timeout=120)
    text = screen.text()
    assert (process.returncode, out) == (0, f"{target}: {ROWS:,} rows.\n")
    shares = [
        int(line.rpartition(", ")[2].removesuffix(" %"))
        for line in (piece.strip() for piece in text.split("\r"))
        if line.endswith("%")
    ]
    assert shares
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 100
    assert left_on(text) == ""


# Ctrl-C.


@pytest.mark.parametrize("ending", ENDINGS)
def test_ctrl_c_in_a_conversion_is_prompt_and_leaves_the_old_file(
    ending: str, big: str, tmp_path: Path
) -> None:
    target = tmp_path / f"out.{ending}"
    target.write_text("old")
    process = start(["convert", big, str(target)])
    until(lambda: any(file.stat().st_size for file in tmp_path.glob(".errbar-*")))
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "Interrupted.\n")
    assert process.returncode == 130
    assert time.monotonic() - began < 8  # patience and a slow machine
    assert os.listdir(tmp_path) == [target.name]
    assert target.read_text() == "old"


def test_ctrl_c_clears_the_line_on_a_terminal(big: str, tmp_path: Path) -> None:
    screen = Screen()
    process = start(["convert", big, str(tmp_path / "out.jsonl")], stderr=screen.outside)
    until(lambda: b" %" in screen.written)
    process.send_signal(signal.SIGINT)
    assert code_of(process) == 130
    assert left_on(screen.text()) == "Interrupted.\n"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("command", ["score", "inspect"])
def test_ctrl_c_while_outcomes_are_read_is_no_error_of_theirs(command: str, big: str) -> None:
    screen = Screen()
    by = ["--by", "answer"] if command == "score" else ["--map", "system=answer"]
    process = start([command, big, *by, "--repeats", "keep"], stderr=screen.outside)
    until(lambda: b": 1 s" in screen.written)
    process.send_signal(signal.SIGINT)
    assert code_of(process) == 130
    assert left_on(screen.text()) == "Interrupted.\n"


def test_work_that_does_not_come_back_is_ended(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    process = script(
        f"with ended_early(), working('stuck'), written_whole({str(target)!r}) as beside:\n"
        f"    beside.write_text('half')\n"
        f"    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"  # deaf, as an engine is
        f"    print('ready', flush=True)\n"
        f"    time.sleep(60)\n"
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)  # it sleeps now, and hears nothing
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=40) == ("", "Interrupted.\n")
    assert process.returncode == 130
    assert 1 < time.monotonic() - began < 20
    assert os.listdir(tmp_path) == []
