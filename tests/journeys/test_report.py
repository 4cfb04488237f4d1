"""The report as a file: what is in it, what is not, and what it never lets through."""

import html
import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import errbar
from errbar import demo
from errbar.base.tables import round_to_sd
from errbar.cli import main
from errbar.errors import InputError
from errbar.page import ReportSettings, contents, contents_of, embedded, render, write_report
from hostile import HOSTILE

OUTCOMES = demo.LOGS / f"{demo.HARD}.csv"


def page_of(data: Any) -> str:
    return render(contents_of(errbar.load(data), ReportSettings()))


@cache
def page_of_demo() -> str:
    return page_of(OUTCOMES)


def numbers_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="numbers">(.*?)</script>', page, re.S)
    assert found
    numbers: dict[str, Any] = json.loads(found[1])
    for result in numbers["results"].values():
        result["rows"] = rows_of(result["rows"])
    return numbers


def rows_of(packed: Any) -> Any:
    """The rows of a result, as the script of the page unpacks them."""
    if isinstance(packed, list):
        return packed
    columns = {
        name: column
        if isinstance(column, list)
        else [column["of"][at] for at in column["at"]]
        if "of" in column
        else [column["all"]] * packed["size"]
        for name, column in packed["columns"].items()
    }
    return [{name: column[at] for name, column in columns.items()} for at in range(packed["size"])]


def test_the_section_on_noise_says_where_the_rest_comes_from() -> None:
    claim = "".join(errbar.load(OUTCOMES).noise().conclusion() or "").removesuffix(".")
    assert claim.startswith("Trial noise accounts for ")
    text = re.sub(r"\s+", " ", re.sub("<.*?>", "", html.unescape(page_of_demo())))
    assert f"{claim}; the rest comes from the choice of questions." in text


def test_every_number_of_the_library_is_in_the_page(tmp_path: Path) -> None:
    runs = errbar.load(OUTCOMES)
    page = write_report(
        runs, tmp_path / "report.html", ReportSettings(metrics=("avg", "pass@8"))
    ).read_text(encoding="utf-8")
    results = numbers_in(page)["results"]
    assert results["scores"]["rows"] == runs.score("avg", "pass@8").to_dicts()
    assert results["ranks"]["rows"] == runs.rank("avg").to_dicts()
    compared = json.loads(json.dumps(runs.compare("avg").to_dicts()).replace("NaN", "null"))
    assert results["comparisons"]["rows"] == compared


def test_every_score_stands_in_the_page_with_its_interval() -> None:
    page = page_of_demo()
    for each in errbar.load(OUTCOMES).score("avg", "pass@8", "pass^8"):
        value, _, _, low, high = each.digits()
        assert f"{value} [{low}, {high}]" in page


def test_the_leaderboard_and_the_comparisons_have_the_numbers_of_the_library() -> None:
    page, runs = re.sub(r"\s+", " ", page_of_demo()), errbar.load(OUTCOMES)
    board = runs.rank("avg")
    for row, cell in zip(board, board.cells_of("value"), strict=True):
        value, low, high = re.findall(r"[\d.]+", cell)
        interval = f"{low} to {high}"
        assert (
            f'{row.system}</span></span></span></span></th> <td class="number">{value}</td> '
            f'<td class="ends">{interval}</td>'
        ) in page
    for pair in runs.compare("avg"):
        gap, low, high = (round_to_sd(abs(x), pair.sd) for x in pair.lead)
        sign = "−" if pair.lead[1] < 0 else ""
        assert f'<td class="number">{gap}</td><td class="ends">{sign}{low} to {high}</td>' in page


def test_past_runs_are_shown_with_their_drift(tmp_path: Path) -> None:
    runs = {f"v{at}": [[at < 4, at < 5, 1]] * 30 for at in range(6)}
    page = errbar.report(runs["v5"], tmp_path / "report.html", history=runs).read_text("utf-8")
    found = errbar.history(runs)
    assert found.has_drifted
    assert "".join(found.conclusion()[:1]) in page
    rows = json.loads(json.dumps(found.to_dicts()).replace("NaN", "null"))
    assert numbers_in(page)["results"]["history"]["rows"] == rows


def test_pairs_of_systems_are_counted_once_for_all_tasks() -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"system": name, "task": task, "question": f"{task}{at}", "outcome": int(draw < rate)}
        for task in ("sums", "proofs", "puzzles")
        for at in range(60)
        for name, rate, draw in zip("abc", (0.2, 0.25, 0.9), rng.random(3), strict=True)
    ]
    runs = errbar.load(pl.DataFrame(rows))
    said = ["".join(verdict) for verdict in contents_of(runs, ReportSettings()).verdicts]
    ranked = "".join(runs.rank("avg").headline())
    assert re.fullmatch(
        r"c is the best of 3 systems by avg: it leads a by 0\.\d+ \(95% CI 0\.\d+ to 0\.\d+\)\.",
        ranked,
    )
    assert said == [
        ranked,
        "2 of the 3 pairs of systems differ significantly on at least one task.",
    ]


def test_a_guess_about_several_systems_is_stated_once() -> None:
    rewards = {name: [[0.5, 0.25], [0.75, 0.5], [1.0, 0.0]] for name in ("a", "b", "c")}
    page = page_of(rewards)
    assert page.count("ewards are taken to lie between 0 and 1") == 1 + json.dumps(
        numbers_in(page)
    ).count("ewards are taken to lie between 0 and 1")


def test_rows_without_a_result_are_warned_of_once() -> None:
    rows: list[dict[str, Any]] = [
        {"system": system, "question": f"q{at}", "outcome": at % 2, "status": "ok"}
        for system in ("a", "b")
        for at in range(20)
    ]
    rows[3] |= {"outcome": None, "status": "error"}
    page = page_of(pl.DataFrame(rows)).partition('<script type="application/json"')[0]
    assert "<li>⚠ 1 of 40 rows has no result (error 1): counted as wrong.</li>" in page
    assert page.count("has no result") == 1


def test_a_report_names_no_folder_of_the_machine_that_made_it(tmp_path: Path) -> None:
    log = tmp_path / "outcomes.csv"
    log.write_bytes(OUTCOMES.read_bytes())
    target = tmp_path / "r.html"
    CliRunner().invoke(main, ["report", str(log), "-m", "avg", "-o", str(target)])
    page = target.read_text(encoding="utf-8")
    assert "errbar report outcomes.csv" in page
    assert str(tmp_path) not in page


def test_a_report_states_the_command_with_paths_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    Path("logs/outcomes.csv").write_bytes(OUTCOMES.read_bytes())
    asked = ["report", "logs/outcomes.csv", "-m", "avg", "-o", "logs/r.html"]
    for forced in ([], ["--force"]):
        result = CliRunner().invoke(main, [*asked, *forced])
        assert result.exit_code == 0, result.output
        page = Path("logs/r.html").read_text(encoding="utf-8")
        assert f">{' '.join(['errbar', *asked, *forced])}</pre>" in page


def test_the_head_of_a_report_counts_questions_as_its_data_section() -> None:
    sizes = {("a", "x"): 20, ("b", "x"): 50, ("a", "y"): 5, ("b", "y"): 5}
    rows = [
        {"system": system, "task": task, "question": at, "outcome": at % 2}
        for (system, task), size in sizes.items()
        for at in range(size)
    ]
    found = errbar.load(rows).inspect()
    assert ("5–50", "questions") in found.facts()
    assert found.summary().startswith("5 to 50 questions")


def test_the_questions_are_those_of_the_log() -> None:
    (task,) = numbers_in(page_of_demo())["questions"]
    assert len(task["names"]) == 40
    assert task["trials"] == 8
    small = task["right"][task["systems"].index("siskin-mini")]
    assert sum(small) / 320 == errbar.load(OUTCOMES).score("avg").only("siskin-mini")[0].value


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = page_of_demo()
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', page)
    assert "url(" not in page.replace("url(#", "")
    assert "default-src 'none'" in page


def test_names_are_text() -> None:
    matrix = np.tile([1.0, 0.0, 1.0, 1.0], (6, 1))
    page = page_of(dict.fromkeys(HOSTILE, matrix))
    assert not [name for name in HOSTILE if "<" in name and name in page]
    ranked = numbers_in(page)["results"]["ranks"]["rows"]
    assert {row["system"] for row in ranked} == set(HOSTILE)


def test_what_is_embedded_cannot_end_its_element() -> None:
    text = embedded({"a": "</script><!--", "b": float("nan"), "c": ["\u2028"]})
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!--", "b": None, "c": ["\u2028"]}


def test_sizes_are_multiplied_only_where_they_have_a_product() -> None:
    same, fewer = [[1, 0, 1, 1], [0, 0, 1, 0]], [[1, 0, 1, 1]]
    times = "</b> systems × <b>"
    assert times in page_of({"a": same, "b": same})
    assert times not in page_of({"a": same, "b": fewer})


def test_one_system_alone_has_neither_ranks_nor_comparisons() -> None:
    page = page_of([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1]])
    assert 'id="ranks"' not in page
    assert 'id="table-scores"' in page


def test_ranks_say_which_questions_they_rest_on_and_scores_that_theirs_are_others() -> None:
    questions = [f"q{at}" for at in range(6)]
    first = errbar.Counts([4] * 6, [1, 2, 3, 4, 0, 1], questions=questions)
    second = errbar.Counts([1] * 4, [0, 1, 1, 0], questions=questions[:4])
    page = page_of({"a": first, "b": second})
    assert "on the 4 questions that both systems have. Bar and rank" in page
    assert page.count("the ranking above rests on the 4 questions that both systems have") == 1
    assert '"kind":"trials","system":"a"' in page
    assert '"kind":"trials","system":"b"' not in page  # a point is no curve
    assert "The other system" not in page
    same = page_of({"a": first, "b": first})
    assert "the ranking above rests on" not in same
    assert "The other system is in grey." in same


def test_rewards_and_systems_without_common_questions_have_a_report_too() -> None:
    page = page_of({"a": [[0.5, 0.25], [2.0, 1.5], [1.0, 0.0]]})
    assert 'id="table-scores"' in page
    (task,) = numbers_in(page)["questions"]
    assert task["means"] == [[0.375, 1.75, 0.5]]
    assert task["variances"] == [[0.01562, 0.0625, 0.25]]  # of two trials: (difference / 2)^2
    assert (task["trials"], task["reach"]) == (2, [0, 2])
    first = errbar.Counts([4, 4, 4], [1, 2, 3], questions=["q1", "q2", "q3"])
    second = errbar.Counts([4, 4, 4], [1, 2, 2], questions=["q4", "q5", "q6"])
    page = page_of({"a": first, "b": second})
    assert "Systems are not compared</strong>" in page
    assert "No question is common to all systems" in page


def test_a_confidence_that_cannot_be_ranked_does_not_stop_the_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"question": list("abcdef"), "outcome": [1, 0, 1, 1, 0, 1], "confidence": [0.5] * 6}
    page = page_of(pl.DataFrame({**rows, "weight": [1, 2, 3, 1, 2, 3]}))
    assert page.count("gives questions different weights, and ranking item by item takes none") == 3
    assert 'data-curves="roc"' in page_of(pl.DataFrame(rows))
    monkeypatch.setattr(contents, "_MOST_RESAMPLED", 5)  # rows of which curves have bands
    page = page_of(pl.DataFrame(rows))
    assert 'data-curves="roc"' not in page
    assert "ROC as a table" in page


def test_the_command_writes_one_file_and_says_where(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    result = CliRunner().invoke(main, ["report", str(OUTCOMES), "-m", "avg", "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert str(target) in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert "errbar report" in target.read_text(encoding="utf-8")


def test_a_report_that_is_no_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="HTML"):
        write_report(errbar.load(OUTCOMES), tmp_path / "report.pdf", ReportSettings())


def test_the_command_on_the_page_makes_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with options that say how files are read, and with bounds of rewards."""
    monkeypatch.chdir(tmp_path)
    for at in range(2):
        rows = "".join(f"q{n},{(n * 7 + at * 3) % 5 / 2}\n" for n in range(12))
        Path(f"run{at}.csv").write_text(f"question,outcome\n{rows}")
    options = ["--files", "trials", "--bounds", "0", "2.5", "--errors", "missing", "-m", "avg"]
    words, found = ["errbar", "report", "run0.csv", "run1.csv", *options], []
    for name in ("first.html", "second.html"):
        result = CliRunner().invoke(main, [*words[1:], "-o", name])
        assert result.exit_code == 0, result.output
        page = Path(name).read_text(encoding="utf-8")
        found.append(numbers_in(page)["results"])
        (said,) = re.findall(r'<pre tabindex="0">(.*?)</pre>', page)
        *words, _, _ = shlex.split(html.unescape(said))
    assert found[0] == found[1]
    assert {"2", "2.5"} & {*words}
    assert found[0]["scores"]["rows"][0]["trials"] == 24


def test_bounds_of_a_report_are_those_of_its_scores() -> None:
    runs = errbar.load({"a": [[0.5], [2.0], [1.0], [1.5]], "b": [[0.0], [1.0], [1.0], [1.5]]})
    contents = contents_of(runs, ReportSettings(bounds=(0.0, 4.0)))
    (first, *_) = contents.result("scores")
    assert first.interval == runs.score("avg", bounds=(0.0, 4.0))[0].interval
    assert first.interval != runs.score("avg", bounds=(0.0, 2.0))[0].interval
