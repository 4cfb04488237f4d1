"""One list of metrics for all suites: at least one instance of each that is registered."""

from errbar.metrics import (
    AreaUnderPass,
    Augrc,
    Aurc,
    Average,
    Bayes,
    Brier,
    CountMetric,
    CoverageAt,
    CreditMetric,
    DatasetGeom,
    ExcessAugrc,
    ExcessAurc,
    Geom,
    GeoSpectrum,
    GPass,
    LogLoss,
    Majority,
    MaxAt,
    MeanGPass,
    Metric,
    PassAt,
    PassHat,
    ProbabilityMetric,
    RankedMetric,
    RiskAt,
    RocAuc,
    Spectrum,
    VoteAt,
)
from errbar.metrics.means import CategoryMetric

THREE = (0.0, 0.5, 1.0)

COUNTED: tuple[CountMetric, ...] = (
    PassAt(1),
    PassAt(3),
    PassHat(1),
    PassHat(3),
    AreaUnderPass(1),
    AreaUnderPass(2),
    AreaUnderPass(4),
    GPass(4),
    GPass(3, 0.0),
    GPass(4, 0.28),
    GPass(5, 0.5),
    GPass(4, 0.75),
    Majority(1),
    Majority(2),
    Majority(5),
    MeanGPass(1),
    MeanGPass(4),
    MeanGPass(5),
    Spectrum(1, (0.25,)),
    Spectrum(3, (0.1, 0.2, 0.3)),
    Spectrum(4, (0.0, 1.0, 0.0, 0.0)),
    Spectrum(4, (0.25, 0.25, 0.25, 0.25)),
    Geom(1),
    Geom(3),
    Geom(2, 0.25, 2.0),
    Geom(2, 1.0, 0.0),
    DatasetGeom(1),
    DatasetGeom(3),
    DatasetGeom(4, 0.75, 0.25),
    DatasetGeom(2, 0.0, 1.0),
    GeoSpectrum(1),
    GeoSpectrum(3),
    GeoSpectrum(4, 0.25),
    GeoSpectrum(4, 0.0),
    GeoSpectrum(4, 1.0),
    GeoSpectrum(3, 0.5, (0.1, 0.2, 0.3)),
    Bayes(),
    Bayes(THREE),
    Bayes((-1.0, 2.0, 0.25)),
    Average(),
    Average(THREE),
    MaxAt(1),
    MaxAt(3),
    MaxAt(2, THREE),
    MaxAt(3, (2.0, -1.0, 0.5)),
    MaxAt(2, (0.0, 1.0, 1.0)),
)

RANKED: tuple[RankedMetric, ...] = (
    Aurc(),
    Aurc(0.5),
    Augrc(),
    Augrc(0.25),
    ExcessAurc(),
    ExcessAurc(0.5),
    ExcessAugrc(),
    ExcessAugrc(0.5),
    RiskAt(0.5),
    RiskAt(1.0),
    CoverageAt(0.1),
    CoverageAt(0.0),
)

STATED: tuple[ProbabilityMetric, ...] = (Brier(), LogLoss(), LogLoss(0.01))

EVERY: tuple[Metric, ...] = (*COUNTED, *RANKED, *STATED, RocAuc(), VoteAt(1), VoteAt(8, "first"))

CREDIT = [metric for metric in COUNTED if isinstance(metric, CreditMetric)]
BLENDS = [m for m in COUNTED if isinstance(m, Geom | DatasetGeom | GeoSpectrum)]
CATEGORY = [metric for metric in COUNTED if isinstance(metric, CategoryMetric)]
