"""Outcomes that a judge graded, with trusted labels of some questions: corrected analyses."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NoReturn

from errbar.analysis.agreement import AgreementRequest, RatingScale, agreement_of
from errbar.analysis.alignment import Policy
from errbar.analysis.compare import ComparisonRequest, compare_systems
from errbar.analysis.corrected_scores import (
    RATERS,
    CorrectionRequest,
    changed_ranks,
    corrected_scores,
    labelled_answers,
    remarks_on_favour,
    remarks_on_labels,
    require_common_questions,
    scores_by_rates,
)
from errbar.analysis.corrections import (
    CorrectedDifferences,
    CorrectedPart,
    CorrectedScores,
    Correction,
    Labels,
)
from errbar.analysis.evaluate import chosen_method
from errbar.analysis.labelling import LabellingRequest, labelling_of, remarks_on_choice
from errbar.analysis.methods import Calibrated
from errbar.analysis.rank import rank_systems
from errbar.analysis.rank_scores import RankRequest, RankScoring
from errbar.analysis.readings import remarks_on
from errbar.analysis.score import scored_metric
from errbar.base.arguments import checked, number, require_text, texts
from errbar.base.remarks import Caution, counted, way_to_say
from errbar.data.ratings import ratings_of, read_ratings
from errbar.data.readers.choices import Choice, HowToRead
from errbar.data.readers.tables.file_roles import read_beside_labels, require_one_label
from errbar.data.sources.joined import JoinedSource, SystemPart
from errbar.data.sources.tables import TableSource
from errbar.errors import InputError, WrongType
from errbar.kernels.prediction_powered import KnownRate
from errbar.metrics import Metric
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand
from errbar.results.judges import CorrectedScoreTable, LabellingPlan, RaterAgreement
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores
from errbar.runs import Runs
from errbar.verbs import loaded

_DEFAULT_METRICS = ("avg",)
_METHOD = (
    "prediction-powered inference: the judge's mean over questions without a label, corrected by "
    "the labelled ones; Bayesian bootstrap over both with one unseen question at the bound "
    "(Gaffke), combined by MOVER"
)


def _refuse_method(verb: str) -> Any:
    """Return a method that is not corrected by labels: an error."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise InputError(
            f"{verb} is not corrected by labels; score, compare, rank, gate and report are. Leave "
            f"out {way_to_say('--labels', 'labels')} for the judge's own outcomes."
        )

    return refuse


@dataclass(frozen=True, repr=False)
class JudgedRuns(Runs):
    """Outcomes graded by a judge, whose scores are corrected by labels."""

    labels: Labels

    def score(self, *metrics: Metric | str, **options: Any) -> CorrectedScoreTable:
        """Corrected metrics of every system; keywords are those of `Runs.score`."""
        known = ("errors", "short", "estimand", "method", "level", "bounds")
        _require_known("score", options, known)
        method = chosen_method(
            options.get("method"), estimand=None, level=options.get("level") or 0.95
        )
        request = CorrectionRequest(
            metrics=[scored_metric(metric) for metric in metrics or _DEFAULT_METRICS],
            policy=_policy(options),
            level=method.level,
            normal=not isinstance(method, Calibrated),
            bounds=options.get("bounds"),
        )
        scores = corrected_scores(self.source, self.labels, request)
        return replace(scores, remarks=(*scores.remarks, *self._remarks(options)))

    def compare(self, *metrics: Metric | str, **options: Any) -> Comparisons:
        """Compare corrected scores, pair by pair; keywords are those of `Runs.compare`."""
        known = ("systems", "baseline", "margin", "adjust")
        beside = ("estimand", "level", "bounds", "errors", "short", "assume", "rng")
        _require_known("compare", options, (*known, *beside))
        policy = _policy(options)
        request = ComparisonRequest(
            [scored_metric(metric) for metric in metrics or _DEFAULT_METRICS],
            **{name: options[name] for name in known if name in options},
            intervals=_intervals(options),
        )
        differences = partial(CorrectedDifferences, labels=self.labels)
        comparisons = compare_systems(self.source, request, policy, differences)
        remarks = (*comparisons.remarks, *self._remarks(options))
        return replace(comparisons, remarks=remarks, method=_METHOD)

    def rank(self, metric: Metric | str = "avg", **options: Any) -> Leaderboard:
        """Rank by corrected scores; keywords are those of `Runs.rank`."""
        known = ("systems", "weights")
        beside = ("estimand", "level", "bounds", "errors", "short")
        _require_known("rank", options, (*known, *beside))
        policy, intervals = _policy(options), _intervals(options)
        own = {name: options[name] for name in known if name in options}
        scoring = RankScoring(partial(CorrectedPart, labels=self.labels), CorrectedScores, _METHOD)
        request = RankRequest(scored_metric(metric), **own, intervals=intervals)
        board = rank_systems(self.source, request, policy, scoring)
        alone = self.score(metric, bounds=intervals.bounds)
        remarks = (*board.remarks, *changed_ranks(board, alone), *self._remarks(options))
        return replace(board, remarks=remarks)

    def agreement(self, level: float = 0.95) -> RaterAgreement:
        """How far the judge agrees with the labels, and which systems it favours."""
        answers, lost = labelled_answers(self.source, self.labels)
        if not answers:
            raise InputError(
                "no label belongs to a single answer of the judge, so agreement cannot be measured."
            )
        ratings = ratings_of(answers, RATERS)
        scale: RatingScale = "nominal" if ratings.ratings.categories == 2 else "interval"
        request = AgreementRequest(scale=scale, truth=RATERS[1], level=level, corrects=True)
        agreement = agreement_of(ratings, request)
        if lost:
            note = f"{counted(lost, 'label')} not used: no trial of the judge matches."
            agreement = replace(agreement, remarks=(*agreement.remarks, Caution(note)))
        return agreement

    curve = _refuse_method("curve")
    scaling = _refuse_method("scaling")
    selective = _refuse_method("selective")
    roc = _refuse_method("roc")
    items = _refuse_method("items")
    noise = _refuse_method("noise")
    cost = _refuse_method("cost")
    audit_board = _refuse_method("audit-board")
    calibration = _refuse_method("calibration")
    monitor = _refuse_method("monitor")

    def _remarks(self, options: dict[str, Any]) -> list[str]:
        errors = options.get("errors", "fail")
        level = options.get("level") or 0.95
        return [
            *remarks_on_choice(self.source, self.labels),
            *remarks_on_favour(self.source, self.labels, level),
            *remarks_on_labels(self.source, self.labels),
            *remarks_on(self.source, self.source.slices(()), errors),
        ]


Rate = float | tuple[float, float]
Read = Callable[[HowToRead, Choice], Runs]


def judged_runs(
    read: Read,
    how: HowToRead,
    choice: Choice,
    read_labels: Read | None,
    label: str | None,
    correction: Correction,
) -> Runs:
    """Read outcomes with trusted labels, or with those in the column or scorer `label`."""
    require_text(label=label)
    if read_labels is not None:
        both = read_beside_labels(read, read_labels, how, choice, label)
        judged, trusted = both[0].source, both[1].source
        if label is None:
            require_one_label(trusted.outcome_column, trusted.unused_columns())
    else:
        judged = read(how, choice).source
        if judged.origin.reader:
            choice = replace(choice, scorer=label)
        elif judged.outcome_column == label:
            raise InputError(f"the column {label!r} has the outcomes; labels need another column.")
        else:
            how = replace(how, assignment={**how.assignment, "outcome": label})
        trusted = read(how, choice).source
        judged = judged.using(label or "") if isinstance(judged, TableSource) else judged
    sampled = read_labels is not None  # weights of labels are those of sampling
    matched = Labels.match(judged, trusted, sampled=sampled, correction=correction)
    require_common_questions(judged, matched)
    return JudgedRuns(judged, matched)


def joined_runs(runs: Mapping[str, Runs], parts: Mapping[str, SystemPart]) -> Runs:
    """One system of each of several runs together, with their labels if they have any."""
    judged = {name: each.labels for name, each in runs.items() if isinstance(each, JudgedRuns)}
    if not judged:
        return Runs(JoinedSource.of(parts))
    if len(judged) < len(runs):
        raise InputError(f"only the {next(iter(judged))} has labels; give labels for both logs.")
    labelled = {}
    for name, labels in judged.items():
        system = labels.systems.get(parts[name].system)
        if system is None:
            raise InputError(f"there is no label of the {name}.")
        labelled[name] = SystemPart(labels.source, system)
    if len({(part.source.where, part.system) for part in labelled.values()}) < len(labelled):
        raise InputError("the labels do not name their system; add a column 'system' to them.")
    tasks = {task: own for labels in judged.values() for task, own in labels.tasks.items()}
    first = next(iter(judged.values()))
    systems = {name: name for name in parts}
    joined = replace(first, source=JoinedSource.of(labelled), systems=systems, tasks=tasks)
    return JudgedRuns(JoinedSource.of(parts), joined)


@checked
def score_by_rates(
    data: Any,
    *,
    sensitivity: Rate,
    specificity: Rate,
    level: float = 0.95,
    errors: Literal["fail", "missing"] = "fail",
    **reading: Any,
) -> Scores:
    """Score systems by a judge whose rates are known from other answers (Rogan and Gladen 1978).

    Parameters
    ----------
    data
        Outcomes that the judge graded as right or wrong: anything that `load` takes.
    sensitivity
        The share of right answers that the judge passes: a pair (passed, total) from labelled
        answers, or a number that is known exactly.
    specificity
        The share of wrong answers that the judge fails, given in the same way.
    level, errors
        As in `Runs.score`.
    **reading
        Keywords of `load`.

    Examples
    --------
    >>> graded = {"question": [*range(100)], "outcome": [1] * 60 + [0] * 40}
    >>> print(score_by_rates(graded, sensitivity=(90, 100), specificity=(80, 100))[0])
    avg: 0.571 ± 0.079, 95% CI 0.413 to 0.722
    """
    rates = _known_rate(sensitivity, "sensitivity"), _known_rate(specificity, "specificity")
    request = CorrectionRequest(
        metrics=[scored_metric("avg")], policy=Policy.of(errors, "error"), level=level
    )
    runs, _ = loaded(data, score_by_rates, reading)
    scores = scores_by_rates(runs.source, *rates, request)
    remarks = remarks_on(runs.source, runs.source.slices(()), errors)
    return replace(scores, remarks=(*scores.remarks, *remarks))


def _known_rate(rate: Rate, name: str) -> KnownRate:
    """A rate with the number of answers it comes from."""
    passed, items = rate if isinstance(rate, tuple) and len(rate) == 2 else (rate, math.inf)
    passed = number(passed, name, 0, math.inf)
    items = items if items == math.inf else number(items, name, 0, math.inf)
    share = passed if math.isinf(items) else passed / items if items else math.nan
    if not 0.0 <= share <= 1.0:
        raise InputError(f"{name} must be a share, or a pair (passed, total); got {rate!r}.")
    return KnownRate(float(share), float(items))


@checked
def next_labels(
    data: Any,
    questions: int | None = None,
    *,
    width: float | None = None,
    task: str | None = None,
    by: str | None = None,
    agreement: float = 0.8,
    level: float = 0.95,
    rng: int = 0,
    **reading: Any,
) -> LabellingPlan:
    """Choose the questions to label next, and say how narrow the interval becomes.

    Parameters
    ----------
    data
        Outcomes that the judge graded, with the labels so far if any: anything that `load` takes.
    questions
        How many questions to label. Give this or `width`.
    width
        How wide the interval of a corrected `avg` may be.
    task
        The task to label, if there are several.
    by
        A column that may tell where the judge errs more often, such as "confidence".
    agreement
        The expected share of labels that agree with the judge, if there are no labels yet.
    level, rng
        The level of the interval; a seed for the choice.
    **reading
        Keywords of `load`.

    Examples
    --------
    >>> graded = {"question": [*range(200)], "outcome": [1] * 120 + [0] * 80}
    >>> found = next_labels(graded, 50)
    >>> len(found.cells), found.is_even, found.cells[0]["weight"]
    (50, True, '4')
    """
    runs, _ = loaded(data, next_labels, reading)
    labels = runs.labels if isinstance(runs, JudgedRuns) else None
    request = LabellingRequest(
        questions, width, task=task, by=by, agreement=agreement, level=level, rng=rng
    )
    return labelling_of(runs.source, labels, request)


@checked
def agree(
    data: Any,
    raters: Sequence[str] = (),
    *,
    truth: str | None = None,
    scale: RatingScale = "nominal",
    by: Sequence[str] = (),
    cluster: str | None = None,
    order: str | None = None,
    level: float = 0.95,
) -> RaterAgreement:
    """Measure how far raters agree, and how a judge differs from a trusted rater.

    Parameters
    ----------
    data
        A path, a DataFrame, records, or a dict of columns: a row per answer, or per rating.
    raters
        The columns with the ratings, one for each rater; a missing rating is empty. Leave them out
        if a row is a rating: columns such as "rater" and "rating" then say who rated, and how.
    truth
        The trusted rater: the others are compared with it (confusion, bias, drift).
    scale
        What ratings are: categories ("nominal"), in order ("ordinal"), or numbers ("interval").
    by
        Columns such as "system": the bias is shown, and tested for a difference, between their
        values.
    cluster
        The column with the cluster of each answer, such as "question".
    order
        The column with the order in time, to test for drift of the agreement.
    level
        The level of the intervals.

    Examples
    --------
    >>> found = agree({"judge": [1, 1, 0, 0, 1], "human": [1, 1, 0, 1, 1]}, ["judge", "human"])
    >>> print([(row.measure, round(row.value, 2)) for row in found[:2]])
    [('agreement', 0.8), ("Cohen's kappa", 0.55)]
    """
    answers = read_ratings(
        data, texts(raters, "raters"), cluster=cluster, by=texts(by, "by"), order=order
    )
    return agreement_of(answers, AgreementRequest(scale=scale, truth=truth, level=level))


def _require_known(verb: str, options: dict[str, Any], known: Sequence[str]) -> None:
    """Refuse options that corrected scores do not have, unless they are at their defaults."""
    neutral: dict[str, Any] = {"audit": False, "by": (), "assume": "nothing"}
    for name, value in options.items():
        if name not in known and value is not None and value != neutral.get(name):
            raise WrongType(f"{verb} has no option {name} where labels correct the scores.")
    if options.get("assume") not in (None, "nothing"):
        raise InputError("corrected scores assume nothing about unseen questions.")
    if options.get("estimand") not in (None, Estimand.POPULATION):
        raise InputError(
            "scores that labels correct are for new questions of the same kind, the estimand "
            "'population'."
        )


def _intervals(options: dict[str, Any]) -> Calibrated:
    """The level, and the bounds of rewards, of corrected differences and ranks."""
    given = {name: options[name] for name in ("level", "bounds") if options.get(name) is not None}
    return Calibrated(**given)


def _policy(options: dict[str, Any]) -> Policy:
    return Policy.of(options.get("errors") or "fail", options.get("short") or "error")
