"""Ratings that tools nest: Label Studio, Argilla, and the two collections called JudgeBench.

A record of these tools holds several ratings of an answer; each becomes a row with the columns
`rater`, `rating`, `question` and, where several things are asked of an answer, `task`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, guess, some_of
from errbar.data.readers.documents import JsonObject

_REVERSED = {"A>B": "B>A", "B>A": "A>B", "A<B": "B<A", "B<A": "A<B"}
_Rows = Iterator[dict[str, Any]]


def ratings_in(records: Sequence[JsonObject]) -> tuple[list[dict[str, Any]], list[Above]] | None:
    """A row per rating of records of a known tool, with remarks; None for other records."""
    first = records[0]
    if isinstance(first.get("instances"), list) and isinstance(first.get("annotations"), list):
        rows, remark = list(_instances(first["instances"])), _BY_PLACE
    elif "label" in first and any(map(_has_decision, records)):
        rows, remark = list(_judged_pairs(records)), _BOTH_ORDERS
    elif isinstance(first.get("fields"), Mapping) and isinstance(first.get("responses"), Mapping):
        rows, remark = list(_argilla(records)), guess("Argilla: submitted responses, suggestions")
    elif isinstance(first.get("data"), Mapping) and isinstance(first.get("annotations"), list):
        rows, remark = list(_label_studio(records)), guess("Label Studio: annotations, predictions")
    else:
        return None
    if not rows:
        return None
    asked = list(dict.fromkeys(row["task"] for row in rows))
    if len(asked) == 1:
        for row in rows:
            del row["task"]
        return rows, [remark]
    words = f"{len(asked)} things are asked of an answer ({some_of(asked)}), and taken together"
    return rows, [remark, guess(f"{words}; a file for each keeps them apart")]


_BY_PLACE = guess(
    "JUDGE-BENCH: individual_human_scores; a rater is a place in these lists, whoever that was"
)
_BOTH_ORDERS = guess(
    "JudgeBench: decisions of the judge beside the label; the second, made with the answers in "
    "reverse order, is turned round"
)


def _has_decision(record: JsonObject) -> bool:
    found = record.get("judgments")
    return isinstance(found, list) and any(
        isinstance(each, Mapping) and "decision" in each for each in found
    )


def _instances(instances: Iterable[Any]) -> _Rows:
    """The human scores of every metric of an instance."""
    for instance in instances:
        for metric, found in instance.get("annotations", {}).items():
            scores = found.get("individual_human_scores")
            for at, score in enumerate(scores if isinstance(scores, list) else [], start=1):
                yield _row(instance.get("id"), metric, f"human {at}", score)


def _judged_pairs(records: Iterable[JsonObject]) -> _Rows:
    """A row for each order in which the judge saw a pair, and one of the label beside each."""
    for record in records:
        beside = {key: record[key] for key in ("source", "response_model") if key in record}
        judge = next(
            (
                str(found["judgment"]["judge_model"])
                for found in record["judgments"]
                if isinstance(found, Mapping)
                and isinstance(found.get("judgment"), Mapping)
                and found["judgment"].get("judge_model")
            ),
            str(record.get("judge_name") or "judge"),
        )
        for order, found in enumerate(record["judgments"]):
            decision = found.get("decision") if isinstance(found, Mapping) else None
            if order % 2 and isinstance(decision, str):
                decision = _REVERSED.get(decision, decision)
            for rater, rating in ((judge, decision), ("label", record["label"])):
                row = _row(record.get("pair_id"), "", rater, rating)
                yield {**beside, **row, "trial": order}


def _argilla(records: Iterable[JsonObject]) -> _Rows:
    """Submitted responses of people, and suggestions of models, by question asked."""
    for record in records:
        about = record.get("metadata")
        beside = dict(about) if isinstance(about, Mapping) else {}
        for asked, answers in record["responses"].items():
            for answer in answers if isinstance(answers, list) else []:
                if answer.get("status", "submitted") == "submitted":
                    who = answer.get("user_id")
                    yield {**beside, **_row(record.get("id"), asked, who, answer.get("value"))}
        suggested = record.get("suggestions")
        for asked, found in suggested.items() if isinstance(suggested, Mapping) else ():
            if isinstance(found, Mapping):
                who = found.get("agent") or "suggestion"
                yield {**beside, **_row(record.get("id"), asked, who, found.get("value"))}


def _label_studio(records: Iterable[JsonObject]) -> _Rows:
    """Choices, stars and numbers of annotations, and those that a model predicted."""
    for record in records:
        data = record.get("data")
        beside = dict(data) if isinstance(data, Mapping) else {}
        annotated = [
            (_who(each.get("completed_by")), each)
            for each in record.get("annotations") or []
            if isinstance(each, Mapping) and not each.get("was_cancelled")
        ]
        predicted = [
            (each.get("model_version") or "prediction", each)
            for each in record.get("predictions") or []
            if isinstance(each, Mapping)
        ]
        for who, each in [*annotated, *predicted]:
            for part in each.get("result") or []:
                value = part.get("value") if isinstance(part, Mapping) else None
                kind = str(part.get("type")) if isinstance(value, Mapping) else ""
                if isinstance(value, Mapping) and kind in ("choices", "rating", "number"):
                    row = _row(record.get("id"), part.get("from_name"), who, value.get(kind))
                    yield {**beside, **row}


def _who(by: Any) -> Any:
    return by.get("email") or by.get("id") if isinstance(by, Mapping) else by


def _row(question: Any, asked: Any, rater: Any, rating: Any) -> dict[str, Any]:
    """A rating; several choices at once are a category of their own."""
    if isinstance(rating, list):
        rating = ", ".join(sorted(map(str, rating)))
    return {"question": question, "task": str(asked), "rater": str(rater), "rating": rating}
