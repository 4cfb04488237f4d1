"""What comparisons say: verdicts, many of them at once, three targets, and how they print."""

import json
import math
import re
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import errbar
from errbar.analysis.compare import bonferroni
from errbar.kernels import sign_flip as signs
from errbar.kernels.bounded_mean import Sample, mean_ends, p_at_most
from errbar.metrics import Average, PassAt
from errbar.results.comparison import Comparison
from errbar.results.estimate import Estimand, Interval

KEYS = [
    *("task", "metric", "one", "other", "value", "against", "difference", "sd", "low", "high"),
    *("level", "covers", "p_value", "adjusted", "probable", "undone_by", "chance"),
    *("wins", "ties", "losses", "questions", "left_out", "margin", "no_worse"),
    *("better", "probably_better", "verdict", "caution", "reason"),
]


def matrix(seed: int, questions: int, trials: int, right: float = 1.0) -> NDArray[np.int64]:
    """Difficulties that every seed shares, and luck of its own."""
    rates = np.random.default_rng(99).beta(1.0, 1.0, (questions, 1)) ** (1.0 / right)
    return (np.random.default_rng(seed).random((questions, trials)) < rates).astype(np.int64)


THREE = {"a": matrix(1, 60, 4), "b": matrix(2, 60, 4, 1.6), "c": matrix(3, 60, 4, 0.8)}


class TestMany:
    def test_intervals_that_hold_together_are_wider_than_alone(self) -> None:
        runs = errbar.load(THREE)
        together, alone = runs.compare("avg"), runs.compare("avg", adjust="none")
        for wide, narrow in zip(together, alone, strict=True):
            assert wide.interval.low < narrow.interval.low
            assert wide.interval.high > narrow.interval.high
            assert wide.adjusted >= narrow.adjusted == narrow.p_value == wide.p_value
        single = runs.compare("avg", systems=["a", "b"])[0]
        assert single.interval == alone[0].interval

    def test_they_reach_as_far_as_tukeys_studentised_range(self) -> None:
        """Three systems that vary alike and apart: 3.314/√2 by the table for endless freedom."""
        rng = np.random.default_rng(4)
        data = {name: rng.normal(0.0, 1.0, (900, 1)).round(1) for name in "abc"}
        one = errbar.load(data).compare("avg")[0]
        reach = (one.interval.high - one.interval.low) / 2 / one.sd
        assert reach == pytest.approx(3.314 / math.sqrt(2), rel=0.03)

    def test_a_system_twice_makes_nothing_wider(self) -> None:
        rng = np.random.default_rng(4)
        a, b = rng.normal(0.0, 1.0, (2, 500, 1))
        found = errbar.load({"a": a, "b": b, "again": b}).compare("avg", baseline="a")
        single = errbar.load({"a": a, "b": b}).compare("avg", baseline="a")[0]
        assert found[0].interval == found[1].interval
        width = found[0].interval.high - found[0].interval.low
        assert width == pytest.approx(single.interval.high - single.interval.low, rel=0.03)

    def test_questions_that_few_share_make_nothing_much_wider(self) -> None:
        """Systems that vary alike, each with questions of its own: about as wide as with the
        questions of all alone."""
        rng = np.random.default_rng(5)
        common = rng.normal(0.0, 1.0, 300)
        rows = [
            (name, f"{at}", common[at] + 0.1 * rng.normal())
            for turn, name in enumerate("abc")
            for at in range(300)
            if at < 60 or at % 3 == turn
        ]
        data = pd.DataFrame(rows, columns=["system", "question", "outcome"])
        for one in errbar.load(data).compare("avg"):
            assert one.questions == 60
            reach = (one.interval.high - one.interval.low) / 2 / one.sd
            assert reach < 1.1 * 3.314 / math.sqrt(2)

    def test_adjusted_for_every_metric_and_task_together(self) -> None:
        found = errbar.load(THREE).compare("avg", "pass@2")
        assert found.together == 6
        assert all(row.adjusted == bonferroni(row.p_value, len(found)) for row in found)


class TestTargets:
    def test_these_very_questions_are_known_better_than_others_like_them(self) -> None:
        rng = np.random.default_rng(6)  # questions that are hard for one and easy for the other
        data = {name: (rng.random((60, 8)) < rng.random((60, 1))).astype(int) for name in "ab"}
        runs = errbar.load(data)
        widths = {}
        for estimand in ("population", "benchmark", "rerun"):
            one = runs.compare("avg", estimand=estimand)[0]
            assert one.interval.covers == estimand
            widths[estimand] = one.interval.high - one.interval.low
        assert widths["benchmark"] < widths["rerun"]
        assert widths["benchmark"] < widths["population"]

    @pytest.mark.parametrize(("estimand", "apart"), [("benchmark", 1.0), ("rerun", 2.0)])
    def test_one_trial_per_question_cannot_tell_and_says_so(
        self, estimand: str, apart: float
    ) -> None:
        runs = errbar.load({"a": matrix(1, 80, 1), "b": matrix(2, 80, 1)})
        found = runs.compare("avg", estimand=estimand)
        like_these = runs.compare("avg")[0]
        assert found[0].sd == pytest.approx(math.sqrt(apart) * like_these.sd, abs=1e-15)
        said = "With one trial per question, trial noise and difficulty cannot be separated"
        assert any(note.startswith(said) for note in found.notes())
        assert "sign-flip test" in found.method

    def test_the_evidence_is_that_of_the_kernel(self) -> None:
        one = errbar.load(THREE).compare("avg", systems=["a", "b"])[0]
        apart = (THREE["a"] - THREE["b"]).mean(axis=1)
        sample = Sample(apart, np.ones(60), np.ones(60), (-1.0, 1.0))
        tails = p_at_most(sample, 0.0), p_at_most(sample.mirrored, 0.0)
        assert one.p_value == pytest.approx(2 * min(tails), rel=1e-4)
        ends = mean_ends(sample, 0.95)
        assert (one.interval.low, one.interval.high) == pytest.approx(ends, abs=1e-5)
        usual = 2 * NormalDist().cdf(-abs(signs.evidence(apart)))
        assert one.probable == pytest.approx(usual, abs=1e-12)

    def test_the_interval_and_the_verdict_never_contradict_each_other(self) -> None:
        for seed in range(30):
            data = {"a": matrix(seed, 40, 2), "b": matrix(seed + 100, 40, 2, 1.5)}
            for one in errbar.load(data).compare("avg", "pass@2", "pass^2"):
                holds_zero = one.interval.low < 0 < one.interval.high
                assert not (one.better and holds_zero)
                assert one.better or one.interval.low <= 0 <= one.interval.high


class TestTheSameAgain:
    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_to_the_bit(self, estimand: str) -> None:
        first, second = (
            errbar.load(dict(THREE)).compare("avg", "pass@2", estimand=estimand).to_dicts()
            for _ in range(2)
        )
        assert repr(first) == repr(second)

    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_whatever_the_order_of_systems(self, estimand: str) -> None:
        found = errbar.load(THREE).compare("pass@2", estimand=estimand)
        turned = errbar.load(dict(reversed(THREE.items()))).compare("pass@2", estimand=estimand)
        mirrored = {(one.one, one.other): one for one in turned}
        for one in found:
            other = mirrored[one.other, one.one]
            assert other.difference == pytest.approx(-one.difference, abs=1e-12)
            assert (other.interval.low, other.interval.high) == pytest.approx(
                (-one.interval.high, -one.interval.low), abs=1e-9
            )
            assert other.adjusted == pytest.approx(one.adjusted, abs=1e-12)
            assert other.chance == pytest.approx(1 - one.chance, abs=1e-12)
            assert (other.wins, other.losses) == (one.losses, one.wins)
            assert other.verdict == one.verdict
            assert other.caution == one.caution


def said(difference: float, low: float, high: float, adjusted: float, **more: Any) -> Comparison:
    interval = Interval(low, high, 0.95, Estimand.POPULATION)
    about: dict[str, Any] = {"margin": 0.05, **more}
    return Comparison(
        metric=Average(),
        task="",
        one="a",
        other="b",
        value=0.5,
        against=0.5 - difference,
        difference=difference,
        sd=0.01,
        interval=interval,
        p_value=adjusted,
        adjusted=adjusted,
        chance=0.5,
        wins=5,
        ties=5,
        losses=5,
        **about,
    )


VERDICTS = {
    "a is better by more than 0.05": said(0.1, 0.06, 0.14, 1e-4),
    "b is better by more than 0.05": said(-0.1, -0.14, -0.06, 1e-4),
    "a is better, by less than 0.05": said(0.02, 0.01, 0.03, 1e-4),
    "b is better, by less than 0.05": said(-0.02, -0.03, -0.01, 1e-4),
    "a is better": said(0.06, 0.02, 0.1, 1e-4),
    "b is better": said(-0.06, -0.1, -0.02, 1e-4),
    "as good as each other, within 0.05": said(0.0, -0.04, 0.04, 1.0),
    "a is no worse than b, within 0.05": said(0.03, -0.02, 0.08, 0.3),
    "b is no worse than a, within 0.05": said(-0.03, -0.08, 0.02, 0.3),
    "inconclusive": said(0.0, -0.1, 0.1, 1.0),
}


class TestVerdicts:
    @pytest.mark.parametrize("words", VERDICTS)
    def test_in_plain_words(self, words: str) -> None:
        assert VERDICTS[words].verdict == words

    def test_without_a_margin(self) -> None:
        assert said(0.1, 0.06, 0.14, 1e-4, margin=None).verdict == "a is better"
        assert said(0.0, -0.01, 0.01, 1.0, margin=None).verdict == "inconclusive"

    def test_all_of_them_come_out_of_data(self) -> None:
        """Wins and losses among 4,000 questions, and the margin in thousandths."""
        found = set()
        cases = [(500, 10, 50), (100, 10, 50), (260, 60, 50), (50, 50, 50), (1500, 1440, 25)]
        for wins, losses, margin in [*cases, (300, 290, 5)]:
            for turned in (1, -1):
                apart = turned * np.repeat([1, -1, 0], [wins, losses, 4000 - wins - losses])
                data = {"a": (apart > 0).astype(int), "b": (apart < 0).astype(int)}
                runs = errbar.load({name: each[:, None] for name, each in data.items()})
                verdict = runs.compare("avg", margin=margin / 1000)[0].verdict
                found.add(verdict.replace(f"{margin / 1000:g}", "0.05"))
        assert found == set(VERDICTS)

    def test_no_worse_is_one_sided(self) -> None:
        one = errbar.load(THREE).compare("avg", systems=["a", "b"], margin=0.1)[0]
        apart = (THREE["a"] - THREE["b"]).mean(axis=1)
        expected = NormalDist().cdf(signs.evidence(apart + 0.1))
        assert one.no_worse == pytest.approx(expected, abs=1e-12)
        free = errbar.load(THREE).compare("avg", systems=["a", "b"])[0]
        assert math.isnan(free.no_worse)
        assert free.margin is None


class TestFew:
    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_a_single_question(self, estimand: str) -> None:
        found = errbar.load({"a": [[1, 1, 1]], "b": [[0, 0, 0]]}).compare("avg", estimand=estimand)
        assert str(found)
        assert (found[0].wins, found[0].ties, found[0].losses) == (1, 0, 0)
        if estimand == "population":
            assert found[0].reason == "a single question gives no spread"
            assert found[0].verdict == "inconclusive"
            assert math.isnan(found[0].adjusted)
            assert "no interval: a single question gives no spread" in str(found[0])

    def test_two_questions_decide_nothing(self) -> None:
        one = errbar.load({"a": [[1] * 9] * 2, "b": [[0] * 9] * 2}).compare("avg")[0]
        assert (one.interval.low, one.interval.high) == (-1.0, 1.0)
        assert one.verdict == "inconclusive"
        assert one.caution == "only 2 questions"

    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    @pytest.mark.parametrize("outcome", [0, 1])
    def test_no_difference_anywhere(self, outcome: int, estimand: str) -> None:
        same = [[outcome] * 4] * 30
        one = errbar.load({"a": same, "b": same}).compare("avg", "pass@2", estimand=estimand)[0]
        assert one.difference == 0
        assert one.p_value == one.adjusted == 1.0
        assert one.chance == 0.5
        assert one.verdict == "inconclusive"
        assert one.interval.low < 0 < one.interval.high
        assert one.interval.low == pytest.approx(-one.interval.high, abs=1e-12)
        if estimand == "population":
            assert math.isnan(one.sd)  # not 0: there was nothing to tell it from
            assert one.caution == "few questions differ: 0"

    def test_few_that_differ_are_warned_of(self) -> None:
        a = np.ones((100, 4), dtype=int)
        b = a.copy()
        b[:6] = 0
        assert errbar.load({"a": a, "b": b}).compare("avg")[0].caution == "few questions differ: 6"
        b[6:40, 0] = 0
        one = errbar.load({"a": a, "b": b}).compare("pass^4")[0]
        assert one.caution == ""

    def test_a_few_that_carry_most_of_it_are_warned_of(self) -> None:
        a = np.ones((100, 16), dtype=int)
        b = a.copy()
        b[:2] = 0
        b[2:22, 0] = 0
        one = errbar.load({"a": a, "b": b}).compare("avg")[0]
        assert one.caution == "rests on few of the 22 questions that differ"


class TestOutput:
    FOUND = errbar.load(THREE).compare("avg", "pass@2", margin=0.05)

    def test_keys_of_a_record_stay_as_they_are(self) -> None:
        assert all(list(record) == KEYS for record in self.FOUND.to_dicts())
        json.dumps(self.FOUND.to_dicts())

    def test_in_every_kind_of_frame(self) -> None:
        assert list(self.FOUND.to_pandas().columns) == KEYS
        assert self.FOUND.to_polars().columns == KEYS
        assert self.FOUND.to_arrow().column_names == KEYS
        assert len(self.FOUND.to_pandas()) == len(self.FOUND) == 6

    def test_the_table(self) -> None:
        above, _, table = str(self.FOUND).partition("\n\n")
        assert above.startswith("Matrix: 60 rows are questions")
        lines = table.splitlines()
        heads = ("metric", "systems", "difference", "95 % interval", "P(better)", "p", "verdict")
        assert all(head in lines[0] for head in (*heads, "win/tie/loss"))
        assert "task" not in lines[0]
        assert "caution" not in lines[0]
        assert len(lines[2]) <= 140
        assert repr(self.FOUND) == str(self.FOUND)
        assert any("60 questions per pair." in line for line in lines)
        assert any("Intervals are simultaneous over all 6 comparisons" in line for line in lines)

    def test_alone_it_does_not_speak_of_many(self) -> None:
        runs = errbar.load(THREE)
        single = runs.compare("avg", systems=["a", "b"])
        assert not any("comparisons" in note for note in single.notes())
        free = runs.compare("avg", adjust="none")
        assert "Comparisons are not adjusted for multiple testing." in free.notes()

    def test_in_a_notebook(self) -> None:
        shown = errbar.load({"<a>": THREE["a"], "b": THREE["b"]}).compare("avg")._repr_html_()
        assert "&lt;a&gt; − b" in shown
        assert "<a>" not in shown

    def test_names_that_a_terminal_would_obey(self) -> None:
        found = errbar.load({"a\x1b[31m": THREE["a"], "b\n": THREE["b"]}).compare("avg")
        for text in (str(found), str(found[0])):
            assert "\x1b" not in text
        assert "\n" not in str(found[0])

    def test_a_part_of_it(self) -> None:
        part = self.FOUND[1:3]
        assert len(part) == 2
        assert part.rows == self.FOUND.rows[1:3]
        assert "simultaneous over all 6 comparisons" in " ".join(part.notes())

    def test_one_line(self) -> None:
        (one,) = errbar.load(THREE).compare(PassAt(2), systems=["a", "b"])
        assert re.fullmatch(r"pass@2: b beats a by 0\.\d+ \(95% CI 0\.\d+ to 0\.\d+\)", str(one))
