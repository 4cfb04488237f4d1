"""Tables of scores corrected by trusted labels, and remarks on the labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from errbar.analysis.agreement import AgreementRequest, on_favour
from errbar.analysis.alignment import AlignedValues, Policy, TaskSystems, mean_of
from errbar.analysis.corrections import CorrectedScore, CorrectedTask, Labels
from errbar.analysis.evaluate import Refusals, estimate_of
from errbar.analysis.methods.base import Cell
from errbar.analysis.methods.population import sample_of
from errbar.analysis.outcome_scales import remark_on_guess
from errbar.analysis.score import ScoredMetric
from errbar.base.arguments import require_bounds, strict_share
from errbar.base.remarks import Caution, about, counted, guess, setting, some_of
from errbar.data.columns import Key
from errbar.data.queries.label_rows import same_answers
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import NEVER_SCORED
from errbar.data.ratings import JudgedAnswer, ratings_of
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import InputError
from errbar.kernels.prediction_powered import KnownRate, rogan_gladen, rogan_gladen_ends
from errbar.metrics import Direction
from errbar.results.estimate import Estimand, Estimate, Interval, Subject
from errbar.results.judges import CorrectedEstimate, CorrectedScoreTable
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores

RATERS = "judge", "label"
_FEWEST = 20  # smallest number of labels in the coverage study
_WORDS = {
    "ppi++": "PPI++ (weight of the judge tuned for the least variance)",
    "ppi": "PPI (weight of the judge 1)",
    "labels": "the labels alone (weight of the judge 0)",
}


@dataclass(frozen=True, kw_only=True)
class CorrectionRequest:
    """A request for corrected scores: metrics, policy and level."""

    metrics: Sequence[ScoredMetric]
    policy: Policy
    level: float = 0.95
    normal: bool = False  # the normal interval of the papers instead of the calibrated one
    bounds: tuple[float, float] | None = None  # bounds of rewards

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        require_bounds(self.bounds)


def _values_of(
    source: Source, of: Subject, named: NamedQuestions, metric: ScoredMetric, policy: Policy
) -> AlignedValues:
    """Values of the questions of one system; an error if it has none."""
    if not named.slice.was_scored:
        raise InputError(NEVER_SCORED)
    data = TaskSystems(source, of.task, {of.system: named}, policy).of(metric)
    if data.refused:
        raise data.refused[of.system]
    return data


def corrected_scores(
    source: Source, labels: Labels, request: CorrectionRequest
) -> CorrectedScoreTable:
    """Every metric of every system and task; refused estimates are without a value."""
    refusals, remarks = Refusals(), dict[str, None]()
    rows: list[CorrectedEstimate] = []
    for (system, task), named in source.named().items():
        of = Subject(system, task)
        for metric in request.metrics:
            try:
                data = _values_of(source, of, named, metric, request.policy)
                rows.append(_estimate(of, data, labels, request, remarks))
            except InputError as error:
                reason = refusals.add(of, metric, error)
                nowhere = Interval.unknown(request.level, Estimand.POPULATION)
                rows.append(CorrectedEstimate.without_value(of, metric, nowhere, reason))
    refusals.require_others((row.of, row.metric) for row in rows)
    remarks |= dict.fromkeys(_on_widths(rows))
    few = min((row.labels for row in rows if row.labels), default=_FEWEST)
    if few < _FEWEST:
        note = f"Fewer than {_FEWEST} labels: coverage was not studied for so few."
        remarks[Caution(note)] = None
    over = "clusters of questions" if any(row.clusters for row in rows) else "questions"
    ends = (
        "normal intervals of the papers"
        if request.normal
        else f"Bayesian bootstrap over {over} with one unseen question at the bound (Gaffke), of "
        f"the labelled and of the other questions, combined by MOVER"
    )
    words = f"prediction-powered inference, {_WORDS[labels.correction]}; {ends}"
    return CorrectedScoreTable(tuple(rows), words, tuple(remarks))


def _estimate(
    of: Subject,
    data: AlignedValues,
    labels: Labels,
    request: CorrectionRequest,
    remarks: dict[str, None],
) -> CorrectedEstimate:
    task = CorrectedTask(data, labels, request.bounds)
    score = task.score(0)
    short = task.labels_of(0).short
    subject = f"{of}: " if str(of) else ""
    remarks |= dict.fromkeys(data.remarks)
    if short:
        note = f"{subject}{data.metric} does not use {counted(short, 'question')} with few labels."
        remarks[note] = None
    if data.extremes is not None and request.bounds is None:
        remarks[remark_on_guess(f"{of.task}: " if of.task else "", task.bounds)] = None
    value = score.spread.mean
    sd, low, high = _ends(score, request)
    alone = score.alone
    alone_low, alone_high = alone.ends(request.level)
    trials = data.trials[0, data.present(0)]
    return CorrectedEstimate(
        of=of,
        metric=data.metric,
        value=value,
        mean=value,
        sd=sd,
        interval=Interval(low, high, request.level, Estimand.POPULATION),
        questions=trials.size,
        trials=int(trials.sum()),
        clusters=np.unique(data.clusters).size if data.clustered else 0,
        is_even=np.unique(trials).size == 1,
        judge=score.judge,
        labels=score.labels,
        labels_alone=alone.mean,
        labels_low=alone_low,
        labels_high=alone_high,
        weight=score.weight,
    )


def _ends(found: CorrectedScore, request: CorrectionRequest) -> tuple[float, float, float]:
    """Standard deviation and ends of the interval."""
    if request.normal:
        return found.judged.normal_ends(found.weight, request.level)
    return (found.spread.sd, *found.spread.ends(request.level))


def _on_widths(rows: Sequence[CorrectedEstimate]) -> list[str]:
    """Remark on estimates whose interval is wider than that of the labels alone."""
    return [
        about(
            str(row.of),
            Caution(
                f"the judge does not help {row.metric}: the labels alone give a narrower interval "
                f"({setting('correction', 'labels')} uses them alone)."
            ),
        )
        for row in rows
        if row.is_wider
    ]


def remarks_on_labels(source: Source, labels: Labels) -> list[str]:
    """Remarks on the number of labelled questions and on how they were chosen."""
    judged = source.named()
    questions = sum(len(named.questions) for named in judged.values())
    own = {
        key: named
        for key, named in labels.source.named().items()
        if key[0] in labels.systems.values() and key[1] in labels.tasks.values()
    }
    known = sum(int((named.slice.scored > 0).sum()) for named in own.values())
    rows = sum(int(named.slice.scored.sum()) for named in own.values())
    unknown = labels.unknown(source)
    trials = f" ({counted(rows, 'trial')})" if rows != known else ""
    chosen = "with the weights in the labels" if labels.sampled and _weighted(labels) else ""
    how = f"at random, {chosen}" if chosen else "at random"
    if _some_trials(judged, labels):
        how += ", and so was the trial of each label"
    remarks: list[str] = [*_on_columns(labels)]
    remarks += [
        guess(
            f"Labels: {known - unknown} of {questions} judged questions have one{trials}; the "
            f"scores are corrected by them, which assumes that they were chosen {how}"
        )
    ]
    if unknown:
        unmatched = counted(unknown, "labelled question")
        remarks.append(Caution(f"{unmatched} not used: the judged outcomes do not have them."))
    return remarks


def labelled_answers(source: Source, labels: Labels) -> tuple[list[JudgedAnswer], int]:
    """The answers with a result of the judge and a label, and the number of other labels."""
    judged_trials, label_trials, named = source.trials(), labels.source.trials(), source.named()
    sampled = labels.source.named() if labels.sampled and _weighted(labels) else {}
    answers: list[JudgedAnswer] = []
    lost = 0
    for (system, task), judged in judged_trials.items():
        key = labels.systems.get(system, ""), labels.tasks.get(task, "")
        clusters = _clusters_of(named.get((system, task)))
        weights = _weights_of(named.get((system, task)))
        chances = _weights_of(sampled.get(key))
        for question, known in label_trials.get(key, {}).items():
            own = judged.get(question, [])
            both = same_answers(own, known, one_table=not labels.sampled)
            pairs = [] if both is None else [*both]
            given = sum(not math.isnan(trial.result) for trial in known)
            lost += given - len(pairs) if any(not math.isnan(t.result) for t in own) else 0
            cluster = clusters.get(question) or f"{task}\0{question}"
            weight = weights.get(question, 1.0) * chances.get(question, 1.0)
            answers += [JudgedAnswer(system, task, cluster, weight, *pair) for pair in pairs]
    return answers, lost


def remarks_on_favour(source: Source, labels: Labels, level: float) -> list[str]:
    """Say which systems the judge favours over others, as far as its answers are known."""
    try:
        answers, _ = labelled_answers(source, labels)
    except InputError:
        return []  # counts have no single answers
    if len({each.system for each in answers}) < 2:
        return []
    request = AgreementRequest(truth=RATERS[1], level=level, corrects=True)
    return [
        note
        for note in on_favour(ratings_of(answers, RATERS), request)
        if isinstance(note, Caution)
    ]


def _clusters_of(named: NamedQuestions | None) -> dict[str, str]:
    """The cluster of each question, if questions have clusters."""
    return {} if named is None else dict(zip(named.questions, named.clusters, strict=False))


def _weights_of(named: NamedQuestions | None) -> dict[str, float]:
    """The weight of each question, if questions have weights."""
    if named is None or named.slice.weights is None:
        return {}
    return dict(zip(named.questions, named.slice.weights.tolist(), strict=True))


def _some_trials(judged: Mapping[Key, NamedQuestions], labels: Labels) -> bool:
    """Whether a labelled question has fewer labels than trials."""
    for (system, task), own in judged.items():
        its = labels.source.named().get(
            (labels.systems.get(system, ""), labels.tasks.get(task, ""))
        )
        trials = dict(zip(own.questions, own.slice.scored.tolist(), strict=True))
        if its and any(
            0 < number < trials.get(name, 0)
            for name, number in zip(its.questions, its.slice.scored.tolist(), strict=True)
        ):
            return True
    return False


def _on_columns(labels: Labels) -> list[str]:
    """Remarks on the columns of a table of labels, and on rows that repeat an id."""
    source = labels.source
    if not labels.sampled or not isinstance(source, TableSource) or source.origin.reader:
        return []
    used = "; ".join(source.columns.describe().split("; ")[:1])
    remarks: list[str] = [
        guess(f"Columns of the labels: {used}", option="--label", argument="label='…'")
    ]
    if source.guesses_trials:
        several = sum(int((named.slice.scored > 1).sum()) for named in source.named().values())
        if several:
            remarks.append(
                guess(
                    f"{counted(several, 'question')} with several labels: their mean is the label"
                )
            )
    return remarks


def require_common_questions(judged: Source, labels: Labels) -> None:
    """Raise an error if no label is of a judged question, or if labels have no ids."""
    there, here = judged.named(), labels.source.named()
    pairs = [
        (there[system, task], here[own, its])
        for system, own in labels.systems.items()
        for task, its in labels.tasks.items()
        if (system, task) in there and (own, its) in here
    ]
    labelled = [mine.where(mine.slice.scored > 0).questions for _, mine in pairs]
    ids = judged.has_ids, labels.source.has_ids
    if labels.sampled and not all(ids):
        whole = all(len(own.questions) == len(mine.questions) for own, mine in pairs)
        if any(ids) or not whole:
            raise InputError(
                "labels and outcomes are matched by question ids, but ids are missing. Add a "
                "column of ids to both, or give the labels a row for each row of the outcomes."
            )
    if any(labelled) and not any(
        {*own.questions} & {*mine} for (own, _), mine in zip(pairs, labelled, strict=True)
    ):
        known = some_of(map(repr, pairs[0][0].questions), 3)
        raise InputError(
            f"none of the labelled questions ({some_of(map(repr, labelled[0]), 3)}) is among the "
            f"judged questions ({known}); write their ids in the same way."
        )


def changed_ranks(board: Leaderboard, scores: CorrectedScoreTable) -> list[str]:
    """Remark on systems that the judge alone would rank in the opposite order."""
    rows = [row for row in scores if isinstance(row, CorrectedEstimate)]
    judge = {
        entry.system: fmean(row.judge for row in rows if row.system == entry.system)
        for entry in board
    }
    lower = board.metric.direction is Direction.LOWER
    reversed_pairs = [
        f"{second.system} before {first.system}"
        for first, second in combinations(board, 2)
        if (judge[first.system] > judge[second.system]) is lower
        and judge[first.system] != judge[second.system]
    ]
    if not reversed_pairs:
        return []
    return [
        Caution(
            f"Without labels, the judge's scores would rank {some_of(reversed_pairs, 3)}; the "
            "labels reverse that."
        )
    ]


def _weighted(labels: Labels) -> bool:
    return bool(labels.source.weight_columns())


def scores_by_rates(
    source: Source, sensitivity: KnownRate, specificity: KnownRate, request: CorrectionRequest
) -> Scores:
    """The share of right answers of every system, from what the judge passes and its known rates.

    Questions, or clusters of them, count as their effective number: the number of independent
    questions whose share would be as uncertain.
    """
    if sensitivity.share + specificity.share <= 1.0:
        raise InputError(
            f"sensitivity {sensitivity.share:g} and specificity {specificity.share:g} are those of "
            f"a judge no better than chance; their sum must exceed 1."
        )
    refusals, rows, remarks = Refusals(), [], dict[str, None]()
    metric = request.metrics[0]
    for (system, task), named in source.named().items():
        of = Subject(system, task)
        try:
            data = _values_of(source, of, named, metric, request.policy)
            if data.extremes is not None:
                raise InputError("sensitivity and specificity need outcomes of right and wrong")
            rows.append(_score_by_rates(of, data, (sensitivity, specificity), request.level))
            remarks |= dict.fromkeys(data.remarks)
            passed = mean_of(data.parts[0][0], data.weights)
            subject = f"{of}: the" if str(of) else "The"
            remarks[f"{subject} judge passes {passed:.3g}."] = None
        except InputError as error:
            nowhere = Interval.unknown(request.level, Estimand.POPULATION)
            reason = refusals.add(of, metric, error)
            rows.append(Estimate.without_value(of, metric, nowhere, reason))
    refusals.require_others((row.of, row.metric) for row in rows)
    words = "share of Rogan and Gladen (1978) with the limits of Lang and Reiczigel (2014)"
    return Scores(tuple(rows), words, tuple(remarks))


def _score_by_rates(
    of: Subject, data: AlignedValues, rates: tuple[KnownRate, KnownRate], level: float
) -> Estimate:
    values, weights = data.parts[0][0], data.weights
    clusters = data.clusters if data.clustered else None
    passed = mean_of(values, weights)
    sample = sample_of(values, np.ones(values.size), clusters, weights, (0.0, 1.0))
    heavy = np.ones(sample.values.size) * sample.often
    off = float(heavy @ np.square(sample.values - passed * sample.sizes))
    total = float(heavy @ sample.sizes)
    variance = off / total**2
    # all alike: as many independent questions as there are clusters
    size = passed * (1.0 - passed) / variance if variance else float(heavy.sum())
    sd, low, high = rogan_gladen_ends(KnownRate(passed, size), *rates, level)
    value = rogan_gladen(passed, rates[0].share, rates[1].share)
    interval = Interval(min(low, value), max(high, value), level, Estimand.POPULATION)
    trials = data.trials[0]
    cell = Cell(value, value, sd, interval, "")
    return estimate_of(cell, of, data.metric, trials.size, int(trials.sum()), trials, clusters)
