"""Metrics as immutable values, with `parse(str(metric)) == metric` for each of them.

- `base`: what a metric is, how its name is parsed (`parse`), too few trials for k
  (`too_few_trials`).
- `means`: metrics of counts (`CountMetric`), and avg.
- `categories`: bayes, max@k, vote@k (plurality votes, and ties of them).
- `passk`: pass@k, pass^k, g-pass@k, maj@k, auc@k, spectrum@k; tau as draws (`threshold`).
- `blends`: geom@k, geo-spectrum@k.
- `confidence`: aurc, risk@c, coverage@r, roc-auc, brier, log-loss.
"""

from errbar.metrics.base import (
    METRICS,
    Direction,
    Metric,
    Needs,
    family,
    parse,
)
from errbar.metrics.blends import DatasetGeom, Geom, GeoSpectrum
from errbar.metrics.categories import (
    Bayes,
    MaxAt,
    VoteAt,
)
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
from errbar.metrics.means import (
    JEFFREYS,
    UNIFORM,
    Average,
    CountMetric,
    Moments,
    Prior,
)
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
