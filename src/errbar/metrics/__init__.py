"""Metrics as immutable values, with `parse(str(metric)) == metric` for each of them.

- `grammar`: their names; `base`: what a metric is, and too few trials for k (`too_few_trials`).
- `passk`: pass@k, pass^k, g-pass@k, maj@k, auc@k, spectrum@k; tau as draws (`threshold`).
- `categories`: avg, bayes, max@k, vote@k; `blends`: geom@k, geo-spectrum@k.
- `confidence`: aurc, risk@c, coverage@r, roc-auc, brier, log-loss.
"""

from errbar.metrics.base import (
    JEFFREYS,
    METRICS,
    UNIFORM,
    CountMetric,
    Direction,
    Metric,
    Moments,
    Needs,
    Prior,
)
from errbar.metrics.blends import DatasetGeom, Geom, GeoSpectrum
from errbar.metrics.categories import Average, Bayes, MaxAt, VoteAt
from errbar.metrics.confidence import (
    Augrc,
    Aurc,
    Brier,
    CoverageAt,
    ExcessAugrc,
    ExcessAurc,
    LabelMetric,
    LogLoss,
    ProbabilityMetric,
    RankedMetric,
    RiskAt,
    RocAuc,
)
from errbar.metrics.grammar import family, parse
from errbar.metrics.passk import (
    AreaUnderPass,
    CreditMetric,
    GPass,
    Majority,
    MeanGPass,
    PassAt,
    PassHat,
    Spectrum,
)

__all__ = [
    "JEFFREYS",
    "METRICS",
    "UNIFORM",
    "AreaUnderPass",
    "Augrc",
    "Aurc",
    "Average",
    "Bayes",
    "Brier",
    "CountMetric",
    "CoverageAt",
    "CreditMetric",
    "DatasetGeom",
    "Direction",
    "ExcessAugrc",
    "ExcessAurc",
    "GPass",
    "GeoSpectrum",
    "Geom",
    "LabelMetric",
    "LogLoss",
    "Majority",
    "MaxAt",
    "MeanGPass",
    "Metric",
    "Moments",
    "Needs",
    "PassAt",
    "PassHat",
    "Prior",
    "ProbabilityMetric",
    "RankedMetric",
    "RiskAt",
    "RocAuc",
    "Spectrum",
    "VoteAt",
    "family",
    "parse",
]
