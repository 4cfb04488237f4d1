"""Outcomes of systems, and everything that can be asked of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errbar import roc, selective
from errbar.data.ranked import Predictions
from errbar.data.ranked_rows import RankedRows
from errbar.data.scored import Scored
from errbar.data.slices import Slice
from errbar.data.sources import Source
from errbar.data.statistics import CategoryCounts, CountsByState
from errbar.errors import ErrbarError, InputError, NotEnoughTrials, RepeatedTrial, WrongType
from errbar.estimate import RankedEstimate, Subject
from errbar.evaluate import score
from errbar.inspection import Agreement, Inspection
from errbar.metrics import CountMetric, Metric, Needs, family, parse
from errbar.metrics.base import AnyCounts
from errbar.metrics.categories import RIGHT_OR_WRONG, CategoryMetric
from errbar.metrics.selective import RankedMetric
from errbar.scores import RankedScores, Scores
from errbar.uncertainty import Bootstrap, Posterior

Errors = Literal["fail", "missing", "bracket"]
Short = Literal["error", "drop", "posterior"]

_DOCUMENTED = Posterior()
_RESAMPLED = Bootstrap()
_MOST_ON_CURVE = 1 << 20  # the largest k of a curve that names none
_TAKEN = {"fail": "wrong", "missing": "missing"}
_SAID = {"fail": "counted as wrong", "missing": "left out"}


@dataclass(frozen=True, repr=False)
class Runs:
    """Outcomes of systems on questions, wherever they are."""

    source: Source

    def score(
        self,
        *metrics: Metric | str,
        errors: Errors = "fail",
        short: Short = "error",
        method: Posterior = _DOCUMENTED,
        level: float | None = None,
        by: Sequence[str] = (),
    ) -> Scores:
        """Every metric of every system with its interval.

        Rows without a result count as wrong (`errors="fail"`), are left out ("missing"), or are
        taken both ways ("bracket"). Questions with fewer trials than a metric draws are an error,
        are dropped and counted (`short="drop"`), or leave it to the posterior ("posterior").
        `by` names columns whose values are scored apart.
        """
        _require(errors, ("fail", "missing", "bracket"), "errors")
        _require(short, ("error", "drop", "posterior"), "short")
        asked = [_count_metric(metric) for metric in metrics]
        if level is not None:
            method = replace(method, level=level)
        found = self.source.slices(_listed(by))
        if errors == "bracket":
            worst = self._scored(_subjects(found, "wrong"), asked, "wrong", short, method)
            best = self._scored(_subjects(found, "right"), asked, "right", short, method)
            each = len(asked)
            estimates = [
                one
                for at in range(0, len(worst), each)
                for part in (worst, best)
                for one in part.estimates[at : at + each]
            ]
            return Scores(
                tuple(estimates), worst.method, (*worst.remarks, *self._remarks(found, errors))
            )
        scores = self._scored(_subjects(found), asked, _TAKEN[errors], short, method)
        return replace(scores, remarks=(*scores.remarks, *self._remarks(found, errors)))

    def curve(
        self,
        name: str,
        ks: Iterable[int] | None = None,
        *,
        errors: Errors = "fail",
        short: Short = "error",
        method: Posterior = _DOCUMENTED,
        by: Sequence[str] = (),
    ) -> Scores:
        """A metric at many k; without `ks`, at 1, 2, 4 … and the fewest trials of a question."""
        member = family(name)
        if ks is None:
            found = self.source.slices(_listed(by))
            trials = np.concatenate([_counted(one, errors).trials for one in found])
            most = int(trials[trials > 0].min(initial=_MOST_ON_CURVE))
            ks = sorted({*(2**power for power in range(most.bit_length())), most} - {0})
        members = [member(k) for k in ks]
        return self.score(*members, errors=errors, short=short, method=method, by=by)

    def selective(
        self,
        *metrics: RankedMetric | str,
        method: Bootstrap = _RESAMPLED,
        rng: np.random.Generator | int = 0,
    ) -> RankedScores:
        """Risk and coverage by confidence; a row is an item, and costs 1 unless its outcome is 1.

        Rows without a result, and those with the status `abstained`, are not answered. Resamples
        draw clusters, which are questions unless a column says otherwise.
        """
        asked = metrics or ("aurc", "augrc", "e-aurc")
        data = {
            key: Predictions(
                rows.confidence, 1.0 - np.nan_to_num(rows.outcome), rows.answered, rows.cluster
            )
            for key, rows in self._ranked().items()
        }
        results = tuple(
            _of(key, selective.estimate(metric, one, method=method, rng=rng))
            for key, one in data.items()
            for metric in asked
        )
        unanswered = sum(int((~one.answered).sum()) for one in data.values())
        return RankedScores(results, method.describe(), self._ranked_remarks(unanswered))

    def roc(
        self, *, method: Bootstrap = _RESAMPLED, rng: np.random.Generator | int = 0
    ) -> RankedScores:
        """How well the confidence tells right answers from wrong ones."""
        data = {}
        unanswered = 0
        for key, rows in self._ranked().items():
            held = rows.answered
            unanswered += int((~held).sum())
            data[key] = Scored(
                rows.confidence[held], rows.outcome[held], clusters=rows.cluster[held]
            )
        results = tuple(
            _of(key, roc.estimate(one, method=method, rng=rng)) for key, one in data.items()
        )
        return RankedScores(results, method.describe(), self._ranked_remarks(unanswered))

    def _ranked(self) -> dict[tuple[str, ...], RankedRows]:
        found = self.source.ranked_rows()
        for rows in found.values():
            held = rows.answered
            if not np.isin(rows.outcome[held], (0.0, 1.0)).all():
                raise WrongType("ranking needs outcomes of 0 and 1; there are others.")
        return found

    def _ranked_remarks(self, unanswered: int) -> tuple[str, ...]:
        remarks = [f"{unanswered} rows are not answered."] if unanswered else []
        guessed = self.source.describe()
        remarks += [f"Columns: {guessed}."] if guessed else []
        return (*remarks, *self.source.origin.remarks)

    def inspect(self) -> "Inspection":
        """What is in the data; trials that occur twice are told of, not refused."""
        repeated = ""
        try:
            found = self.source.slices(())
        except RepeatedTrial as error:
            repeated = str(error)
            found = self.source.with_repeats().slices(())
        if not any(one.questions.sum() for one in found):
            raise InputError("there is no question in the data.")
        return Inspection(
            tuple(found),
            self.source.statuses(),
            self.source.describe(),
            repeated,
            self.source.origin,
            () if repeated else tuple(self.agreements()),
        )

    def agreements(self) -> list[Agreement]:
        """Every number that the log states, beside what errbar gets for it."""
        found = []
        slices = self.source.slices(())
        for claim in self.source.origin.claims:
            try:
                own = _subjects(one for one in slices if one.key == (claim.system, claim.task))
                asked, taken = [_count_metric(claim.metric)], _TAKEN[claim.errors]
                mine = self._scored(own, asked, taken, "drop", _DOCUMENTED) if own else ()
                found.append(Agreement(claim, mine[0].value if mine else math.nan))
            except ErrbarError as error:
                found.append(Agreement(claim, math.nan, str(error)))
        return found

    def __repr__(self) -> str:
        return f"Runs({self.inspect().summary()})"

    def _scored(
        self,
        subjects: dict[Subject, Slice],
        metrics: list[CountMetric],
        taken: str,
        short: Short,
        method: Posterior,
    ) -> Scores:
        if not metrics:
            raise InputError("there is no metric to score by; name one, as in score('pass@8').")
        parts: list[Scores] = []
        remarks: list[str] = []
        if taken == "missing":
            subjects, remarks = _with_results(subjects)
        for metric in metrics:
            counts = {whose: self._counts(one, metric, taken) for whose, one in subjects.items()}
            if short == "drop":
                counts, said = _long_enough(counts, metric)
                remarks += said
            evaluated = score(
                counts,
                metric,
                method=method,
                short="posterior" if short == "posterior" else "error",
            )
            parts.append(evaluated)
        rows = [part.estimates[at] for at in range(len(subjects)) for part in parts]
        words = method.describe(metrics)
        return Scores(tuple(rows), words, tuple(remarks))

    def _counts(self, one: Slice, metric: CountMetric, taken: str) -> AnyCounts:
        if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
            return self._categories(one, metric, taken)
        if not one.is_binary:
            values = self._categories_of(one)[0]
            shown = ", ".join(f"{value + 0.0:g}" for value in values[:6])
            raise WrongType(
                f"{metric} needs outcomes of 0 and 1; there are {shown}{' …' * (len(values) > 6)}. "
                f"Metrics with weights take them: avg(weights=[…]), bayes(weights=[…]), "
                f"max@k(weights=[…]), one weight per category 0, 1, 2 …"
            )
        return one.counts(taken)

    def _categories(self, one: Slice, metric: CategoryMetric, taken: str) -> CategoryCounts:
        values, found = self._categories_of(one)
        found = found[found.sum(axis=1) > 0]
        wrong = [value for value in values if value not in range(len(metric.weights))]
        if wrong:
            raise WrongType(
                f"{metric} has weights for the outcomes 0 to {len(metric.weights) - 1}; there is "
                f"{wrong[0]:g}."
            )
        if one.failed and taken != "missing":
            raise InputError(
                f"{metric}: {one.failed} rows have no result, and no category is their own. Leave "
                f"them out: errors='missing'."
            )
        tally = np.zeros((len(found), len(metric.weights)), dtype=np.int64)
        tally[:, [int(value) for value in values]] = found
        return CategoryCounts(tally)

    def _categories_of(self, one: Slice) -> tuple[list[float], NDArray[np.int64]]:
        return self.source.categories(one.by)[one.key]

    def _remarks(self, found: list[Slice], errors: Errors) -> list[str]:
        """What was guessed, and how many rows had no result."""
        remarks = []
        failed, rows = sum(one.failed for one in found), sum(one.rows for one in found)
        if failed:
            kinds = {
                name: n for name, n in self.source.statuses().items() if name not in ("ok", "limit")
            }
            why = ", ".join(f"{name} {n}" for name, n in kinds.items())
            said = _SAID.get(errors, "taken as wrong and as right")
            remarks.append(
                f"{failed} of {rows} rows have no result{f' ({why})' if why else ''}: {said}."
            )
        guessed = self.source.describe()
        if guessed:
            remarks.append(f"Columns: {guessed}.")
        return [*remarks, *self.source.origin.remarks]


def _count_metric(metric: Metric | str) -> CountMetric:
    asked = parse(metric) if isinstance(metric, str) else metric
    if isinstance(asked, CountMetric):
        return asked
    if isinstance(asked, Metric) and asked.needs in (Needs.CONFIDENCE, Needs.LABEL):
        raise WrongType(f"{asked} is a metric of ranked items: see errbar.selective, errbar.roc.")
    raise WrongType(f"metrics are given by name or as values, as in 'pass@8'; got {metric!r}.")


def _counted(one: Slice, errors: Errors) -> CountsByState:
    return one.counts(_TAKEN.get(errors, "wrong"))


def _subjects(found: Iterable[Slice], failed: str = "") -> dict[Subject, Slice]:
    """Slices by what they are of."""
    return {
        Subject(one.key[0], one.key[1], tuple(zip(one.by, one.key[2:], strict=True)), failed): one
        for one in found
    }


def _of(key: tuple[str, ...], estimate: RankedEstimate) -> RankedEstimate:
    return replace(estimate, of=Subject(key[0], key[1]))


def _with_results(subjects: dict[Subject, Slice]) -> tuple[dict[Subject, Slice], list[str]]:
    """Questions with a result at least, and how many have none."""
    kept, said = {}, []
    for whose, one in subjects.items():
        some = one.scored > 0
        if not some.any():
            raise InputError(
                f"{str(whose) or 'the system'}: no row has a result; all are left out."
            )
        none = int(one.questions[~some].sum())
        if none:
            left = f"{none} of {int(one.questions.sum())} questions have no result at all, and are"
            said.append(f"{whose}: {left} left out.".removeprefix(": "))
        kept[whose] = one.where(some)
    return kept, said


def _long_enough(
    counts: dict[Subject, AnyCounts], metric: CountMetric
) -> tuple[dict[Subject, AnyCounts], list[str]]:
    """Questions with trials enough, and how many were dropped."""
    kept: dict[Subject, AnyCounts] = {}
    dropped: list[str] = []
    for whose, one in counts.items():
        fine = one.trials >= metric.draws
        if not fine.any():
            name = str(whose) or "the system"
            raise NotEnoughTrials(f"{name}: no question has {metric.draws} trials.")
        few = int((~fine) @ one.repeats())
        if few:
            dropped.append(
                f"{whose}: {metric} leaves out {few} of {len(one)} questions, which have fewer "
                f"than {metric.draws} trials.".removeprefix(": ")
            )
        if isinstance(one, CategoryCounts):
            names = [name for name, good in zip(one.questions, fine, strict=True) if good]
            kept[whose] = CategoryCounts(one.tally[fine], names)
        else:
            often = one.repeats()[fine].astype(np.int64)
            kept[whose] = CountsByState(one.trials[fine], one.correct[fine], often)
    return kept, dropped


def _require(value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")


def _listed(by: Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
