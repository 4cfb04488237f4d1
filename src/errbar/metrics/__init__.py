"""Metrics as immutable values, with `parse(str(metric)) == metric` for each of them."""

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
from errbar.metrics.probabilities import Brier, LogLoss, ProbabilityMetric
from errbar.metrics.ranked import (
    Augrc,
    Aurc,
    CoverageAt,
    ExcessAugrc,
    ExcessAurc,
    LabelMetric,
    RankedMetric,
    RiskAt,
    RocAuc,
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
