"""Ends that come early: a reader that leaves is met with silence, Ctrl-C with one line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errbar.cli import main

pytest.importorskip("termios", reason="pipes and signals are others on Windows")

from terminals import HOME, start


def script(body: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", body],
        env={**os.environ, "PYTHONPATH": HOME},
        check=False,
        text=True,
        capture_output=True,
        timeout=120,
        **options,
    )


def waiting(body: str) -> tuple[subprocess.Popen[str], str]:
    """A process that runs Python code, and the first line that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", body],
        env={**os.environ, "PYTHONPATH": HOME},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    return process, process.stdout.readline()


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "-o", "PAGE"],  # which prints on its way
        ["--help"],  # which click prints
        ["score", "RUNS"],  # which prints in the end
    ],
    ids=" ".join,
)
def test_a_closed_pipe_is_not_an_error(arguments: list[str], tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("question,outcome\na,1\nb,0\n")
    places = {
        "RUNS": str(runs),
        "PAGE": str(tmp_path / "p.html"),
    }
    reading, writing = os.pipe()
    os.close(reading)
    process = start([places.get(argument, argument) for argument in arguments], stdout=writing)
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_of_one_line_gets_that_line(unbuffered: str, tmp_path: Path) -> None:
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


def test_a_broken_socket_is_not_mistaken_for_a_closed_pipe() -> None:
    code = (
        "from errbar.cli.work import ended_early\n"
        "with ended_early(): raise BrokenPipeError('of some engine')"
    )
    done = script(code)
    assert done.returncode == 1
    assert "of some engine" in done.stderr


@pytest.mark.parametrize(
    "work",
    [
        "any(number < 0 for number in itertools.count())",
        "work.connection().execute('SELECT count(*) FROM range(10000000) a, range(10000000) b')",
        "time.sleep(600)",
    ],
    ids=["Python", "DuckDB", "waiting"],
)
def test_a_command_ends_at_its_time_limit(work: str) -> None:
    code = (
        "import click, itertools, time\n"
        "from errbar.cli import main\n"
        "from errbar.cli.work import working\n"
        "@main.command()\n"
        "def endless():\n"
        "    with working('endless') as work:\n"
        f"        {work}\n"
        "main(['--time-limit', '0.5', 'endless'])\n"
    )
    done = script(code)
    assert (done.returncode, done.stdout, done.stderr) == (142, "", "Time limit reached.\n")


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
    process, first = waiting(code)
    assert first == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "Interrupted.\n")
    assert process.returncode == 130


def test_ctrl_c_in_code_made_from_text_is_130_too(tmp_path: Path) -> None:
    """As in a dataclass while its module is imported; `python -m` would end by the signal then."""
    (tmp_path / "waiting.py").write_text(
        "import os, signal\n"
        "from errbar.cli import main\n"
        "@main.command()\n"
        "def wait():\n"
        "    exec('os.kill(os.getpid(), signal.SIGINT)')\n"
        "main(['wait'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "waiting"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([HOME, str(tmp_path)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "RUNS", "--baseline-system", "a", "--system", "b", "--max-drop", "0.1"],
        ["score", "RUNS", "--format", "csv"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_one_line_and_a_code_of_its_own(
    arguments: list[str], tmp_path: Path
) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("system,question,outcome\na,1,1\na,2,0\nb,1,1\nb,2,0\n")
    with open("/dev/full", "w") as full:
        process = start([str(runs) if word == "RUNS" else word for word in arguments], stdout=full)
        _, said = process.communicate(timeout=60)
    *_, last = said.splitlines()
    assert last == "Error: the output cannot be written: No space left on device."
    assert "Traceback" not in said
    assert process.returncode == 74


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ("KeyError('lost')", 70, "this is a bug in errbar"),
        ("InternalError('lost.')", 70, "this is a bug in errbar"),
        ("MemoryError()", 71, "not enough memory"),
        ("NotEnoughMemory('log.csv: full.')", 71, "not enough memory: log.csv: full."),
        ("OSError(5, 'Input/output error', 'log.csv')", 74, "log.csv: Input/output error."),
        ("InputError('wrong')", 2, "wrong"),
    ],
)
@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_every_kind_of_error_is_one_line_with_its_code(
    error: str, code: int, said: str, debug: list[str]
) -> None:
    done = script(
        "from errbar.cli import main\n"
        "from errbar.errors import InputError, InternalError, NotEnoughMemory\n"
        "@main.command()\n"
        f"def fail(): raise {error}\n"
        f"main([*{debug!r}, 'fail'])\n"
    )
    *before, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (code, "")
    assert last.startswith("Error: ")
    assert said in last
    assert ("report it" in last) == (code == 70)
    assert any("Traceback" in line for line in before) == bool(debug)


@pytest.mark.parametrize("path", ["x" * 300, f"{'x' * 300}.csv", f"{'x' * 300}/*.csv", ""])
def test_a_path_that_cannot_be_is_refused(path: str) -> None:
    done = CliRunner().invoke(main, ["score", path])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "File name too long" in done.stderr if path else "a path is empty" in done.stderr


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("state", ["at work", "stuck", "after work"])
def test_a_signal_to_end_leaves_no_temporary_file(name: str, state: str, tmp_path: Path) -> None:
    """Python hears a signal between instructions; while an engine works, another thread does."""
    number = getattr(signal, name)
    around = "nullcontext()" if state == "after work" else "working('wait')"
    code = (
        "import click, signal, time\n"
        # Under nohup SIGHUP is ignored, and so it is by the children of a test.
        f"signal.signal({int(number)}, signal.SIG_DFL)\n"
        "from contextlib import nullcontext\n"
        "from errbar.base.files import atomic_file, directory_until_exit\n"
        "from errbar.cli import main\n"
        "from errbar.cli.work import working\n"
        "@main.command()\n"
        "def wait():\n"
        f"    with {around}, atomic_file({str(tmp_path / 'out.csv')!r}) as beside:\n"
        "        beside.write_text('half')\n"
        "        print(directory_until_exit(), flush=True)\n"
        f"        if {state == 'stuck'}: signal.signal({int(number)}, lambda *_: None)\n"
        "        time.sleep(600)\n"
        "main(['wait'])\n"
    )
    process, first = waiting(code)
    folder = Path(first.strip())
    assert folder.is_dir()
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] in ("Terminated.\n", "Hung up.\n")
    assert process.returncode == 128 + number
    assert os.listdir(tmp_path) == []
    assert not folder.exists()


def test_ctrl_c_at_the_very_end_is_silent_and_leaves_no_temporary_folder() -> None:
    done = script(
        "import shutil, signal\n"
        "from errbar.base.files import directory_until_exit\n"
        "remove = shutil.rmtree\n"
        "def interrupted(*given, **named):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    remove(*given, **named)\n"
        "shutil.rmtree = interrupted\n"
        "print(directory_until_exit())\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not Path(done.stdout.strip()).exists()


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp1252:strict", "ascii", "utf-8"])
def test_names_are_printed_whatever_the_encoding_of_a_pipe(encoding: str, tmp_path: Path) -> None:
    names = ["\N{GRINNING FACE}", "\N{CJK UNIFIED IDEOGRAPH-4E2D}", "é"]
    log = tmp_path / "log.jsonl"
    log.write_text(
        "\n".join(
            json.dumps({"model": name, "id": at, "ok": at % 2}) for name in names for at in range(3)
        )
    )
    for style in ("table", "json"):
        done = subprocess.run(
            [sys.executable, "-m", "errbar", "score", str(log), "--format", style],
            env={**os.environ, "PYTHONPATH": HOME, "PYTHONIOENCODING": encoding},
            check=False,
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode("utf-8" if encoding == "ascii" else encoding.partition(":")[0])
    assert sorted(row["system"] for row in json.loads(said)["rows"]) == sorted(names)
