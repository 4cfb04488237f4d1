"""Ends that come early: a reader that leaves is met with silence, Ctrl-C with one line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("termios", reason="pipes and signals are others on Windows")

from terminals import HOME, start


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "-o", "PAGE"],
        ["--help"],
        ["score", "RUNS"],
        ["inspect", "RUNS", "--format", "json"],
        ["convert", "RUNS", "TARGET"],
    ],
    ids=" ".join,
)
def test_a_reader_that_left_is_met_with_silence(arguments: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("question,outcome\na,1\nb,0\n")
    places = {
        "RUNS": str(runs),
        "TARGET": str(tmp_path / "out.csv"),
        "PAGE": str(tmp_path / "p.html"),
    }
    reading, writing = os.pipe()
    os.close(reading)
    process = start([places.get(one, one) for one in arguments], stdout=writing)
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_takes_one_line_gets_it(unbuffered: str, tmp_path: Path) -> None:
    """More than a pipe holds, so the process is writing when the reader leaves."""
    runs = tmp_path / "runs.csv"
    runs.write_text("question,outcome\n" + "".join(f"{at},1\n" for at in range(500)))
    ask = ["score", str(runs), "-m", "avg", "--by", "question", "--format", "json"]
    with start(ask, {"PYTHONUNBUFFERED": unbuffered}) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "{\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_a_socket_that_breaks_is_not_taken_for_a_reader_that_left() -> None:
    code = (
        "from errbar.cli import ended_early\n"
        "with ended_early(): raise BrokenPipeError('of some engine')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": HOME},
        check=False,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 1
    assert "of some engine" in done.stderr


def test_ctrl_c_is_one_line_and_130() -> None:
    """Heard by Python alone; engines are another matter."""
    code = (
        "import click, time\n"
        "from errbar.cli import main\n"
        "@main.command()\n"
        "def wait():\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "main(['wait'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": HOME},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "Interrupted.\n")
    assert process.returncode == 130
