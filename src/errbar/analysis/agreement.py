"""Agreement of raters with each other and with a trusted one: is the judge any good?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.population import sample_of
from errbar.analysis.spreads import CombinedMeans, MeanPart
from errbar.base.arguments import strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, setting, some_of
from errbar.data.ratings import RatedAnswers
from errbar.errors import InputError
from errbar.kernels.agreement import (
    DISTANCES,
    Coefficient,
    RatingCodes,
    agreement,
    coefficients,
    cohen,
    fleiss,
    gwet,
    krippendorff,
)
from errbar.results.estimate import Estimand, Interval
from errbar.results.judges import AgreementRow, RaterAgreement

_MOST_SHOWN = 10  # pairs of groups that are rows, whether the judge favours one or not
_ADVICE, _CORRECTED = "correct comparisons by labels", "the labels correct that"
RatingScale = Literal["nominal", "ordinal", "interval"]
_METHOD = (
    "agreement and coefficients: Bayesian bootstrap over answers with one unseen answer, on which "
    "the raters disagree most (lower end) or agree (upper end); shares, biases and their "
    "differences: Gaffke's interval, differences combined by MOVER and adjusted for their number "
    "(Bonferroni)"
)


@dataclass(frozen=True, kw_only=True)
class AgreementRequest:
    """A request: the scale of the ratings, the trusted rater, and the level."""

    scale: RatingScale = "nominal"
    truth: str | None = None
    level: float = 0.95
    corrects: bool = False  # whether the ratings of the trusted rater correct the scores

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        if self.scale not in DISTANCES:
            known = ", ".join(map(repr, DISTANCES))
            raise InputError(f"scale must be one of {known}; got {self.scale!r}.")


def agreement_of(answers: RatedAnswers, request: AgreementRequest) -> RaterAgreement:
    """Coefficients, and, with a trusted rater, confusions, biases by group and drift."""
    if request.scale == "interval" and not answers.is_numeric:
        raise InputError("the scale 'interval' needs ratings that are numbers.")
    if answers.ratings.categories < 2:
        raise InputError(
            f"all ratings are {answers.categories[0]}; agreement needs two categories."
        )
    remarks: list[str] = [*answers.remarks]
    why = answers.why_never_equal(request.truth)
    if why:
        if request.truth is None or not answers.is_numeric:
            raise InputError(f"{why}; agreement needs few categories: merge similar values.")
        remarks.append(f"{why[:1].upper()}{why[1:]}: only the bias is shown.")
    rows = [] if why else list(_coefficients(answers, request))
    if request.truth is not None:
        if request.truth not in answers.raters:
            raise InputError(f"{request.truth!r} is not one of the raters.")
        trusted = answers.raters.index(request.truth)
        for at, name in enumerate(answers.raters):
            if at != trusted:
                judge = _Judge(answers, at, trusted, request)
                prefix = f"{name}: " if len(answers.raters) > 2 else ""
                rows += [] if why else judge.confusion(prefix)
                rows += judge.biases(prefix, remarks)
                rows += [] if why else judge.drift(prefix, remarks)
    elif answers.groups or answers.order.size:
        raise InputError(
            "bias by group and drift compare a judge with a trusted rater: "
            + setting("truth", answers.raters[-1])
            + " names it."
        )
    unit = "over clusters of answers" if answers.is_clustered else "over answers"
    words = _METHOD.replace("over answers", unit)
    return RaterAgreement(tuple(rows), answers.raters, words, tuple(remarks))


def on_favour(answers: RatedAnswers, request: AgreementRequest) -> list[str]:
    """Say which systems a judge favours over others, beside a trusted rater."""
    trusted, remarks = answers.raters.index(str(request.truth)), list[str]()
    own = replace(answers, groups={"system": answers.groups["system"]})
    list(_Judge(own, 1 - trusted, trusted, request).biases("", remarks))
    return remarks


def _coefficients(answers: RatedAnswers, request: AgreementRequest) -> Iterator[AgreementRow]:
    ratings = answers.ratings
    both = int(((ratings.codes >= 0).sum(axis=0) > 1).sum())
    if not both:
        raise InputError("no answer has ratings of two raters.")
    measures: dict[str, Coefficient] = {"agreement": agreement}
    if len(answers.raters) == 2:
        weights = _disagreement(ratings, request.scale)
        kind = {"nominal": "", "ordinal": " (linear weights)", "interval": " (quadratic weights)"}
        measures[f"Cohen's kappa{kind[request.scale]}"] = partial(cohen, weights=weights)
    else:
        measures["Fleiss' kappa"] = fleiss
    measures["Gwet's AC1"] = gwet
    distance = DISTANCES[request.scale]
    measures[f"Krippendorff's alpha ({request.scale})"] = partial(
        krippendorff, values=ratings.values, distance=distance
    )
    rng, heavy = np.random.default_rng(0), answers.weights
    by_measure = coefficients(ratings, measures, answers.clusters, request.level, rng, heavy)
    for name, ends in by_measure.items():
        interval = Interval(ends.low, ends.high, request.level, Estimand.POPULATION)
        yield AgreementRow(
            about="agreement",
            measure=name,
            value=ends.value,
            sd=ends.sd,
            interval=interval,
            items=both,
        )


def _disagreement(ratings: RatingCodes, scale: RatingScale) -> Array:
    """Weights of disagreements in Cohen's kappa."""
    at = np.arange(ratings.categories, dtype=float)
    if scale == "nominal":
        distances: Array = 1.0 - np.eye(ratings.categories)
        return distances
    distance = np.abs(at[:, None] - at) / max(ratings.categories - 1, 1)
    return distance if scale == "ordinal" else np.square(distance)


class _Judge:
    """A rater beside a trusted one, on the answers that both rated."""

    def __init__(
        self, answers: RatedAnswers, judge: int, trusted: int, request: AgreementRequest
    ) -> None:
        codes, values = answers.ratings.codes, answers.ratings.values
        self._both: NDArray[np.bool_] = (codes[judge] >= 0) & (codes[trusted] >= 0)
        self._judge, self._truth = codes[judge, self._both], codes[trusted, self._both]
        self._values = values
        self._names = answers.raters[judge], answers.raters[trusted]
        self._answers, self._level = answers, request.level
        self._advice = _CORRECTED if request.corrects else _ADVICE
        self._who = "The judge" if request.corrects else self._names[0]
        self._clusters = np.unique(answers.clusters[self._both], return_inverse=True)[1]
        self._weights = None if answers.weights is None else answers.weights[self._both]
        if not self._both.any():
            raise InputError(f"no answer has ratings of {' and '.join(self._names)}.")

    def confusion(self, prefix: str) -> Iterator[AgreementRow]:
        """Shares of the categories that the judge gives to answers of each true category."""
        for true, name in enumerate(self._answers.categories):
            some = self._truth == true
            if not some.any():
                continue
            for category, word in enumerate(self._answers.categories):
                part = self._part((self._judge == category).astype(float), some, (0.0, 1.0))
                words = f"{prefix}{self._names[0]} says {word} if {self._names[1]} says {name}"
                share = CombinedMeans([part], (0.0, 1.0))
                yield self._row("confusion", words, share, int(some.sum()), (name, word))

    def _differences(self) -> Iterator[tuple[str, Array, float]]:
        """Judge − trusted and its largest size: of numbers, or of shares of a category.

        Shares of two categories differ by the same, so one of them is enough.
        """
        if self._answers.is_numeric:
            values = self._values
            yield "", values[self._judge] - values[self._truth], float(values[-1] - values[0])
            return
        names = self._answers.categories
        for code in range(1 if len(names) == 2 else 0, len(names)):
            difference = (self._judge == code).astype(float) - (self._truth == code)
            yield f", share of {names[code]}", difference, 1.0

    def biases(self, prefix: str, remarks: list[str]) -> Iterator[AgreementRow]:
        """Mean of judge − trusted, of all answers and by group, and whether groups differ."""
        for of, off, span in self._differences():
            bounds = (-span, span)
            all_answers = np.ones(off.size, dtype=bool)
            words = f"{prefix}{self._names[0]} − {self._names[1]}{of}"
            parts = [self._part(off, all_answers, bounds)]
            yield self._row("bias", words, CombinedMeans(parts, bounds), all_answers.size)
            for column, values in self._answers.groups.items():
                own = np.array(values)[self._both]
                names = list(dict.fromkeys(own.tolist()))
                each = {name: self._part(off, own == name, bounds) for name in names}
                sizes = {name: int((own == name).sum()) for name in names}
                for name, part in each.items():
                    words, spread = f"{prefix}{name}{of}", CombinedMeans([part], bounds)
                    yield self._row(f"bias by {column}", words, spread, sizes[name], (name,))
                if len(each) > 1:
                    yield from self._favours(column, each, sizes, span, (prefix, of), remarks)

    def _favours(
        self,
        column: str,
        each: dict[str, MeanPart],
        sizes: dict[str, int],
        span: float,
        around: tuple[str, str],  # what stands before and after the names of groups
        remarks: list[str],
    ) -> Iterator[AgreementRow]:
        """How much the judge favours a group over another, adjusted for the number of pairs.

        Of many pairs, only those are shown between which the difference is significant.
        """
        pairs = list(combinations(each, 2))
        level = 1.0 - (1.0 - self._level) / len(pairs)
        prefix, of = around
        rows = []
        for first, second in pairs:
            spread = _difference(each[first], each[second], span)
            pair = first, second
            if spread.mean < 0.0:
                pair, spread = (second, first), _difference(each[second], each[first], span)
            words, size = f"{prefix}{' over '.join(pair)}{of}", sizes[first] + sizes[second]
            row = self._row(f"favour by {column}", words, spread, size, pair, level)
            rows += [row] if row.low > 0.0 else []
            if row.low > 0.0 or len(pairs) <= _MOST_SHOWN:
                yield row
        remarks.append(self._on_favours(column, rows, f"{prefix}{of[2:]}: " if of else prefix))

    def _on_favours(self, column: str, found: list[AgreementRow], subject: str) -> str:
        """Say which groups the judge favours over which others, the most favoured first."""
        if not found:
            return f"{subject}The judge does not significantly favour any {column} over another."
        named = [
            f"{' over '.join(row.of)} by {row.value:.2f} ({row.low:.2f} to {row.high:.2f})"
            for row in sorted(found, key=lambda row: -row.value)
        ]
        return Caution(f"{subject}{self._who} favours {some_of(named, 3, '; ')}: {self._advice}.")

    def drift(self, prefix: str, remarks: list[str]) -> Iterator[AgreementRow]:
        """Change of the agreement from the earlier to the later half of the answers."""
        order = self._answers.order
        if not order.size:
            return
        when = order[self._both]
        late = when > np.median(when)
        if not late.any() or late.all():
            remarks.append(
                Caution(
                    f"{prefix}drift not tested: the order does not split the answers into an "
                    "earlier and a later half."
                )
            )
            return
        agreed = (self._judge == self._truth).astype(float)
        halves = [self._part(agreed, some, (0.0, 1.0)) for some in (late, ~late)]
        spread = _difference(halves[0], halves[1], 1.0)
        words = f"{prefix}agreement, later half − earlier half"
        row = self._row("drift", words, spread, late.size)
        if row.interval.low > 0.0 or row.interval.high < 0.0:
            change = "rises" if row.value > 0 else "falls"
            remarks.append(Caution(f"{prefix}the agreement {change} over time."))
        yield row

    def _part(
        self, values: Array, some: NDArray[np.bool_], bounds: tuple[float, float]
    ) -> MeanPart:
        clusters = self._clusters[some]
        heavy = np.ones(clusters.size) if self._weights is None else self._weights[some]
        sample = sample_of(
            values[some],
            np.ones(clusters.size),
            clusters if self._answers.is_clustered else None,
            None if self._weights is None else heavy,
            bounds,
        )
        off = heavy * (values[some] - sample.mean) / heavy.sum()
        size = int(self._clusters.max()) + 1
        influence: Array = np.bincount(clusters, off, size).astype(float)
        return MeanPart(sample, influence)

    def _row(
        self,
        about: str,
        words: str,
        spread: CombinedMeans,
        items: int,
        of: tuple[str, ...] = (),
        adjusted: float | None = None,  # level of each of several intervals
    ) -> AgreementRow:
        ends = spread.ends(self._level if adjusted is None else adjusted)
        interval = Interval(*ends, self._level, Estimand.POPULATION)
        return AgreementRow(
            about=about,
            measure=words,
            value=spread.mean,
            sd=spread.sd,
            interval=interval,
            items=items,
            of=of,
        )


def _difference(first: MeanPart, second: MeanPart, span: float) -> CombinedMeans:
    minus = MeanPart(second.sample.mirrored, -second.influence)
    return CombinedMeans([first, minus], (-2.0 * span, 2.0 * span))
