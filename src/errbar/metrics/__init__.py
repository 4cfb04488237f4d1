"""Metrics as values: `parse(str(metric)) == metric` for every one of them."""

from errbar.metrics.base import Direction, Metric, Moments, Needs, Prior
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

__all__ = [
    "METRICS",
    "AreaUnderPass",
    "Average",
    "Bayes",
    "CreditMetric",
    "DatasetGeom",
    "Direction",
    "GPass",
    "GeoSpectrum",
    "Geom",
    "Majority",
    "MaxAt",
    "MeanGPass",
    "Metric",
    "Moments",
    "Needs",
    "PassAt",
    "PassHat",
    "Prior",
    "Spectrum",
    "family",
    "parse",
]
