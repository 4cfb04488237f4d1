"""Results on a terminal: fitted to its width, every id shown as text; a pipe gets plain text."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("termios", reason="Windows has no such terminals")

from click.testing import CliRunner

from errbar.cli import main
from terminals import HOME, STYLES, plain, shown, shown_by_a_process

LONG = "someone/a-model-with-quite-a-long-name-and-a-version-2026-11-16"
NASTY = "[red]x[/red] :duck: \x1b[31mred\x07\u202e\x9b2J"
WRITTEN_OUT = r"[red]x[/red] :duck: \x1b[31mred\x07\u202e\x9b2J"
ITEMS = [
    {
        "participant_id": at,
        "success": True,
        "predicted_items": {"sleep": at % 3},
        "ground_truth_items": {"sleep": 1},
        "evidence_counts": {"sleep": at},
    }
    for at in range(6)
]


def table(path: Path, *systems: str) -> str:
    """Outcomes of 8 questions, 2 trials each, with a confidence and a task."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "task", "question", "trial", "outcome", "confidence"])
        for system in systems:
            for at in range(16):
                writer.writerow([system, "sums", at // 2, at % 2, int(at % 3 > 0), at / 16])
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    return table(tmp_path / "runs.csv", "small", LONG)


def piped(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def words(text: str) -> list[str]:
    """Numbers and words, without lines; a folded id is in pieces."""
    return plain(text).replace("─", " ").replace("-", " ").split()


@pytest.mark.parametrize("command", ["score", "curve", "inspect", "selective", "roc"])
def test_a_terminal_shows_the_words_and_numbers_that_a_pipe_gets(command: str, runs: str) -> None:
    text = shown(command, runs, columns=200)
    assert "\x1b[1" in text
    assert "─" in text
    assert words(text) == words(piped(command, runs))


def test_a_process_shows_the_same(runs: str) -> None:
    ask = ("score", runs, "-m", "avg,pass@2")
    for columns in (200, 60):
        assert shown_by_a_process(*ask, columns=columns) == shown(*ask, columns=columns)


@pytest.mark.parametrize("width", [200, 100, 80, 60, 40, 24])
def test_nothing_is_lost_on_a_narrow_terminal(width: int, runs: str) -> None:
    wide = piped("score", runs, "-m", "avg,pass@2")
    text = plain(shown("score", runs, "-m", "avg,pass@2", columns=width))
    assert max(map(len, text.splitlines())) <= width
    rows = [line.split() for line in wide.splitlines() if line.startswith(("small", LONG))]
    assert len(rows) == 4
    numbers = [word for row in rows for word in row[3:]]
    held = text.replace(",", "").split()
    assert all(held.count(word) >= numbers.count(word) for word in numbers)


def from_the_head(text: str) -> list[str]:
    """The lines of a table and of what is below it, without how the data were read."""
    lines = text.splitlines()
    return lines[next(at for at, line in enumerate(lines) if plain(line).startswith("system")) :]


def test_a_folded_id_is_whole(runs: str) -> None:
    lines = from_the_head(plain(shown("score", runs, "-m", "avg", columns=80)))
    wide = lines[0].index("task")
    assert LONG in "".join(line[:wide].strip() for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_systems_stand_apart(runs: str) -> None:
    lines = from_the_head(plain(shown("score", runs, "-m", "avg,pass@1", columns=200)))
    named = [line.partition(" ")[0] for line in lines[2:7]]
    assert [line.strip() == "" for line in lines[2:7]] == [False, False, True, False, False]
    assert {named[0], named[1]} == {LONG} or {named[0], named[1]} == {"small"}
    assert named[3] == named[4] != named[0]


def test_notes_are_dim_and_headings_are_not(runs: str) -> None:
    lines = from_the_head(shown("score", runs))
    assert next(line for line in lines if "Method: " in line).startswith("\x1b[2m")
    assert "\x1b[1;36msystem" in lines[0]


def test_no_color_means_no_color(runs: str) -> None:
    text = shown("score", runs, NO_COLOR="1")
    assert "\x1b[1m" in text
    assert set(STYLES.findall(text)) <= {"\x1b[0m", "\x1b[1m", "\x1b[2m"}


def test_a_terminal_that_can_do_nothing_gets_no_styles(runs: str) -> None:
    assert "\x1b" not in shown("score", runs, TERM="dumb")


@pytest.mark.parametrize("command", ["score", "inspect", "selective", "roc"])
def test_an_id_is_text_on_a_terminal_and_in_a_pipe(command: str, tmp_path: Path) -> None:
    file = table(tmp_path / "runs.csv", NASTY)
    on_terminal = shown(command, file, columns=200)
    for text in (on_terminal, piped(command, file)):
        assert WRITTEN_OUT in text
        for letter in ("\x07", "\u202e", "\x9b", "\x1b[31m"):
            assert letter not in text


@pytest.mark.parametrize("style", ["markdown", "latex", "json"])
def test_no_format_for_readers_lets_a_control_through(style: str, tmp_path: Path) -> None:
    text = piped("score", table(tmp_path / "runs.csv", NASTY), "--format", style)
    assert not [c for c in text if not c.isprintable() and c != "\n"]
    if style == "json":
        assert {row["system"] for row in json.loads(text)["rows"]} == {NASTY}


def test_csv_holds_an_id_as_it_is(tmp_path: Path) -> None:
    text = piped("score", table(tmp_path / "runs.csv", NASTY), "--format", "csv")
    assert {row["system"] for row in csv.DictReader(io.StringIO(text))} == {NASTY}


def test_an_error_writes_out_what_a_terminal_would_obey(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["score", str(tmp_path / "\x1b[31mnone.csv")])
    assert result.exit_code == 2
    assert r"\x1b[31mnone.csv" in result.stderr
    assert "\x1b" not in result.stderr


def test_a_file_and_other_formats_are_the_same_from_a_terminal(runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    assert shown("score", runs, "-o", str(target)) == ""
    assert target.read_text() == piped("score", runs)
    for style in ("json", "markdown", "latex"):
        assert shown("score", runs, "--format", style) == piped("score", runs, "--format", style)


def test_runs_of_items_are_tables_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"experiments": [{"results": {"results": ITEMS}}]}))
    ask = ("selective", str(path), "--resamples", "200")
    text = shown(*ask, columns=120)
    assert "\x1b[1" in text
    assert words(text) == words(piped(*ask))


def test_only_a_terminal_loads_rich(runs: str) -> None:
    script = (
        "import sys\n"
        "from errbar.cli import main\n"
        f"main(['score', {runs!r}], standalone_mode=False)\n"
        "print('rich' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": HOME},
        check=True,
        text=True,
        capture_output=True,
    )
    assert done.stderr.strip() == "False"
