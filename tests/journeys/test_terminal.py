"""Results on a terminal: fitted to its width, every id shown as text; a pipe gets plain text."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("termios", reason="Windows has no such terminals")

from click.testing import CliRunner

import errbar
from errbar import demo
from errbar.cli import main
from terminals import HOME, STYLES, Screen, plain, shown, shown_by_a_process, start

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


def from_the_head(text: str) -> list[str]:
    """The lines of a table and of what is below it, without how the data were read."""
    lines = text.splitlines()
    return lines[next(at for at, line in enumerate(lines) if plain(line).startswith("system")) :]


@pytest.mark.parametrize("width", [200, 100, 80, 60, 40])
def test_every_score_is_in_a_row_of_its_own_on_a_narrow_terminal(width: int, runs: str) -> None:
    text = plain(shown("score", runs, "-m", "avg,pass@2", columns=width))
    assert max(map(len, text.splitlines())) <= width
    rows = [line for line in from_the_head(text)[2:7] if line]
    scores = re.findall(r"\d\.\d+ \[\d\.\d+, \d\.\d+\]", piped("score", runs, "-m", "avg,pass@2"))
    assert len(rows) == len(scores) == 4
    assert all(score in row for score, row in zip(scores, rows, strict=True))
    assert len({row.split()[0] for row in rows}) == 2


def named(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{at:02}-{'x' * (at % 7)}" for at in range(number)]


NAMES = {
    "2 short": ["a", "b"],
    "3 of makers": ["openai/gpt-5", "google/gemini-2.5-pro", "anthropic/claude-sonnet-4-20250514"],
    "5 with a prefix": named("experiments/2026-11/a-long-prefix-that-all-share_", 5),
    "12 long": [
        *named("someone/a-model-with-a-long-name-", 6),
        *named("another-very-long-name-", 6),
    ],
    "30 that end alike": [f"model{at}-with-a-long-name-and-the-same-ending" for at in range(30)],
}


# A table is fitted by the names in it, and which tables there are depends on the command.
@pytest.mark.parametrize(
    ("command", "systems"),
    [
        *(("score", systems) for systems in NAMES),
        *(("overview", systems) for systems in ("2 short", "12 long")),
        *(("compare", systems) for systems in ("3 of makers", "12 long")),
        *(("rank", systems) for systems in ("5 with a prefix", "30 that end alike")),
    ],
)
def test_tables_of_many_systems_and_tasks_fit(command: str, systems: str, tmp_path: Path) -> None:
    names = NAMES[systems][: 12 if command == "compare" else None]
    tasks = ["arithmetic-easy", "arithmetic-hard"]
    file = many(tmp_path / "runs.csv", names, tasks)
    for width in (80, 60):
        text = plain(shown(command, file, columns=width))
        assert max(map(len, text.splitlines())) <= width
        grids = [lines for lines in text.split("\n\n") if "─" in lines]
        whole = [line for line in text.splitlines() if line in tasks]
        assert whole in ([], tasks)  # tasks stand above their rows, or in a column
        assert grids
        for grid in grids:
            head, rule, *rows = grid.splitlines()
            assert "[95% CI]" in head
            assert set(rule) == {"─", " "}
            assert all("[" in row or row in tasks for row in rows)  # no row goes over two lines
        first = grids[0].splitlines()[2:]
        if command == "rank":
            assert len({row.split()[1] for row in first}) == len(names)


@pytest.mark.parametrize("command", ["scaling", "inspect"])
def test_second_tables_fit_too(command: str, tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    with file.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["system", "task", "question", "trial", "outcome", "status"])
        for system in ("larger-agent", "smaller-agent"):
            for at in range(48):
                run = f"a-question-with-a-name.of-trial-{at}.2026-11-16"
                writer.writerow([system, "sums-of-many", at // 4, run, int(at % 5 > 1), "ok"])
    text = plain(shown(command, str(file), columns=80))
    assert max(map(len, text.splitlines())) <= 80
    assert "larger-agent" in text
    assert "…" not in text


def test_tasks_and_systems_keep_their_names_where_verdicts_are_long() -> None:
    text = plain(shown("compare", str(demo.LOGS), columns=60))
    assert max(map(len, text.splitlines())) <= 60
    lines = text.splitlines()
    assert [line for line in lines if line in (demo.HARD, demo.EASY)] == [demo.HARD, demo.EASY]
    pairs = [line for line in lines if " − " in line and "[" in line]
    assert len(pairs) == 6
    assert any(line.endswith("probably better") for line in pairs)


def test_errors_break_between_words_on_a_terminal(runs: str) -> None:
    screen = Screen(50)
    ask = ("score", "runs.csv", "-m", "pass@64")
    start(ask, cwd=Path(runs).parent, stderr=screen.outside).communicate(timeout=60)
    lines = [line.rpartition("\r")[2] for line in screen.text().split("\n")]  # no progress
    first, *others = filter(None, lines)
    assert first.startswith("\x1b[31m\x1b[1mError:\x1b[0m nothing can be scored.")
    assert others
    assert all(line.startswith(" " * 7) and len(line) <= 50 for line in others)


@pytest.mark.parametrize(
    ("no_color", "word"), [("", "\x1b[31m\x1b[1mError:\x1b[0m"), ("1", "Error:")]
)
def test_a_wrong_use_is_as_red_as_an_error(no_color: str, word: str) -> None:
    screen = Screen(80)
    start(("score", "--no-such"), {"NO_COLOR": no_color}, stderr=screen.outside).communicate()
    assert f"\n{word} No such option" in screen.text()


def many(path: Path, systems: list[str], tasks: list[str]) -> str:
    """Outcomes of 6 questions of each task, one trial each."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "task", "question", "outcome"])
        for at, system in enumerate(systems):
            for task in tasks:
                writer.writerows([system, task, q, int((q + at) % 3 > 0)] for q in range(6))
    return str(path)


def test_a_shortened_name_is_stated_and_the_same_in_the_conclusion(runs: str) -> None:
    text = plain(shown("compare", runs, columns=80))
    (row,) = [line for line in text.splitlines() if line.endswith("inconclusive")]
    name = next(word for word in row.split() if "…" in word)
    assert name.removesuffix("…") in LONG
    assert name in text.splitlines()[0]
    assert "To fit the terminal: names are shortened" in text
    assert "shortened" not in piped("compare", runs)


def test_systems_are_separated(runs: str) -> None:
    lines = from_the_head(plain(shown("score", runs, "-m", "avg,pass@1", columns=200)))
    named = [line.partition(" ")[0] for line in lines[2:7]]
    assert [line.strip() == "" for line in lines[2:7]] == [False, False, True, False, False]
    assert {named[0], named[1]} == {LONG} or {named[0], named[1]} == {"small"}
    assert named[3] == named[4] != named[0]


def test_notes_are_dim_and_headings_are_not(runs: str) -> None:
    lines = from_the_head(shown("score", runs))
    assert next(line for line in lines if "95% CI for" in line).startswith("\x1b[2m")
    assert "\x1b[1msystem" in lines[0]


@pytest.fixture
def decided(tmp_path: Path) -> str:
    """Outcomes of a good system and a bad one on 40 questions."""
    rights = {"good": 10, "bad": 2}
    rows = [f"{name},{q},{int(q % 10 < n)}" for name, n in rights.items() for q in range(40)]
    path = tmp_path / "decided.csv"
    path.write_text("\n".join(["system,question,outcome", *rows]))
    return str(path)


def test_the_verdict_is_first_and_coloured(decided: str, runs: str) -> None:
    better = shown("compare", decided, "--system", "bad", "--system", "good").splitlines()
    assert better[0].startswith("\x1b[1;32mgood beats bad\x1b[0m")
    assert any("\x1b[1;32mbetter" in line for line in better[1:])
    worse = shown("compare", decided, "--baseline", "good")
    assert "\x1b[1;31mworse" in worse
    beyond = shown("compare", decided, "--baseline", "good", "--margin", "0.05")
    assert "\x1b[1;31mworse by more than 0.05" in beyond
    undecided = shown("compare", runs).splitlines()
    assert undecided[0].startswith("\x1b[2mInconclusive: ")


def test_a_gate_is_green_red_or_dim(decided: str) -> None:
    ask = ("gate", decided, "--max-drop", "0.1", "--baseline-system", "bad", "--system", "good")
    assert shown(*ask).startswith("\x1b[1;32mPass: ")
    assert piped(*ask, "-q").startswith("metric")


def test_guesses_stand_above_every_number_and_the_verdict_above_them(decided: str) -> None:
    lines = piped("compare", decided).splitlines()
    assert lines[0] == "good beats bad."
    guess = next(at for at, line in enumerate(lines) if line.startswith("Columns: "))
    assert not any(re.search(r"\d\.\d", line) for line in lines[:guess])
    after = [line for line in lines[guess:] if re.search(r"\d\.\d", line)]
    assert re.fullmatch(r"good beats bad by \d\.\d+ avg \(95% CI \d\.\d+ to \d\.\d+\)\.", after[0])


def test_without_a_guess_the_first_line_has_the_numbers() -> None:
    counts = {name: errbar.Counts([4] * 30, [right] * 30) for name, right in (("a", 4), ("b", 0))}
    found = errbar.load(counts)
    first = str(found.compare("avg")).splitlines()[0]
    assert re.fullmatch(r"a beats b by 1\.000 avg \(95% CI 0\.\d+ to 1\.000\)\.", first)


def test_quiet_prints_the_table_and_warnings_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("question,outcome,status\na,1,ok\nb,,error\n")
    ended = CliRunner().invoke(main, ["score", str(file), "-q"])
    assert ended.stdout.splitlines()[0].split() == ["avg", "[95%", "CI]", "sd"]
    assert len(ended.stdout.splitlines()) == 3
    assert "⚠ 1 of 2 rows has no result" in ended.stderr


def test_explain_prints_the_method_once(runs: str) -> None:
    plainly, explained = piped("overview", runs), piped("overview", runs, "--explain")
    above_footer, _, footer = plainly.rstrip().rpartition("\n\n")
    assert "(--explain)" in footer
    assert explained.startswith(above_footer)
    assert "(--explain)" not in explained  # nor what the explanation says in full
    assert "sd:" not in explained  # which is no column of an overview
    assert "Method" not in plainly
    assert explained.count("Method: Bayesian bootstrap over questions") == 1


def test_percent_is_shown_and_said_everywhere(runs: str) -> None:
    whole = json.loads(piped("score", runs, "--format", "json"))["rows"][0]["value"]
    table_text = piped("score", runs, "--percent")
    assert "avg % [95% CI]" in table_text
    assert f"{100 * whole:.0f}" in table_text
    for style in ("markdown", "latex"):
        text = piped("score", runs, "--percent", "--format", style).replace("\\%", "%")
        assert "avg % [95% CI]" in text
    (row, *_) = csv.DictReader(io.StringIO(piped("score", runs, "--percent", "--format", "csv")))
    assert float(row["value %"]) == pytest.approx(100 * whole)
    assert "value" not in row
    same = json.loads(piped("score", runs, "--percent", "--format", "json"))["rows"][0]
    assert same["value"] == whole


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
    text = piped("score", table(tmp_path / "runs.csv", NASTY), "--format", "raw-csv")
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
