"""gate: verdicts from the interval of the change, exit codes, and reports that stay inert."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import errbar
from errbar.analysis.gate import limits_of
from errbar.base.markup import inert_markdown
from errbar.cli import main
from errbar.cli.gate import drops_in
from errbar.errors import InputError, UnknownMetric, WrongType
from errbar.metrics import Aurc, parse
from errbar.results.comparison import Comparison
from errbar.results.estimate import Estimand, Interval
from errbar.results.gate import Gate, GateRow, Verdict
from logs import REPOSITORY

HOME = str(Path(errbar.__file__).parents[1])
GUIDE = REPOSITORY / "docs" / "gate.md"
ASKED = ("-m", "pass@1", "--max-drop", "0.02")
NASTY = "a|b <script>alert(1)</script> `x` [y](http://z) @all #1 \x1b[31m\x00 ]]> & \ufffe"


def rows(shift: float, seed: int = 1, questions: int = 200, trials: int = 8) -> pl.DataFrame:
    """Outcomes of a system that is better than a common one by a shift."""
    hard = np.random.default_rng(0).uniform(0.1, 0.8, questions)
    right = np.random.default_rng(seed).random((questions, trials)) < (hard + shift)[:, None]
    return pl.DataFrame(
        {
            "system": ["m"] * right.size,
            "question": np.repeat([f"q{at}" for at in range(questions)], trials),
            "trial": np.tile(np.arange(trials), questions),
            "outcome": right.astype(int).reshape(-1),
        }
    )


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline, one that is better, one that is worse, and one that is nearly the same."""
    home = tmp_path_factory.mktemp("logs")
    shifts = {"baseline": 0.0, "better": 0.1, "worse": -0.1, "near": -0.01}
    for seed, (name, shift) in enumerate(shifts.items()):
        rows(shift, seed + 1).write_csv(home / f"{name}.csv")
    two = [
        rows(0.0).with_columns(system=pl.lit("old")),
        rows(-0.1, 2).with_columns(system=pl.lit("new")),
    ]
    pl.concat(two).write_csv(home / "two.csv")
    return home


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["gate", *map(str, arguments)])


def refusal(*arguments: object) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def row(
    low: float, high: float, metric: str = "pass@1", drop: float = 0.02, **more: Any
) -> GateRow:
    """A row with an interval of the change."""
    middle = more.pop("change", (low + high) / 2)
    interval = Interval(low, high, 0.95, more.pop("covers", Estimand.POPULATION))
    sizes = {"wins": 30, "ties": 40, "losses": 30} | more
    return GateRow(
        Comparison(
            metric=parse(metric),
            task=sizes.pop("task", ""),
            first="candidate",
            second="baseline",
            value=0.5 + middle,
            against=0.5,
            difference=middle,
            sd=(high - low) / 3.92,
            interval=interval,
            p_value=0.5,
            adjusted=0.5,
            chance=0.5,
            **sizes,
        ),
        drop,
    )


# Verdicts.


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.019, 0.05, Verdict.PASS),
        (0.01, 0.05, Verdict.PASS),
        (-0.02, 0.05, Verdict.INCONCLUSIVE),
        (-0.05, 0.05, Verdict.INCONCLUSIVE),
        (-0.05, -0.02, Verdict.INCONCLUSIVE),
        (-0.05, -0.021, Verdict.REGRESS),
        (math.nan, math.nan, Verdict.INCONCLUSIVE),
    ],
)
def test_the_whole_interval_decides(low: float, high: float, verdict: Verdict) -> None:
    assert row(low, high).verdict is verdict
    # A metric of which less is better, and its mirror image.
    assert row(-high, -low, "aurc").verdict is verdict


def test_a_metric_of_which_less_is_better_must_not_rise() -> None:
    assert isinstance(row(0, 0, "aurc").comparison.metric, Aurc)
    assert (row(0, 0, "aurc").limit, row(0, 0).limit) == (0.02, -0.02)


@pytest.mark.parametrize(
    ("verdicts", "overall", "code"),
    [
        ("pp", Verdict.PASS, 0),
        ("pr", Verdict.REGRESS, 1),
        ("pi", Verdict.INCONCLUSIVE, 3),
        ("ir", Verdict.REGRESS, 1),
    ],
)
def test_one_metric_is_enough_to_stop_all(verdicts: str, overall: Verdict, code: int) -> None:
    each = {"p": row(0, 0.1), "r": row(-0.2, -0.1), "i": row(-0.1, 0.1)}
    gate = Gate(
        rows=tuple(each[verdict] for verdict in verdicts),
        baseline="old",
        candidate="new",
        method="none",
    )
    assert (gate.verdict, gate.exit_code) == (overall, code)


def test_intervals_are_those_of_compare(logs: Path) -> None:
    both = pl.concat(
        [
            pl.read_csv(logs / f"{name}.csv").with_columns(system=pl.lit(name))
            for name in ("baseline", "worse")
        ]
    )
    names = ("pass@1", "pass@4", "maj@5")
    expected = errbar.load(both).compare(*names, baseline="baseline")
    found = errbar.gate(logs / "baseline.csv", logs / "worse.csv", *names, max_drop=0.02)
    for decision, known in zip(found.rows, expected, strict=True):
        assert decision.comparison.interval == known.interval
        assert decision.comparison.difference == known.difference
    assert "simultaneous for all 3 rows" in str(found)
    assert "All 3 intervals are simultaneous." in found.explain()
    assert found.explain().count(found.headline) == 1


def test_several_metrics_make_every_interval_wider(logs: Path) -> None:
    alone = errbar.gate(logs / "baseline.csv", logs / "near.csv", "pass@1", max_drop=0.02)
    more = errbar.gate(logs / "baseline.csv", logs / "near.csv", "pass@1", "pass^4", max_drop=0.02)
    first, again = alone.rows[0].comparison.interval, more.rows[0].comparison.interval
    assert again.low < first.low
    assert again.high > first.high


@pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
def test_any_estimand(logs: Path, estimand: str) -> None:
    found = errbar.gate(
        logs / "baseline.csv", logs / "worse.csv", "pass@1", max_drop=0.02, estimand=estimand
    )
    assert found.rows[0].comparison.interval.covers == estimand
    assert found.verdict is Verdict.REGRESS


def test_tasks_are_gated_one_by_one_and_one_that_is_missing_is_reported() -> None:
    old = pl.concat([rows(0.0).with_columns(task=pl.lit(name)) for name in "abc"])
    new = pl.concat([rows(0.1, 2).with_columns(task=pl.lit(name)) for name in "ab"])
    found = errbar.gate(errbar.load(old), errbar.load(new), "pass@1", max_drop=0.02)
    assert [row.comparison.task for row in found.rows] == ["a", "b"]
    assert "baseline · c: left out; no other system has this task." in found.notes()
    with pytest.raises(InputError, match="same questions; Only the baseline has the task 'c'"):
        errbar.gate(old, new, "pass@1", max_drop=0.02, same_questions=True)


def test_questions_that_one_lacks_are_counted_or_refused() -> None:
    old, new = rows(0.0), rows(0.1, 2).filter(pl.col("question") != "q7")
    found = errbar.gate(old, new, "pass@1", max_drop=0.02)
    assert found.rows[0].record()["left_out"] == 1
    assert "199 questions, 1 of only one of the two left out." in found.notes()
    with pytest.raises(InputError, match="1 are in only one of them"):
        errbar.gate(old, new, "pass@1", max_drop=0.02, same_questions=True)


def test_rewards_votes_and_categories_go_through_too() -> None:
    old, new = rows(0.0), rows(0.1, 2)
    some = pl.when(pl.col("outcome") == 1).then(pl.lit("x")).otherwise(pl.lit("y")).alias("answer")
    found = errbar.gate(
        old.with_columns(some), new.with_columns(some), "vote@3", "bayes", max_drop=0.02
    )
    assert found.verdict is Verdict.PASS
    half = pl.col("outcome") * 0.5
    scaled = errbar.gate(
        old.with_columns(outcome=half), new.with_columns(outcome=half), "avg", max_drop=0.02
    )
    assert scaled.rows[0].comparison.difference == pytest.approx(
        errbar.gate(old, new, "avg", max_drop=0.02).rows[0].comparison.difference / 2
    )


# What would tell.


@pytest.mark.parametrize(("metric", "sign"), [("pass@1", 1.0), ("aurc", -1.0)])
def test_what_would_tell_is_four_times_the_questions_for_half_the_width(
    metric: str, sign: float
) -> None:
    # The change is 0.03 above its limit, and the interval reaches 0.06 down.
    low, high = sorted((sign * (0.01 - 0.06), sign * (0.01 + 0.06)))
    found = row(low, high, metric, change=sign * 0.01)
    assert found.times == pytest.approx(4.0)
    assert found.needed == 400
    assert "about 400 questions instead of 100" in found.advice()


def test_nothing_more_is_needed_where_the_data_tell() -> None:
    assert row(0.0, 0.1).needed is None
    assert row(0.0, 0.1).advice() == ""


def test_a_change_at_its_limit_needs_more_than_anybody_has() -> None:
    found = row(-0.08, 0.04, change=-0.02)
    assert (found.times, found.needed) == (math.inf, None)
    assert "too close to its limit" in found.advice()


def test_of_these_very_questions_more_trials_would_tell() -> None:
    found = row(-0.05, 0.07, covers=Estimand.BENCHMARK)
    assert found.needed is None
    assert found.advice() == "pass@1: about 4 times the trials would probably be conclusive."


def test_a_row_without_an_interval_says_why() -> None:
    found = row(math.nan, math.nan, reason="one question alone says nothing of others")
    assert found.needed is None
    assert "one question alone" in found.advice()


def test_that_many_questions_do_tell() -> None:
    """With the questions that it asks for, a gate that did not tell tells in most cases."""
    told = tried = 0
    for seed in range(20):
        gate = errbar.gate(
            rows(0.0, 2 * seed + 1, 100, 4), rows(0.0, 2 * seed + 2, 100, 4), "avg", max_drop=0.03
        )
        needed = gate.rows[0].needed
        if needed is not None and needed <= 2000:
            again = errbar.gate(
                rows(0.0, 2 * seed + 101, needed, 4),
                rows(0.0, 2 * seed + 102, needed, 4),
                "avg",
                max_drop=0.03,
            )
            tried += 1
            told += again.verdict is not Verdict.INCONCLUSIVE
    assert tried >= 8
    assert told / tried >= 0.4  # the change seen at first is itself uncertain


# Limits.


def test_a_limit_for_all_or_for_each() -> None:
    assert limits_of(["pass@1", "pass@8"], 0.02) == {parse("pass@1"): 0.02, parse("pass@8"): 0.02}
    each = {"pass@1": 0.02, "unanimous@8": 0.05}
    assert limits_of(["pass^8", "pass@1"], each) == {parse("pass^8"): 0.05, parse("pass@1"): 0.02}


@pytest.mark.parametrize(
    ("metrics", "drop", "words"),
    [
        ([], 0.02, "no metric to gate by"),
        (["pass@1"], -0.1, "max_drop must be finite and at least 0"),
        (["pass@1"], math.nan, "max_drop"),
        (["pass@1"], {"pass@2": 0.1}, "names pass@2, which is not among the metrics: pass@1"),
        (["pass@1", "pass@2"], {"pass@1": 0.1}, "has no limit for pass@2"),
        (["pass^8"], {"pass^8": 0.1, "unanimous@8": 0.2}, "names a metric twice"),
    ],
)
def test_limits_that_make_no_sense_are_refused(metrics: list[str], drop: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        limits_of(metrics, drop)


def test_a_metric_is_a_name_or_a_value() -> None:
    with pytest.raises(WrongType, match="got 3"):
        limits_of([3], 0.1)  # type: ignore[list-item]


def test_a_limit_that_no_drop_can_exceed_is_refused(logs: Path) -> None:
    two = (logs / "baseline.csv", logs / "near.csv", "-m", "pass@1")
    for limit in ("1", "5"):
        said = refusal(*two, "--max-drop", limit)
        assert f"--max-drop {limit} can never be exceeded: pass@1 cannot change by more" in said
        assert "5 percentage points are 0.05" in said
    assert run(*two, "--max-drop", "0.99").exit_code == 0
    with pytest.raises(InputError, match=r"max_drop 5 can never be exceeded"):
        errbar.gate(rows(0.0), rows(0.0, 2), "avg", max_drop=5)


@pytest.mark.parametrize(("factor", "refused"), [(0.25, True), (1.0, False)])
def test_rewards_are_gated_by_any_limit_unless_they_lie_between_0_and_1(
    factor: float, refused: bool
) -> None:
    rewards = factor * np.random.default_rng(3).integers(0, 5, 40)
    before = pl.DataFrame({"question": range(40), "score": rewards})
    now = before.with_columns(score=before["score"].reverse())
    if refused:
        with pytest.raises(InputError, match=r"max_drop 2 can never be exceeded"):
            errbar.gate(before, now, "avg", max_drop=2)
    else:
        assert errbar.gate(before, now, "avg", max_drop=2).verdict is Verdict.PASS


def test_limits_of_the_command() -> None:
    assert drops_in(["avg(weights=[0, 1])=0.1"], ["avg(weights=[0, 1])"]) == {
        "avg(weights=[0, 1])": 0.1
    }
    assert drops_in(["unanimous@8=0.1", "0.2"], ["pass^8", "avg"]) == {
        "unanimous@8": 0.1,
        "avg": 0.2,
    }
    with pytest.raises(InputError, match="metric=number"):
        drops_in(["pass@1"], ["pass@1"])
    with pytest.raises(InputError, match="gives two limits"):
        drops_in(["0.1", "0.2"], ["pass@1"])


@pytest.mark.parametrize("code", [2, -1, True, "3"])
def test_only_codes_that_mean_something(code: Any) -> None:
    with pytest.raises(InputError, match="inconclusive must be 0, 1 or 3"):
        Gate(rows=(row(0, 1),), baseline="old", candidate="new", method="none", inconclusive=code)


# Which systems.


def test_two_systems_of_one_log(logs: Path) -> None:
    runs = errbar.load(logs / "two.csv")
    found = errbar.gate(runs, runs, "pass@1", max_drop=0.02, system="new", baseline_system="old")
    assert found.verdict is Verdict.REGRESS
    assert found.candidate == f"new ({logs / 'two.csv'})"


def test_the_same_name_is_meant_in_both_logs(logs: Path) -> None:
    both = errbar.load(logs / "two.csv")
    again = errbar.load(pl.read_csv(logs / "two.csv"))
    found = errbar.gate(both, again, "pass@1", max_drop=0.02, system="old")
    assert found.rows[0].comparison.difference == 0.0
    assert found.baseline.startswith("old")


def test_statuses_of_other_systems_are_not_counted() -> None:
    failed = pl.when(pl.col("trial") == 0).then(pl.lit("error")).otherwise(pl.lit("ok"))
    both = pl.concat(
        [
            rows(0.0).with_columns(system=pl.lit("old"), status=pl.lit("ok")),
            rows(0.0, 2).with_columns(system=pl.lit("new"), status=pl.lit("ok")),
            rows(0.0, 3).with_columns(system=pl.lit("other"), status=failed),
        ]
    )
    runs = errbar.load(both)
    found = errbar.gate(runs, runs, "pass@1", max_drop=0.1, system="new", baseline_system="old")
    assert not any("no result" in note for note in found.notes())
    old, new = (errbar.load(both.filter(pl.col("system") == name)) for name in ("old", "other"))
    apart = errbar.gate(old, new, "pass@1", max_drop=0.1)
    assert any("200 of 3,200 rows have no result (error 200)" in note for note in apart.notes())


# The command.


def test_the_exit_code_of_a_real_process(logs: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "errbar", "gate", "baseline.csv", "near.csv", *ASKED],
        cwd=logs,
        env={**os.environ, "PYTHONPATH": HOME},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 3, ended.stderr
    assert ended.stderr == ""
    assert "inconclusive" in ended.stdout


@pytest.mark.parametrize("code", [0, 1, 3])
def test_what_an_inconclusive_gate_ends_with_can_be_chosen(logs: Path, code: int) -> None:
    given = (logs / "baseline.csv", logs / "near.csv", *ASKED)
    assert run(*given, "--inconclusive", code).exit_code == code


def test_formats_of_the_command(logs: Path) -> None:
    given = (logs / "baseline.csv", logs / "worse.csv", "-m", "pass@1,pass@4", "--max-drop", "0.02")
    found = json.loads(run(*given, "--format", "json").stdout)
    assert [row["verdict"] for row in found["rows"]] == ["regress", "regress"]
    assert found["notes"][0] == "Regression: pass@1 and pass@4 fell by more than the limit."
    assert run(*given, "--format", "markdown").stdout.startswith("### ❌ errbar gate: regress\n")
    assert run(*given, "--format", "csv").stdout.startswith("task,metric,baseline,candidate,change")


def test_reports_are_written_whole(logs: Path, tmp_path: Path) -> None:
    given = (logs / "baseline.csv", logs / "worse.csv", *ASKED)
    reports = ("--markdown", tmp_path / "gate.md", "--junit", tmp_path / "gate.xml")
    assert run(*given, *reports).exit_code == 1
    assert (tmp_path / "gate.md").read_text().startswith("### ❌ errbar gate: regress\n")
    assert Xml.parse(tmp_path / "gate.xml").getroot().get("failures") == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gate.md", "gate.xml"]


def test_a_gate_that_cannot_be_had_leaves_reports_as_they_were(logs: Path, tmp_path: Path) -> None:
    before = tmp_path / "gate.md"
    before.write_text("as it was")
    refusal(logs / "baseline.csv", logs / "no.csv", "--max-drop", "0.02", "--markdown", before)
    assert before.read_text() == "as it was"
    assert "no directory" in refusal(
        logs / "baseline.csv",
        logs / "worse.csv",
        "--max-drop",
        "0.9",
        "--junit",
        tmp_path / "a" / "b",
    )


def test_one_log_needs_two_names(logs: Path) -> None:
    given = (logs / "two.csv", *ASKED)
    assert "--baseline-system and --system" in refusal(*given)
    assert run(*given, "--system", "new", "--baseline-system", "old").exit_code == 1
    assert "are the same system 'old'" in refusal(
        *given, "--system", "old", "--baseline-system", "old"
    )


def test_a_log_with_several_systems_lists_them(logs: Path) -> None:
    given = (logs / "baseline.csv", logs / "two.csv", *ASKED)
    assert "the candidate has 2 systems: 'new', 'old'. Choose one" in refusal(*given)
    assert "no system 'x'; it has: 'new', 'old'" in refusal(*given, "--system", "x")
    assert run(*given, "--system", "new").exit_code == 1
    turned = (logs / "two.csv", logs / "worse.csv", *ASKED)
    assert "the baseline has 2 systems" in refusal(*turned)
    assert run(*turned, "--baseline-system", "old").exit_code == 1


def test_metrics_that_nobody_knows_are_refused(logs: Path) -> None:
    given = (logs / "baseline.csv", logs / "worse.csv")
    assert "nothing@1" in refusal(*given, "-m", "nothing@1", "--max-drop", "0.02")
    assert "Missing option '--max-drop'" in refusal(*given, "-m", "pass@1")
    with pytest.raises(UnknownMetric):
        errbar.gate(*given, "nothing@1", max_drop=0.1)


def test_the_same_questions_can_be_demanded(logs: Path, tmp_path: Path) -> None:
    rows(0.1, 2, 100).write_csv(tmp_path / "fewer.csv")
    given = (logs / "baseline.csv", tmp_path / "fewer.csv", *ASKED)
    assert run(*given).exit_code == 0
    assert "100 are in only one of them" in refusal(*given, "--same-questions")


# Reports.


def nasty() -> Gate:
    """A gate in which everything that a log can name is hostile."""
    each = (row(-0.2, -0.1, task=NASTY), row(-0.1, 0.1, task="fine", caution="few", left_out=3))
    return Gate(
        rows=each,
        baseline=NASTY,
        candidate=f"{NASTY} 2",
        method="none",
        remarks=(f"Columns: system is {NASTY}.",),
    )


def test_junit_is_xml_that_says_the_same() -> None:
    text = nasty().junit()
    root = Xml.fromstring(text)
    suite = root[0]
    assert [root.tag, suite.tag] == ["testsuites", "testsuite"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    assert [case.get("name") for case in suite] == ["pass@1", "pass@1"]
    kinds = [case.find("failure").get("type") for case in suite]  # type: ignore[union-attr]
    assert kinds == ["regress", "inconclusive"]
    assert "<script>alert(1)</script>" in str(suite.get("name"))
    assert "<script>" not in text
    assert "\x1b" not in text


def test_junit_fails_where_the_exit_code_says_so() -> None:
    gate = Gate(
        rows=(row(-0.1, 0.1), row(0, 0.1, "pass@2")),
        baseline="old",
        candidate="new",
        method="none",
        inconclusive=0,
    )
    suite = Xml.fromstring(gate.junit())[0]
    assert suite.get("failures") == "0"
    out = [case.findtext("system-out") for case in suite]
    assert "inconclusive" in str(out[0])
    assert "pass@2: 0.500 before, 0.550 now" in str(out[1])


def test_names_stay_inert_in_markdown() -> None:
    text = nasty().markdown()
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert {line.count("|") for line in table} == {table[0].count("|")}
    bare = text.replace("<!-- -->", "")
    assert "<" not in bare
    assert "`" not in text
    assert "](" not in text
    assert "http://" not in text
    assert not re.search(r"(?<!\w)@\w", text)
    assert not re.search(r"(?<!&)#\d", text)
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name-1.5 (b)", "plain name-1.5 (b)"),
        ("**bold** _it_ ~no~", "&#42;&#42;bold&#42;&#42; &#95;it&#95; &#126;no&#126;"),
        ("@team and a@b", "&#64;<!-- -->team and a@b"),
        ("see #12", "see &#35;<!-- -->12"),
        ("https://x.y www.x.y", "https&#58;//x.y www&#46;x.y"),
        ("&lt;b&gt;", "&#38;lt;b&#38;gt;"),
        ("two\nlines", "two lines"),
    ],
)
def test_inert_markdown(text: str, shown: str) -> None:
    assert inert_markdown(text) == shown


def test_markdown_of_a_gate_that_passes(logs: Path) -> None:
    found = errbar.gate(logs / "baseline.csv", logs / "better.csv", "pass@1", max_drop=0.02)
    lines = found.markdown().splitlines()
    assert lines[0] == "### ✅ errbar gate: pass"
    assert lines[2] == "Pass: no metric fell by more than its limit (pass@1)."
    assert lines[4].startswith("| metric | baseline | candidate | change [95% CI] | limit |")
    assert lines[6].endswith("| -0.02 | ✅ pass |")


# The guide.


def test_the_workflow_of_the_guide_runs(logs: Path, tmp_path: Path) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    block = next(
        part for part in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "jobs:" in part
    )
    command = re.search(r"errbar gate (?:[^\n]*\\\n)*[^\n]*", block)
    assert command is not None
    for name, source in (("baseline", "baseline"), ("candidate", "worse")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.csv").write_text((logs / f"{source}.csv").read_text())
    summary = re.search(r"run: (cat gate.md >> .*)", block)
    assert summary is not None
    script = command[0].replace("errbar gate", f"{sys.executable} -m errbar gate", 1)
    ended = subprocess.run(
        ["sh", "-c", f"({script}); code=$?; {summary[1]}; exit $code"],
        env={**os.environ, "PYTHONPATH": HOME, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert "errbar gate: regress" in (tmp_path / "summary").read_text()
    assert Xml.parse(tmp_path / "gate.xml").getroot().get("failures") == "2"
