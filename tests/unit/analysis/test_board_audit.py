"""Audits of leaderboards: what moves the order, by leaving out questions one by one."""

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.kernels.leave_out import PartMeans, fewest_left_out, ranks_without

Row = dict[str, Any]


def board(**rates: float) -> list[Row]:
    rng = np.random.default_rng(3)
    return [
        {"system": system, "question": f"q{at}", "cluster": f"c{at // 4}", "outcome": int(right)}
        for system, rate in rates.items()
        for at, right in enumerate(rng.random(24) < rate)
    ]


def by_hand(rows: list[Row], left_out: set[str], key: str = "question") -> dict[str, float]:
    """Scores by plain Python without some questions or clusters."""
    kept = [row for row in rows if row[key] not in left_out]
    names = dict.fromkeys(row["system"] for row in rows)
    return {
        name: sum(row["outcome"] for row in kept if row["system"] == name)
        / sum(row["system"] == name for row in kept)
        for name in names
    }


def leaders(scores: dict[str, float]) -> set[str]:
    return {name for name, own in scores.items() if own > max(scores.values()) - 1e-12}


@pytest.mark.parametrize("key", ["question", "cluster"])
def test_ranks_without_a_question_or_cluster_as_counted_by_hand(key: str) -> None:
    rows = board(a=0.6, b=0.55, c=0.5, d=0.2)
    found = errbar.audit_board(rows)
    units = sorted({row[key] for row in rows})
    each = [by_hand(rows, {unit}, key) for unit in units]
    for row in found:
        ranks = [1 + sum(x > own[row.system] + 1e-12 for x in own.values()) for own in each]
        shown = row.without_question if key == "question" else row.without_cluster
        assert shown == (min(ranks), max(ranks))
    usual = leaders(by_hand(rows, set()))
    changed = sum(leaders(own) != usual for own in each)
    assert len(found.by_question if key == "question" else found.by_cluster) == changed


def test_the_fewest_questions_are_those_of_all_subsets() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        values, weights = rng.integers(0, 3, (2, 7)) / 2.0, rng.integers(1, 3, 7).astype(float)
        part = PartMeans(values, weights, np.arange(7), 1.0)
        first, second = np.argsort(-part.means)[:2]
        apart = (values[first] - values[second]) * weights
        sizes = [
            size
            for size in range(7)
            for some in combinations(range(7), size)
            if apart.sum() - apart[list(some)].sum() <= 1e-12
        ]
        found = fewest_left_out([part], int(first), int(second))
        assert found.number == min(sizes, default=math.inf)
        if 0 < found.number < math.inf:
            assert apart.sum() - apart[found.questions].sum() <= 1e-12


def test_of_several_tasks_a_question_moves_its_share() -> None:
    rng = np.random.default_rng(1)
    parts = [
        PartMeans(rng.random((3, size)), np.ones(size), np.arange(size), share)
        for size, share in ((5, 0.3), (9, 0.7))
    ]
    ranks = ranks_without(parts, 1, np.arange(9))
    for at in range(9):
        kept = np.delete(parts[1].values, at, axis=1).mean(axis=1)
        scores = 0.3 * parts[0].values.mean(axis=1) + 0.7 * kept
        assert ranks[:, at].tolist() == [1 + (scores > own).sum() for own in scores]


def test_what_separates_the_first_from_the_second_is_stated() -> None:
    rows = board(a=0.95, b=0.4, c=0.35)
    found = errbar.audit_board(rows)
    first, second = (row.system for row in found[:2])
    assert first == "a"
    assert found.pairs[0].leader == "a"
    text = str(found)
    assert f"Leaving out {len(found.decisive)} of 24 questions puts {second} level or ahead" in text
    assert "None of 24 questions changes who is first if it alone is left out." in text
    assert "None of 6 clusters changes" in text
    ahead = {change.left_out for change in found.decisive}
    scores = by_hand(rows, ahead)
    assert scores[second] >= scores["a"] - 1e-12


def test_the_lead_is_that_of_the_comparison_of_all_pairs() -> None:
    rows = board(a=0.8, b=0.6, c=0.55, d=0.5, e=0.2)
    found = errbar.audit_board(rows)
    (pair,), (lead,) = found.pairs, [found.board.lead]
    assert lead is not None
    assert pair.interval.ends == pytest.approx(lead.interval.ends)
    all_pairs = errbar.compare(rows)
    (same,) = (row for row in all_pairs if {row.first, row.second} == {pair.first, pair.second})
    assert (pair.adjusted, pair.p_value) == (same.adjusted, same.p_value)
    assert f"{found.needed:.2g}" == f"{24 * ((2.807 + 0.842) * pair.sd / pair.difference) ** 2:.2g}"


def test_the_lead_on_more_questions_than_all_systems_have_says_so() -> None:
    rows = [
        row for row in board(a=0.9, b=0.5, c=0.2) if row["system"] != "c" or row["question"] < "q2"
    ]
    said = errbar.audit_board(rows).on_the_lead()[0]
    assert said.startswith("On the 24 questions that both have: inconclusive: a leads b by ")


def test_systems_that_are_level_need_no_question() -> None:
    rows = board(a=0.6, c=0.2)
    rows += [row | {"system": "twin"} for row in rows if row["system"] == "a"]
    found = errbar.audit_board(rows)
    assert found[0].undone_by == 0.0
    assert "a and twin have the same" in str(found)


def test_losses_are_better_if_lower() -> None:
    rows = [
        {"system": s, "question": f"q{at}", "outcome": int(at % 3 == 0), "confidence": c}
        for s, c in (("sharp", 0.4), ("off", 0.9))
        for at in range(30)
    ]
    found = errbar.audit_board(rows, "brier")
    assert [row.system for row in found] == ["sharp", "off"]
    assert found[0].without_question == (1, 1)


@pytest.mark.parametrize(
    ("metric", "said"),
    [("geo-spectrum@2", "not a mean over questions"), ("aurc", "metric of ranked items")],
)
def test_metrics_that_are_no_means_are_refused(metric: str, said: str) -> None:
    rows = [row | {"trials": 4, "correct": 2 * row["outcome"] + 1, "confidence": 0.5}
            for row in board(a=0.6, b=0.5)]  # fmt: skip
    for row in rows:
        del row["outcome"]
    with pytest.raises((InputError, errbar.errors.WrongType), match=said):
        errbar.audit_board(rows, metric)


def test_one_system_is_no_board() -> None:
    with pytest.raises(InputError):
        errbar.audit_board(board(a=0.5))


def test_the_command_writes_a_page_for_the_board(tmp_path: Path) -> None:
    log, page = tmp_path / "board.json", tmp_path / "board.html"
    log.write_text(json.dumps(board(a=0.7, b=0.6, c=0.2)), "utf-8")
    command = ["audit-board", str(log), "--format", "json"]
    done = CliRunner().invoke(main, [*command, "--page", str(page)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    audit = errbar.audit_board(log)
    assert [row["system"] for row in found["rows"]] == [row.system for row in audit]
    assert len(found["decisive_questions"]) == len(audit.decisive)
    html = page.read_text("utf-8")
    assert "What separates the first from the second" in html
    assert "http" not in html.replace("http-equiv", "")
    refused = CliRunner().invoke(main, [*command, "--page", str(tmp_path / "board.pdf")])
    assert refused.exit_code == 2
    assert "ends in .html" in refused.output


@pytest.mark.parametrize("verb", ["noise", "cost", "scaling", "audit_board"])
def test_what_labels_do_not_correct_is_refused(verb: str) -> None:
    rows = [row | {"human": row["outcome"] if at % 2 else None}
            for at, row in enumerate(board(a=0.7, b=0.5))]  # fmt: skip
    runs = errbar.load(rows, label="human")
    with pytest.raises(InputError, match="not corrected by labels"):
        getattr(runs, verb)()
