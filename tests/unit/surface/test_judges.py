"""Scores of a judge corrected by labels: what is read, what is said, and what holds."""

import datetime as dt
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from benchmarks.judges import games, task
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.judges import JudgedRuns
from errbar.kernels.prediction_powered import chance_of_choice
from errbar.results.judges import CorrectedEstimate, RaterAgreement
from logs import real

Rows = list[dict[str, Any]]


def graded(
    systems: dict[str, float], *, questions: int = 60, trials: int = 1, labels: int = 30
) -> Rows:
    """Rows of systems with these shares of right answers; every fifth wrong answer is passed."""
    rng = np.random.default_rng(3)
    chosen = set(rng.permutation(questions)[:labels].tolist())
    rows = []
    for at in range(questions):
        for system, share in systems.items():
            for trial in range(trials):
                truth = int(rng.random() < share)
                passed = truth or int(rng.random() < 0.2)
                label = truth if at in chosen else None
                row = {"system": system, "question": f"q{at}", "outcome": passed, "human": label}
                rows.append({**row, "trial": trial} if trials > 1 else row)
    return rows


TWO = graded({"new": 0.8, "old": 0.5})


def corrected(*metrics: str, rows: Rows = TWO, **options: Any) -> list[CorrectedEstimate]:
    found = errbar.score(rows, *metrics, label="human", **options)
    return [row for row in found if isinstance(row, CorrectedEstimate)]


def ends(found: errbar.Scores) -> list[float]:
    return [number for row in found for number in (row.value, row.low, row.high)]


def test_a_column_a_file_and_a_table_of_labels_give_the_same_scores(tmp_path: Path) -> None:
    table = pd.DataFrame(TWO)
    labels = table[["system", "question", "human"]].dropna().rename(columns={"human": "label"})
    table.to_csv(tmp_path / "judged.csv", index=False)
    labels.to_csv(tmp_path / "labels.csv", index=False)
    table.drop(columns="human").to_csv(tmp_path / "plain.csv", index=False)
    expected = ends(errbar.score(TWO, label="human"))
    for found in (
        errbar.score(tmp_path / "judged.csv", label="human"),
        errbar.score(tmp_path / "plain.csv", labels=tmp_path / "labels.csv"),
        errbar.score(table.drop(columns="human"), labels=labels),
    ):
        assert ends(found) == pytest.approx(expected)


def test_the_score_is_the_judges_mean_plus_the_rectifier() -> None:
    row = corrected(correction="ppi")[0]
    rows = pd.DataFrame(TWO).query("system == 'new'")
    there = rows.dropna()
    others = rows[rows["human"].isna()]
    expected = others["outcome"].mean() + (there["human"] - there["outcome"]).mean()
    assert row.value == pytest.approx(expected)
    assert row.labels_alone == pytest.approx(there["human"].mean())
    assert row.judge == pytest.approx(rows["outcome"].mean())


def test_labels_alone_are_scored_like_any_outcomes() -> None:
    there = [{**row, "outcome": row["human"]} for row in TWO if row["human"] is not None]
    plain = errbar.score([{k: v for k, v in row.items() if k != "human"} for row in there])
    found = errbar.score(TWO, label="human", correction="labels")
    for mine, theirs in zip(found, plain, strict=True):
        numbers = (mine.value, mine.sd, mine.low, mine.high)
        assert numbers == pytest.approx((theirs.value, theirs.sd, theirs.low, theirs.high))


def test_questions_with_labels_of_every_trial_correct_pass_at_k() -> None:
    rows = graded({"": 0.4}, trials=4, labels=60)
    plain = [{**row, "outcome": row["human"]} for row in rows]
    expected = errbar.score([{k: v for k, v in r.items() if k != "human"} for r in plain], "pass@2")
    found = corrected("pass@2", rows=rows)
    assert found[0].value == pytest.approx(expected[0].value)  # all are labelled
    assert found[0].weight == 0.0
    (some,) = corrected("pass@2", rows=graded({"": 0.4}, trials=4, labels=30))
    assert some.labels == 30
    assert some.judge > some.value


def test_a_judge_that_favours_a_system_is_found_and_so_is_the_ranking_it_would_make() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for at in range(300):
        for system, share, favour in (("own", 0.55, 0.7), ("rival", 0.75, 0.0)):
            truth = int(rng.random() < share)
            grade = int(truth or rng.random() < favour)
            human = truth if at < 100 else None
            rows.append({"system": system, "question": at, "outcome": grade, "human": human})
    board = errbar.rank(rows, label="human")
    assert [row.system for row in board] == ["rival", "own"]
    assert (
        "Without labels, the judge's scores would rank own before rival; the labels reverse that."
        in board.notes()
    )
    assert not any("judge alone ranks" in n for n in errbar.rank(TWO, label="human").notes())
    found = errbar.agree(rows, ["outcome", "human"], truth="human", by=["system"])
    assert any("favours own over rival" in note for note in found.notes())


@pytest.mark.parametrize(("systems", "is_found"), [("ab", True), ("abcd", False)])
def test_the_more_pairs_of_systems_the_more_a_judge_must_favour_one(
    systems: str, is_found: bool
) -> None:
    rows = []
    for system in systems:
        for at in range(60):
            right = at % 2 == 0
            favoured = {"a": at < 8, "b": False}.get(system, at < 4 and right)
            grade, human = int(right or favoured), int(right and not favoured)
            rows.append({"system": system, "question": at, "judge": grade, "human": human})
    found = errbar.agree(rows, ["judge", "human"], truth="human", by=["system"])
    assert any("favours a over b" in note for note in found.notes()) is is_found


def test_equal_weights_and_clusters_of_one_question_change_nothing() -> None:
    plain = errbar.score(TWO, label="human")
    weighted = errbar.score([{**row, "weight": 2.0} for row in TWO], label="human")
    alone = errbar.score([{**row, "cluster": row["question"]} for row in TWO], label="human")
    for mine, first, second in zip(plain, weighted, alone, strict=True):
        for other in (first, second):
            numbers = (other.value, other.low, other.high)
            assert numbers == pytest.approx((mine.value, mine.low, mine.high), abs=1e-9)


def test_clusters_with_labelled_and_other_questions_widen_the_interval() -> None:
    rows = [{**row, "cluster": int(row["question"][1:]) // 10} for row in TWO]
    for wide, narrow in zip(
        errbar.score(rows, label="human"), errbar.score(TWO, label="human"), strict=True
    ):
        assert wide.high - wide.low > narrow.high - narrow.low


def test_weights_of_labels_undo_a_biased_choice() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(3000) < 0.5).astype(int)
    chosen = rng.random(3000) < np.where(truth, 0.8, 0.2)  # right answers are labelled more often
    rows = [
        {"question": f"q{at}", "outcome": int(x)} for at, x in enumerate(rng.permutation(truth))
    ]
    labels = [
        {"question": f"q{at}", "label": int(truth[at]), "weight": 1.25 if truth[at] else 5.0}
        for at in np.flatnonzero(chosen)
    ]
    found = errbar.score(rows, labels=labels)
    assert found[0].value == pytest.approx(truth.mean(), abs=0.03)
    assert "with the weights" in str(found)


def test_rewards_are_corrected_on_their_scale() -> None:
    rows = [{**row, "outcome": 5.0 * row["outcome"]} for row in TWO]
    labelled = [{**r, "human": None if r["human"] is None else 5.0 * r["human"]} for r in rows]
    found = errbar.score(labelled, label="human", bounds=(0.0, 5.0))
    for mine, theirs in zip(found, errbar.score(TWO, label="human"), strict=True):
        numbers = (mine.value / 5, mine.low / 5, mine.high / 5)
        assert numbers == pytest.approx((theirs.value, theirs.low, theirs.high), abs=1e-6)


def test_a_comparison_and_ranks_are_corrected_too() -> None:
    (pair,) = errbar.compare(TWO, label="human")
    assert pair.difference == pytest.approx(pair.value - pair.against)
    assert pair.interval.low < 0.3 < pair.interval.high
    assert (pair.p_value < 0.05) == (not pair.interval.low <= 0.0 <= pair.interval.high)
    board = errbar.rank(TWO, label="human")
    assert [row.system for row in board] == ["new", "old"]
    scores = {row.system: row for row in errbar.score(TWO, label="human")}
    for row in board:
        assert row.value == pytest.approx(scores[row.system].value)
        assert row.interval.low == pytest.approx(scores[row.system].low)


def test_a_system_against_itself_does_not_differ() -> None:
    rows = [{**row, "system": name} for row in TWO if row["system"] == "new" for name in "ab"]
    (pair,) = errbar.compare(rows, label="human")
    assert pair.difference == pytest.approx(0.0)
    assert pair.p_value == 1.0


def test_a_gate_takes_labels_of_both() -> None:
    rows = errbar.load(TWO, label="human")
    found = errbar.gate(rows, rows, "avg", max_drop=0.9, system="new", baseline_system="old")
    assert found.verdict.value == "pass"
    plain = errbar.load([{k: v for k, v in row.items() if k != "human"} for row in TWO])
    with pytest.raises(InputError, match="only the baseline has labels"):
        errbar.gate(rows, plain, "avg", max_drop=0.1, system="new", baseline_system="old")


def test_what_is_assumed_stands_above_the_numbers() -> None:
    text = str(errbar.score(TWO, label="human"))
    assert "60 of 120 judged questions have one" in text
    assert "chosen at random" in text
    assert text.index("chosen at random") < text.index("labels alone [")


def test_a_useless_judge_is_said_to_be() -> None:
    rng = np.random.default_rng(1)
    rows = [{**row, "outcome": int(rng.random() < 0.5)} for row in TWO]
    assert all(row.is_wider for row in corrected(rows=rows, correction="ppi"))
    found = errbar.score(rows, label="human", correction="ppi")
    assert "the judge does not help avg" in str(found)


def test_hidden_labels_of_real_games_are_held() -> None:
    for path in sorted(real("judge").glob("*.json")):
        picks, people = games(path)
        held = 0
        for seed in range(60):
            labels = np.full(people.size, np.nan)
            shown = np.random.default_rng(seed).permutation(people.size)[:20]
            labels[shown] = people[shown]
            low, high = task(picks[None], labels[None]).score(0).spread.ends(0.95)
            held += low <= people.mean() <= high
        assert held >= 56


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": "outcome"}, "has the outcomes"),
        ({"labels": TWO}, "two columns of the labels could have them"),
        ({"label": "human", "estimand": "benchmark"}, "population"),
        ({"label": "human", "by": ["question"]}, "no option by"),
        ({"label": "human", "correction": "best"}, "correction must be"),
        ({"labels": [{"question": "q1", "label": 1}]}, "no label is of a system"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        errbar.score(TWO, **options)


def test_labels_on_another_scale_are_refused() -> None:
    rows = [{**row, "human": None if row["human"] is None else 5 * row["human"]} for row in TWO]
    with pytest.raises(InputError, match="one scale"):
        errbar.score(rows, label="human")


def test_the_command_and_the_report_correct(tmp_path: Path) -> None:
    pd.DataFrame(TWO).to_csv(tmp_path / "judged.csv", index=False)
    log, page = str(tmp_path / "judged.csv"), tmp_path / "page.html"
    shown = CliRunner().invoke(main, ["score", log, "--label", "human", "--format", "json"])
    assert shown.exit_code == 0, shown.output
    value = errbar.score(TWO, label="human")[0].value
    assert f'"value": {value!r}' in shown.output
    made = CliRunner().invoke(main, ["report", log, "--label", "human", "-o", str(page)])
    assert made.exit_code == 0, made.output
    text = page.read_text("utf-8")
    assert "labels alone" in text
    assert "Scores are corrected by trusted labels; the judge alone gives" in text
    assert "What moves the order" not in text  # which would be that of the judge alone


def favoured(number: int = 200) -> Rows:
    """A judge that passes every answer of `new`, and none of the wrong ones of `old`."""
    rng = np.random.default_rng(5)
    rows = []
    for at in range(number):
        for system in ("new", "old"):
            human = int(rng.random() < 0.6)
            judge = 1 if system == "new" else human
            rows.append({"question": at, "system": system, "judge": judge, "human": human})
    return rows


def test_a_judge_that_favours_a_system_is_found_out() -> None:
    found = errbar.agree(favoured(), ["judge", "human"], truth="human", by=["system"])
    assert "judge favours new over old" in str(found)
    biases = {row.measure: row for row in found if row.about == "bias by system"}
    assert biases["new"].interval.low > 0.3
    assert biases["old"].value == 0.0
    fair = [{**row, "system": row["question"] % 2} for row in favoured()]
    text = str(errbar.agree(fair, ["judge", "human"], truth="human", by=["system"]))
    assert "does not significantly favour any system" in text


def one_judge(*, trials: int = 1) -> Rows:
    """Rows of two systems, of which the judge favours the first; a third is labelled."""
    rng = np.random.default_rng(4)
    rows = []
    for at in range(150):
        for system, favour in (("own", 0.7), ("rival", 0.0)):
            for trial in range(trials):
                truth = int(rng.random() < 0.5)
                grade = int(truth or rng.random() < favour)
                human = truth if at % 3 == 0 else None
                row = {"system": system, "question": f"q{at}", "trial": trial, "outcome": grade}
                rows.append({**row, "human": human})
    return rows


def agreement_of(rows: Rows, **options: Any) -> RaterAgreement:
    runs = errbar.load(rows, **options)
    assert isinstance(runs, JudgedRuns)
    return runs.agreement()


def test_the_agreement_with_labels_is_that_of_the_labelled_answers() -> None:
    rows = one_judge()
    found = agreement_of(rows, label="human")
    known = [row for row in rows if row["human"] is not None]
    expected = errbar.agree(
        known, ["outcome", "human"], truth="human", by=["system"], cluster="question"
    )
    assert [row.about for row in found] == [row.about for row in expected]
    for mine, its in zip(found, expected, strict=True):
        assert (mine.value, *mine.interval.ends) == (its.value, *its.interval.ends), mine.measure
    assert found[0].items == 100


@pytest.mark.parametrize("named", [True, False])
def test_labels_of_trials_are_matched_by_the_name_or_the_place_of_the_trial(named: bool) -> None:
    rows = one_judge(trials=3)
    known = [row for row in rows if row["human"] is not None]
    whole = errbar.agree(known, ["outcome", "human"])[0]
    plain = rows if named else [{k: v for k, v in row.items() if k != "trial"} for row in rows]
    beside = agreement_of(plain, label="human")[0]
    assert (beside.value, beside.items) == (whole.value, 300)
    labels = [{k: row[k] for k in ("system", "question", "trial", "human")} for row in known[::-1]]
    if named:
        by_name = agreement_of(rows, labels=labels, label="human")[0]
        assert (by_name.value, by_name.items) == (whole.value, 300)
    else:
        with pytest.raises(InputError, match="no label belongs to a single answer"):
            agreement_of(plain, labels=labels, label="human")


def test_labels_whose_trial_is_not_known_are_counted() -> None:
    rows = [{k: v for k, v in row.items() if k != "human"} for row in one_judge(trials=2)]
    once = [row for row in rows if row["trial"] == 0 or row["question"] != "q0"]
    labels = [
        {"system": system, "question": f"q{at}", "label": at % 2}
        for system in ("own", "rival")
        for at in range(5)
    ]
    found = agreement_of(once, labels=labels)
    assert found[0].items == 2
    assert any("8 labels not used: no trial of the judge matches" in n for n in found.notes())


def test_weights_of_sampled_labels_weigh_the_agreement() -> None:
    rows = [{k: v for k, v in row.items() if k != "human"} for row in one_judge()]
    truth = {(row["system"], row["question"]): row["human"] for row in one_judge()}
    labels = [
        {"system": system, "question": name, "label": label, "weight": 1 + int(name[1:]) % 2}
        for (system, name), label in truth.items()
        if label is not None
    ]
    found = {row.measure: row.value for row in agreement_of(rows, labels=labels)}
    judged = {(row["system"], row["question"]): row["outcome"] for row in rows}
    repeated = [
        {"judge": judged[row["system"], row["question"]], "label": row["label"]}
        for row in labels
        for _ in range(row["weight"])
    ]
    expected = {
        row.measure: row.value
        for row in errbar.agree(repeated, ["judge", "label"], truth="label")
        if row.about != "bias by system"
    }
    for measure, value in expected.items():
        tolerance = 0.003 if "alpha" in measure else 1e-12  # alpha depends on the number of rows
        assert found[measure] == pytest.approx(value, abs=tolerance), measure


def test_labels_that_were_hardly_chosen_at_random_are_doubted() -> None:
    rows = one_judge()
    truth = {(row["system"], row["question"]): int(row["question"][-1] in "02468") for row in rows}
    said = "Such a difference is unlikely if labels were chosen at random (p < 0.001)"

    def labelled(chosen: Callable[[Any], bool], **more: Any) -> Rows:
        return [
            {**row, **more, "human": truth[row["system"], row["question"]] if chosen(row) else None}
            for row in rows
        ]

    suspicious = errbar.load(labelled(lambda row: row["outcome"] == 0), label="human")
    for found in (suspicious.score(), suspicious.compare(), suspicious.rank()):
        above = " ".join(str(found).partition("[95% CI]")[0].split())
        assert (
            f"the judge's mean is 0.00 on answers with a label and 1.00 on the others. {said}"
            in (above)
        )
    for at in range(2, 6):
        fair = labelled(lambda row, at=at: int(row["question"][1:]) % at == 0)  # type: ignore[misc]
        assert said not in str(errbar.score(fair, label="human"))
    plain = [{k: v for k, v in row.items() if k != "human"} for row in rows]
    labels = [
        {"system": row["system"], "question": row["question"], "label": 1, "weight": weight}
        for row in rows
        if row["outcome"] == 0
        for weight in [1 + int(row["question"][1:]) % 2]
    ]
    assert said not in str(errbar.score(plain, labels=labels))  # by known chances


def test_the_chance_of_a_choice_is_that_of_every_choice() -> None:
    rng = np.random.default_rng(0)
    for size in range(3, 10):
        grades = rng.choice([0.0, 0.2, 1.0], size)
        high = grades > grades.mean()
        chosen = rng.permutation(size) < rng.integers(1, size)
        counts = [high[list(some)].sum() for some in combinations(range(size), int(chosen.sum()))]
        seen = high[chosen].sum()
        tails = (np.mean([count >= seen for count in counts]), np.mean([c <= seen for c in counts]))
        expected = min(1.0, 2.0 * min(tails))
        assert chance_of_choice(grades, chosen) == pytest.approx(expected)


def test_a_judge_that_favours_a_system_is_named_above_corrected_numbers(
    tmp_path: Path,
) -> None:
    rows = one_judge()
    runs = errbar.load(rows, label="human")
    fair = errbar.load([{**row, "outcome": row["human"]} for row in rows], label="human")
    for found in (runs.score(), runs.compare(), runs.rank()):
        said = str(found).partition("[95% CI]")[0]
        assert "The judge favours own over rival by" in said
    assert "favours" not in str(fair.compare())
    parts = []
    for system in ("own", "rival"):
        parts.append(tmp_path / f"{system}.csv")
        own = pd.DataFrame(rows).query(f"system == '{system}'")
        own.to_csv(parts[-1], index=False)
    asked = ["gate", *map(str, parts), "--label", "human", "--max-drop", "0.05"]
    printed = CliRunner().invoke(main, asked).output
    assert "⚠ The judge favours baseline over candidate by" in printed.partition("metric  ")[0]


def test_answers_to_one_question_are_said_to_be_taken_as_independent() -> None:
    rows, said = one_judge(), "same 'question' are taken to be independent (cluster='question' to"
    assert said in " ".join(errbar.agree(rows, ["outcome", "human"]).notes())
    clustered = errbar.agree(rows, ["outcome", "human"], cluster="question")
    once = [row for row in rows if row["system"] == "own"]
    for found in (clustered, errbar.agree(once, ["outcome", "human"])):
        assert "independent" not in str(found.notes())


def test_grades_that_no_label_ever_has_are_not_counted_as_disagreement() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"question": at, "score": round(float(rng.random()), 1) * 0.9 + 0.05, "human": at % 2}
        for at in range(40)
    ]
    found = agreement_of(rows, label="human", outcome="score")
    assert [row.about for row in found] == ["bias"]
    assert any("most ratings are values that label never has" in n.lower() for n in found.notes())
    many = [{"a": float(rng.random()), "b": float(rng.random())} for _ in range(60)]
    with pytest.raises(InputError, match="120 different values"):
        errbar.agree(many, ["a", "b"])


def test_agreement_that_falls_over_time_is_said_to() -> None:
    rows = [
        {
            "day": day,
            "judge": int((day + at) % 2 == 0),
            "human": 1 if day > 5 else (day + at + 1) % 2,
        }
        for day in range(10)
        for at in range(20)
    ]
    found = errbar.agree(rows, ["judge", "human"], truth="human", order="day")
    assert "the agreement falls over time" in str(found)
    (drift,) = [row for row in found if row.about == "drift"]
    assert drift.interval.high < 0.0


def test_words_missing_ratings_and_several_raters_agree_too(tmp_path: Path) -> None:
    rows = [
        {"a": "good", "b": "good", "c": None if at % 3 else "bad"} if at % 2 else
        {"a": "bad", "b": "bad", "c": "bad"}
        for at in range(30)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "ratings.csv", index=False)
    found = errbar.agree(tmp_path / "ratings.csv", ["a", "b", "c"])
    expected = errbar.agree(rows, ["a", "b", "c"])
    assert [row.value for row in found] == [row.value for row in expected]
    assert found[0].value == pytest.approx(1 - 5 / 30 * 2 / 3)


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([{"a": 1, "b": 1}], {}, "two categories"),
        ([{"a": 1, "b": None}, {"a": None, "b": 0}], {}, "two raters"),
        ([{"a": 1, "b": 0}], {"truth": "c"}, "not one of the raters"),
        ([{"a": "x", "b": "y"}], {"scale": "interval"}, "numbers"),
        ([{"a": 1, "c": 0}], {}, "no column 'b'"),
    ],
)
def test_ratings_that_are_refused(rows: Rows, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        errbar.agree(rows, ["a", "b"], **options)


def test_a_row_per_rating_is_read_like_a_column_per_rater() -> None:
    wide: dict[str, list[Any]] = {
        "id": [1, 2, 3, 4, 5],
        "ann": [1, 1, 0, 0, 1],
        "bob": [1, None, 0, 1, 1],
    }
    long = [
        {"id": answer, "rater": rater, "rating": wide[rater][at]}
        for rater in ("ann", "bob")
        for at, answer in enumerate(wide["id"])
    ]
    found = errbar.agree(long)
    assert [*found] == [*errbar.agree(wide, ["ann", "bob"])]
    assert any("'rater' says who rated, 'rating' how, 'id' what" in each for each in found.remarks)
    with pytest.raises(InputError, match="ann rated 1 twice; 'id' identif"):
        errbar.agree([*long, long[0]])
    with pytest.raises(InputError, match="name the columns of at least two raters"):
        errbar.agree([{"id": 1, "correct": 1}])


def test_verdicts_on_games_are_compared_by_side_and_unlike_words_are_refused() -> None:
    data = {"human": ["model_a", "model_b", "tie", "model_a"], "judge": ["A", "B", "A", "B"]}
    found = errbar.agree(data, ["human", "judge"])
    assert found[0].value == 0.5
    assert any("read as the first or second answer" in note for note in found.notes())
    with pytest.raises(InputError, match=r"'human' says 'bad', 'good', 'judge' says 'F', 'T'"):
        errbar.agree({"human": ["good", "bad"], "judge": ["T", "F"]}, ["human", "judge"])


@pytest.mark.parametrize(
    ("times", "ordered"),
    [
        ([str(at) for at in range(40)], True),
        ([f"2025-{1 + at // 28:02d}-{1 + at % 28:02d}" for at in range(40)], True),
        ([f"2025-03-01T10:{at:02d}" for at in range(40)], True),
        ([dt.date(2025, 1, 1) + dt.timedelta(days=at) for at in range(40)], True),
        ([f"{1 + at // 28}/{1 + at % 28}/2025" for at in range(40)], False),
        ([*range(39), None], False),
        (["2025-03-01", *["2025-03-01T10:00"] * 39], False),
    ],
)
def test_the_order_is_that_of_numbers_and_dates_not_of_text(
    times: list[Any], ordered: bool
) -> None:
    human = [1, 0] * 20
    judge = [*human[:20], *(1 - label for label in human[20:])]  # agrees in the earlier half only
    rows = {"judge": judge, "human": human, "at": times}
    if not ordered:
        with pytest.raises(InputError, match="the order 'at' has"):
            errbar.agree(rows, ["judge", "human"], truth="human", order="at")
        return
    found = errbar.agree(rows, ["judge", "human"], truth="human", order="at")
    assert [row.value for row in found if row.about == "drift"] == [-1.0]


def test_words_have_a_bias_a_drift_and_one_spelling() -> None:
    human = ["pass", "fail"] * 20
    judge = [*human[:20], *["Pass"] * 20]
    system = ["a" if at < 20 else "b" for at in range(40)]
    rows = {"judge": judge, "human": human, "system": system, "at": list(range(40))}
    found = errbar.agree(rows, ["judge", "human"], truth="human", by=["system"], order="at")
    values = {row.measure: row.value for row in found}
    assert values["judge − human, share of pass"] == 0.25
    assert (values["a, share of pass"], values["b, share of pass"]) == (0.0, 0.5)
    assert values["agreement, later half − earlier half"] == -0.5
    assert any("'Pass' as 'pass'" in remark for remark in found.remarks)
    with pytest.raises(InputError, match="compare a judge with a trusted rater"):
        errbar.agree(rows, ["judge", "human"], order="at")


def test_not_available_is_no_category() -> None:
    rows = {"judge": ["good", "bad", "good", "bad"], "human": ["good", "bad", "N/A", "good"]}
    found = errbar.agree(rows, ["judge", "human"])
    assert found[0].value == pytest.approx(2 / 3)
    assert any("'N/A' (1): no rating" in remark for remark in found.remarks)


def test_a_comparison_names_the_system_whose_answers_have_no_label() -> None:
    rows = [
        {"system": system, "question": at, "outcome": at % 2, "label": 1 if system == "a" else None}
        for system in "ab"
        for at in range(20)
    ]
    runs = errbar.load(rows, label="label")
    with pytest.raises(InputError, match="no answer of b has a label; label some of every system"):
        runs.compare("avg")
