"""Judgments as tools write them: Arena-Hard, MT-Bench, LangSmith, promptfoo, Argilla, Label Studio.

A record of these tools holds several games; each becomes a row of the columns of
`errbar.data.games`. AlpacaEval and LMArena write plain tables, which need nothing of this.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from errbar.base.arrays import float_of
from errbar.base.remarks import Above, guess
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.games.winners import side_of

_STRONG = 3.0  # Arena-Hard counts A>>B as three wins (Li et al. 2024)


def games_in(records: Sequence[JsonObject]) -> tuple[list[dict[str, Any]], list[Above]] | None:
    """Games of records of a known tool, with remarks; None for other records."""
    first = records[0]
    if isinstance(first.get("games"), list) and "model" in first:
        return list(_arena_hard(records)), [_arena_hard_remark(records)]
    if "g1_winner" in first and "model_1" in first:
        return list(_mt_bench(records)), _on_half_ties(records)
    if "feedback_group_id" in first and "comparative_experiment_id" in first:
        return list(_langsmith(records)), [_LANGSMITH]
    for verdicts, rows_of in (
        (_comparisons, _label_studio), (_responses, _argilla), (_selections, _promptfoo),
    ):  # fmt: skip
        if any(map(verdicts, records)):
            return list(rows_of(records)), []
    return None


def _arena_hard(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """The baseline is shown first in the first game of a record, second in the next."""
    for record in records:
        model, baseline = str(record["model"]), str(record.get("baseline") or "baseline")
        for at, game in enumerate(record["games"]):
            score = game.get("score") if isinstance(game, Mapping) else None
            sides = (baseline, model) if at % 2 == 0 else (model, baseline)
            strong = isinstance(score, str) and (">>" in score or "<<" in score)
            yield {
                "question": record.get("question_id") or record.get("uid"),
                "first": sides[0],
                "second": sides[1],
                "winner": score,
                "judge": record.get("judge"),
                "weight": _STRONG if strong else 1.0,
            }


def _arena_hard_remark(records: Sequence[JsonObject]) -> Above:
    named = "" if records[0].get("baseline") else "; the log does not name the baseline"
    return guess(f"Arena-Hard: A>>B counts as three wins, as on its leaderboard{named}")


def _mt_bench(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """Two games of a record, with the systems shown in either order."""
    for record in records:
        names = {"model_1": str(record["model_1"]), "model_2": str(record["model_2"])}
        judge = record.get("judge")
        for key, order in (
            ("g1_winner", ("model_1", "model_2")),
            ("g2_winner", ("model_2", "model_1")),
        ):
            if key not in record:
                continue
            winner = record[key]
            yield {
                "question": f"{record.get('question_id')}",
                "first": names[order[0]],
                "second": names[order[1]],
                "winner": names.get(winner, winner),
                "judge": judge[0] if isinstance(judge, list) and judge else judge,
            }


def _on_half_ties(records: Sequence[JsonObject]) -> list[Above]:
    """Say in how many records FastChat's rule gives another result."""
    games = [{record.get("g1_winner"), record.get("g2_winner")} for record in records]
    half = sum("tie" in pair and len(pair & {"model_1", "model_2"}) == 1 for pair in games)
    if not half:
        return []
    return [
        guess(
            f"MT-Bench: each game of a record counts; in {half} of {len(games)} records one of two "
            f"is a tie, which is three quarters of a win here and a tie in FastChat's win rates"
        )
    ]


_LANGSMITH = guess(
    "LangSmith: feedback of pairwise experiments; a system is an experiment (session_id), a "
    "question is a group of feedback, and the higher score wins"
)


def _langsmith(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """Feedback of one comparison shares a group; each row has the score of one run.

    The export does not say in which order the judge saw the answers.
    """
    groups: dict[tuple[str, str], list[JsonObject]] = {}
    for record in records:
        if record.get("comparative_experiment_id") is not None:
            key = str(record["feedback_group_id"]), str(record.get("key"))
            groups.setdefault(key, []).append(record)
    for (group, judge), rows in groups.items():
        for pair in combinations(sorted(rows, key=_experiment), 2):
            first, second = map(_experiment, pair)
            scores = [row.get("score") for row in pair]
            known = all(isinstance(score, int | float) for score in scores)
            winner = None
            if known:
                winner = "tie" if scores[0] == scores[1] else max(pair, key=_score)
            yield {
                "question": group,
                "first": first,
                "second": second,
                "winner": _experiment(winner) if isinstance(winner, Mapping) else winner,
                "judge": judge,
            }


def _experiment(row: JsonObject) -> str:
    return str(row.get("session_id") or row.get("run_id"))


def _score(row: JsonObject) -> float:
    return float_of(row["score"])


def _selections(record: JsonObject) -> list[JsonObject]:
    """Assertions of the kind `select-best` of a result of promptfoo."""
    grading = record.get("gradingResult")
    parts = grading.get("componentResults") if isinstance(grading, Mapping) else None
    return [
        part
        for part in parts or []
        if isinstance(part, Mapping)
        and isinstance(part.get("assertion"), Mapping)
        and part["assertion"].get("type") == "select-best"
    ]


def _promptfoo(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """The selected output of a test wins against each of the others."""
    tests: dict[str, list[tuple[str, bool]]] = {}
    for record in records:
        provider = record.get("provider")
        name = (
            provider.get("label") or provider.get("id")
            if isinstance(provider, Mapping)
            else provider
        )
        for part in _selections(record):
            tests.setdefault(str(record.get("testIdx")), []).append(
                (str(name), part.get("pass") is True)
            )
    for question, sides in tests.items():
        for (first, won), (second, lost) in combinations(sides, 2):
            if won or lost:
                winner = first if won else second
                yield {"question": question, "first": first, "second": second, "winner": winner}


def _comparisons(record: JsonObject) -> list[tuple[str, JsonObject]]:
    """Choices of `<Pairwise>`, or of a side, in a task of Label Studio, and the annotations."""
    annotations = record.get("annotations")
    return [
        (side, annotation)
        for annotation in (annotations if isinstance(annotations, list) else [])
        if isinstance(annotation, Mapping) and not annotation.get("was_cancelled")
        for part in annotation.get("result") or []
        if isinstance(part, Mapping) and isinstance(part.get("value"), Mapping)
        for side in _side(part)
    ]


def _side(part: JsonObject) -> list[str]:
    """The side that a result of an annotation chooses, if it is a choice between two sides."""
    value = part["value"]
    if part.get("type") == "pairwise":
        return [str(value.get("selected"))]
    chosen = value.get("choices")
    is_side = isinstance(chosen, list) and len(chosen) == 1 and side_of(chosen[0])
    return [str(chosen[0])] if part.get("type") == "choices" and is_side else []


def _responses(record: JsonObject) -> list[JsonObject]:
    """The submitted answers of people to the one question of a record of Argilla on two sides."""
    asked = record.get("responses")
    if not isinstance(asked, Mapping) or not isinstance(record.get("fields"), Mapping):
        return []
    sides = [
        [answer for answer in answers if isinstance(answer, Mapping) and _is_given(answer)]
        for answers in asked.values()
        if isinstance(answers, list)
    ]
    found = [answers for answers in sides if answers]
    return found[0] if len(found) == 1 else []


def _is_given(answer: JsonObject) -> bool:
    return answer.get("status", "submitted") == "submitted" and bool(side_of(answer.get("value")))


def _argilla(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """A row per answer; the systems are in the metadata or the fields of the record."""
    for record in records:
        about = record.get("metadata")
        beside = {**record["fields"], **(about if isinstance(about, Mapping) else {})}
        for answer in _responses(record):
            judge = answer.get("user_id")
            row = {"question": record.get("id"), "winner": answer["value"], "judge": judge}
            yield {**beside, **row}


def _label_studio(records: Iterable[JsonObject]) -> Iterator[dict[str, Any]]:
    """A row per annotation; the systems are in the data of the task."""
    for record in records:
        data = record.get("data")
        for side, annotation in _comparisons(record):
            by = annotation.get("completed_by")
            yield {
                **(data if isinstance(data, Mapping) else {}),
                "question": record.get("id"),
                "winner": side,
                "judge": by.get("email") or by.get("id") if isinstance(by, Mapping) else by,
            }
