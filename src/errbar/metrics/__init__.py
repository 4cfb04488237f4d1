"""Metrics as values: `parse(str(metric)) == metric` for every one of them."""

from errbar.metrics.base import (
    JEFFREYS,
    UNIFORM,
    CountMetric,
    Direction,
    Metric,
    Moments,
    Needs,
    Prior,
)
from errbar.metrics.blends import DatasetGeom, Geom, GeoSpectrum
from errbar.metrics.categories import Average, Bayes, MaxAt
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
from errbar.metrics.registry import METRICS
from errbar.metrics.roc import LabelMetric, RocAuc
from errbar.metrics.selective import (
    Augrc,
    Aurc,
    CoverageAt,
    ExcessAugrc,
    ExcessAurc,
    RankedMetric,
    RiskAt,
)
from errbar.metrics.votes import VoteAt

__all__ = [
    "JEFFREYS",
    "METRICS",
    "UNIFORM",
    "AreaUnderPass",
    "Augrc",
    "Aurc",
    "Average",
    "Bayes",
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
    "Majority",
    "MaxAt",
    "MeanGPass",
    "Metric",
    "Moments",
    "Needs",
    "PassAt",
    "PassHat",
    "Prior",
    "RankedMetric",
    "RiskAt",
    "RocAuc",
    "Spectrum",
    "VoteAt",
    "family",
    "parse",
]
