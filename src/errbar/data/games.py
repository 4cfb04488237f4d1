"""Games: preferences between the answers of two systems to one question.

| column | meaning |
|---|---|
| `first`, `second` | the two systems; `first` is the one shown first, if an order is known |
| `winner` | which of them is preferred, a tie, or a grade in between |
| `question` | id of the prompt; games of one prompt belong together |
| `judge` | who preferred: a person or a model |
| `cluster`, `weight` | as in the outcomes table |

A row is one game. Only `first`, `second` and `winner` are required.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from errbar.base.arrays import Array, Integers, float_of
from errbar.base.remarks import Above, way_to_say
from errbar.data.columns import list_names, named_like, plain_name, unknown_name
from errbar.data.readers.logs import Accounts
from errbar.errors import InputError, UnknownColumn
from errbar.kernels.bradley_terry import GameRows

# Names that tools use for each column, the most likely first.
USUAL_GAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "first": (
            *("model_a", "system_a", "model_1", "model1", "generator_1", "player_a", "agent_a"),
            *("model_left", "left_model", "candidate_a", "assistant_a", "a", "system_1", "name_a"),
            *("response_a_model", "answer_a_model", "output_a_model", "model_a_name", "a_model"),
        ),
        "second": (
            *("model_b", "system_b", "model_2", "model2", "generator_2", "player_b", "agent_b"),
            *("model_right", "right_model", "candidate_b", "assistant_b", "b", "system_2"),
            *("name_b", "response_b_model", "answer_b_model", "output_b_model", "model_b_name"),
            "b_model",
        ),
        "winner": (
            *("winner", "preference", "human_winner", "preferred", "human_preference", "verdict"),
            *("judge_pick", "pick", "vote", "choice", "result", "outcome", "label", "judgment"),
            *("judgement", "winner_model", "better", "judge_verdict"),
        ),
        "question": (
            *("question_id", "prompt_id", "instruction_id", "conversation_id", "example_id"),
            *("item_id", "case_id", "sample_id", "task_id", "scenario_id", "target_id"),
            *("eval_question_id", "item", "id", "uid", "qid", "instruction", "prompt", "question"),
        ),
        "judge": (
            *("annotator", "judge_model", "judge_name", "rater", "annotator_id", "judge_id"),
            *("worker_id", "participant_id", "prolific_pid", "evaluator", "grader"),
        ),
        "cluster": ("group",),
        "weight": ("weights",),
    }
)


@dataclass(frozen=True)
class Games:
    """Games between named systems, with remarks on how they were read."""

    systems: tuple[str, ...]
    rows: GameRows
    questions: tuple[str, ...]  # id of each cluster; empty if every game stands alone
    _: KW_ONLY
    judges: tuple[str, ...] = ()
    judge: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    controls: tuple[str, ...] = ()  # names of the columns of `rows.controls`
    remarks: tuple[str, ...] = ()
    accounts: Accounts = field(default_factory=Accounts)

    def __len__(self) -> int:
        return int(self.rows.first.size)

    def __repr__(self) -> str:
        return f"Games({len(self.systems)} systems, {len(self)} games)"

    def by_judge(self) -> dict[str, "Games"]:
        """The games of each judge."""
        if not self.judges:
            raise InputError("these games have no column with the judge.")
        return {name: self.where(self.judge == at) for at, name in enumerate(self.judges)}

    def where(self, rows: Any) -> "Games":
        """Games of a mask, with the systems that play in them."""
        part = self.rows.part(rows)
        present = np.unique(np.concatenate([part.first, part.second]))
        place = np.zeros(len(self.systems), dtype=np.int64)
        place[present] = np.arange(present.size)
        kept = np.unique(self.rows.cluster[rows])
        return replace(
            self,
            systems=tuple(self.systems[at] for at in present),
            rows=replace(
                part, systems=present.size, first=place[part.first], second=place[part.second]
            ),
            questions=tuple(self.questions[at] for at in kept) if self.questions else (),
            judge=self.judge[rows] if self.judge.size else self.judge,
        )

    def hubs(self) -> list[str]:
        """Systems that take part in every game."""
        both = zip(self.rows.first, self.rows.second, strict=True)
        common = set(next(both, ()))
        for pair in both:
            common &= set(pair)
            if not common:
                break
        return sorted(self.systems[at] for at in common)

    def outcomes(self, baseline: str) -> dict[str, list[Any]]:
        """Results of the games against a baseline, as columns of an outcomes table."""
        if baseline not in self.systems:
            raise UnknownColumn(unknown_name(baseline, list(self.systems), "there is no system"))
        at, rows = self.systems.index(baseline), self.rows
        played = (rows.first == at) | (rows.second == at)
        other = np.where(rows.first == at, rows.second, rows.first)[played]
        result = np.where(rows.first == at, 1.0 - rows.result, rows.result)[played]
        if not played.any():
            raise InputError(f"{baseline!r} plays no game.")
        questions = (
            [self.questions[at] for at in rows.cluster[played]]
            if self.questions
            else [str(at) for at in rows.cluster[played]]
        )
        outcomes = {
            "system": [self.systems[at] for at in other],
            "question": questions,
            "outcome": result.tolist(),
        }
        weight = rows.weight[played]
        if np.all(weight == 1.0):
            return outcomes
        return _one_weight_per_question({**outcomes, "weight": weight.tolist()})

    def against(self, baseline: str) -> dict[str, list[float]]:
        """Results of each other system against a baseline."""
        if baseline not in self.systems:
            raise UnknownColumn(unknown_name(baseline, list(self.systems), "there is no system"))
        at, rows = self.systems.index(baseline), self.rows
        results: dict[str, list[float]] = {}
        for own, other, sign in ((rows.first, rows.second, 1), (rows.second, rows.first, -1)):
            some = other == at
            for system, result in zip(own[some], rows.result[some], strict=True):
                mine = float(result if sign > 0 else 1.0 - result)
                results.setdefault(self.systems[system], []).append(mine)
        return results


def _one_weight_per_question(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Games of a system on a question as one, if their weights differ: their weighted mean."""
    groups: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(columns["system"], columns["question"], strict=True)):
        groups.setdefault(key, []).append(at)
    weight, outcome = (np.asarray(columns[name], dtype=float) for name in ("weight", "outcome"))
    if all(np.ptp(weight[rows]) == 0.0 for rows in groups.values()):
        return columns
    return {
        "system": [system for system, _ in groups],
        "question": [question for _, question in groups],
        "outcome": [
            float(np.average(outcome[rows], weights=weight[rows])) for rows in groups.values()
        ],
        "weight": [float(weight[rows].mean()) for rows in groups.values()],
    }


def refuse_games(names: Sequence[str]) -> None:
    """Raise an error if columns are those of games, which are not outcomes of one system."""
    sides = ({plain_name(name) for name in USUAL_GAMES[side]} for side in ("first", "second"))
    if all(named_like(names, frozenset(side)) for side in sides):
        rate = way_to_say("`errbar prefer`", "`errbar.prefer`")
        raise UnknownColumn(
            f"each row compares two systems; such tables of preferences are for {rate}. The "
            f"columns are {list_names(names)}."
        )


def games_of(columns: Mapping[str, Sequence[Any]], remarks: Sequence[Above] = ()) -> Games:
    """Games from columns of equal length: systems, results from 0 to 1, and further columns.

    Columns other than those of `USUAL_GAMES` and `result` are controls: numbers, each that of the
    first system less that of the second.
    """
    systems: dict[str, int] = {}
    first = _codes(columns["first"], systems)
    second = _codes(columns["second"], systems)
    number = first.size
    questions: dict[str, int] = {}
    judges: dict[str, int] = {}
    grouping = columns.get("cluster") or columns.get("question")
    cluster = _codes(grouping, questions) if grouping else np.arange(number)
    judge = (
        _codes(columns["judge"], judges) if columns.get("judge") else np.zeros(0, dtype=np.int64)
    )
    known = {*USUAL_GAMES, "result"}
    controls = tuple(name for name in columns if name not in known)
    values = [_standardise(np.asarray(columns[name], dtype=float)) for name in controls]
    order = sorted(systems)
    place = np.array([order.index(name) for name in systems], dtype=np.int64)
    rows = GameRows(
        systems=len(order),
        first=place[first],
        second=place[second],
        result=np.asarray(columns["result"], dtype=float),
        weight=weights_of(columns["weight"]) if "weight" in columns else np.ones(number),
        cluster=cluster,
        controls=np.stack(values, axis=1) if values else np.zeros((number, 0)),
    )
    return Games(
        tuple(order),
        rows,
        tuple(questions),
        judges=tuple(judges),
        judge=judge,
        controls=controls,
        remarks=tuple(remarks),
    )


def _codes(values: Sequence[Any], known: dict[str, int]) -> Integers:
    """Index of each value in `known`, which grows."""
    return np.array([known.setdefault(str(value), len(known)) for value in values], dtype=np.int64)


def weights_of(values: Sequence[Any]) -> Array:
    """Weights of games, which are positive numbers."""
    try:
        weights = np.array([float_of(value) for value in values])
    except (TypeError, ValueError):  # none, or a text
        weights = np.array([math.nan])
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise InputError("the weight of a game must be a positive number.")
    return weights


def require_control(values: Array) -> Array:
    """Refuse a control that is unknown or infinite in some game."""
    if not np.isfinite(values).all():
        raise InputError("a control must be a number in every game.")
    return values


def _standardise(values: Array) -> Array:
    """A control as tanh(value / sd), the form of Dubois et al. (2024): outliers stay bounded.

    The same value in every game, as that of being shown first, is 1 or −1.
    """
    require_control(values)
    _, exponent = np.frexp(np.abs(values).max(initial=0.0))
    scaled = np.ldexp(values, -exponent)  # exactly, so that squares stay within the range of floats
    spread = float(scaled.std())
    return np.tanh(scaled / spread) if spread > 0 else np.sign(values)
