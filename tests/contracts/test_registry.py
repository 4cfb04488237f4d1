"""Names of metrics: what is printed can be read, and what cannot be read is explained."""

from dataclasses import FrozenInstanceError, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errbar import family, parse
from errbar.errors import ErrbarError, InputError, NotEnoughTrials, UnknownMetric, WrongType
from errbar.metrics import (
    METRICS,
    Average,
    Bayes,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    Majority,
    MaxAt,
    MeanGPass,
    Metric,
    PassAt,
    PassHat,
    Spectrum,
)
from every_metric import EVERY


def test_no_registered_metric_is_missing_from_the_list() -> None:
    assert {type(metric) for metric in EVERY} == set(METRICS.values())


def test_every_head_belongs_to_its_class() -> None:
    assert all(metric.head == head for head, metric in METRICS.items())
    assert len(set(METRICS.values())) == len(METRICS)


def test_a_name_reads_back_as_the_same_metric() -> None:
    for metric in EVERY:
        again = parse(str(metric))
        assert again == metric
        assert type(again) is type(metric)
        assert hash(again) == hash(metric)
        assert str(again) == str(metric)


def test_a_name_may_be_written_in_any_case_and_with_space_around() -> None:
    for metric in EVERY:
        name = str(metric)
        assert parse(name.upper()) == parse(name.title()) == parse(f"  {name}\n") == metric


def test_names_differ() -> None:
    assert len({str(metric) for metric in EVERY}) == len(EVERY) == len(set(EVERY))


def test_metrics_are_frozen() -> None:
    for metric, field in ((each, field) for each in EVERY for field in fields(each)):  # type: ignore[arg-type]
        with pytest.raises(FrozenInstanceError):
            setattr(metric, field.name, 1)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("pass@8", PassAt(8)),
        ("Pass@8", PassAt(8)),
        ("pass^8", PassHat(8)),
        ("unanimous@8", PassHat(8)),
        ("Unanimous@8", PassHat(8)),
        ("maj@5", Majority(5)),
        ("G-Pass@16", GPass(16)),
        ("G-Pass@16_0.5", GPass(16, 0.5)),
        ("gpass@16_.5", GPass(16, 0.5)),
        ("g-pass@16_1", GPass(16)),
        ("g-pass@16(tau=0.5)", GPass(16, 0.5)),
        ("g-pass@16_5e-1", GPass(16, 0.5)),
        ("mG-Pass@16", MeanGPass(16)),
        ("mgpass@16", MeanGPass(16)),
        ("geo-spectrum@8", GeoSpectrum(8)),
        ("geo-spectrum*@8", GeoSpectrum(8)),
        ("GeoSpectrum*@8", GeoSpectrum(8)),
        ("geospectrum@8(lam=0.25)", GeoSpectrum(8, 0.25)),
        ("geo-spectrum@2(weights=[0.5, 0.25], lam=0)", GeoSpectrum(2, 0.0, (0.5, 0.25))),
        ("spectrum@2(weights=(0.5, 0.5))", Spectrum(2, (0.5, 0.5))),
        ("geom@4", Geom(4)),
        ("geom@4(pass_power=1, unanimous_power=2)", Geom(4, 1.0, 2.0)),
        ("geom-ds@4", DatasetGeom(4)),
        ("avg", Average()),
        ("AVG", Average()),
        ("bayes", Bayes()),
        ("bayes(weights=[0, 0.5, 1])", Bayes((0.0, 0.5, 1.0))),
        ("max@3", MaxAt(3)),
        ("max@3(weights=[0, 1])", MaxAt(3)),
        ("max@3(weights=[-1, 2.5, 0])", MaxAt(3, (-1.0, 2.5, 0.0))),
    ],
)
def test_other_spellings_are_read(name: str, metric: Metric) -> None:
    assert parse(name) == metric


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pas@8", "pass@"),
        ("passs@8", "pass@"),
        ("majority@8", "maj@"),
        ("geospectrun@8", "geospectrum@"),
        ("baye", "bayes"),
        ("average", "avg"),
        ("", "Known"),
        ("@8", "Known"),
        ("xyzzy@8", "Known"),
        ("pass@8@9", "Known"),
        ("pass@-1", "Known"),
        ("pass 8", "Known"),
    ],
)
def test_an_unknown_name_is_answered_with_those_that_are_known(name: str, told: str) -> None:
    with pytest.raises(UnknownMetric, match=told) as error:
        parse(name)
    assert repr(name) in str(error.value)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pass@", "needs a number"),
        ("pass^", "needs a number"),
        ("geo-spectrum@(lam=0.5)", "needs a number"),
        ("avg8", "takes no number"),
        ("bayes8", "takes no number"),
        ("pass@k", "every k"),
        ("pass@8(lam=0.5)", "'lam'.*none"),
        ("pass@8_0.5", "'tau'"),
        ("pass@8(k=9)", "'k'"),
        ("geom@8(power=1)", "'power'.*pass_power"),
        ("geo-spectrum@8(lam)", "cannot read"),
        ("geo-spectrum@8(lam=)", "cannot read"),
        ("geo-spectrum@8(lam=0.5", "geo-spectrum"),
        ("geo-spectrum@8(lam=x)", "cannot read"),
        ("geo-spectrum@8(lam=__import__('os'))", "cannot read"),
        ("geo-spectrum@8(**{'lam': 1})", "cannot read"),
        ("geo-spectrum@8(lam=0.1, lam=0.2)", "lam"),
        ("g-pass@8_0.5.5", "not a number"),
        ("g-pass@8_0.5(tau=0.25)", "tau"),
    ],
)
def test_a_name_that_does_not_hold_together_is_explained(name: str, told: str) -> None:
    with pytest.raises(ErrbarError, match=told) as error:
        parse(name)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pass@0", "at least 1"),
        ("g-pass@8_1.5", "tau"),
        ("g-pass@8_nan", "g-pass"),
        ("geo-spectrum@8(lam=2)", "lam"),
        ("geo-spectrum@8(lam='a')", "lam"),
        ("spectrum@2", "weights"),
        ("spectrum@2(weights=[1])", "k=2"),
        ("spectrum@2(weights=[0.5, 0.6])", "at most 1"),
        ("spectrum@2(weights=3)", "weights"),
        ("spectrum@2(weights=[[1], [2, 3]])", "weights"),
        ("geom@2(pass_power=0, unanimous_power=0)", "both 0"),
        ("bayes(weights=[1])", "at least two entries"),
        ("max@2(weights=['a', 'b'])", "weights"),
    ],
)
def test_a_bad_value_in_a_name_is_named(name: str, told: str) -> None:
    with pytest.raises(ErrbarError, match=told) as error:
        parse(name)
    assert isinstance(error.value, ValueError)
    assert name in str(error.value)


@pytest.mark.parametrize("name", [8, None, b"pass@8", PassAt(8), ["pass@8"]])
def test_a_name_must_be_text(name: object) -> None:
    with pytest.raises(ErrbarError):
        parse(name)  # type: ignore[arg-type]


def test_a_family_is_the_metric_of_every_k() -> None:
    for name, member in [
        ("pass@k", PassAt(3)),
        ("Unanimous@K", PassHat(3)),
        ("g-pass@k_0.5", GPass(3, 0.5)),
        ("geo-spectrum@k(lam=0.25)", GeoSpectrum(3, 0.25)),
    ]:
        assert family(name)(3) == member
    for name in ("pass@8", "avg"):
        with pytest.raises(UnknownMetric, match="letter k"):
            family(name)


def test_errors_form_one_tree() -> None:
    for kind in (InputError, NotEnoughTrials, UnknownMetric, WrongType):
        assert issubclass(kind, ErrbarError)
        assert issubclass(kind, ValueError)
    assert issubclass(WrongType, TypeError)


ks = st.integers(1, 12)
shares = st.floats(0.0, 1.0)
powers = st.floats(0.0, 100.0)
weights = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=5).map(tuple)


@st.composite
def spectra(draw: st.DrawFn) -> tuple[int, tuple[float, ...]]:
    k = draw(ks)
    raw = draw(st.lists(st.floats(0.0, 1.0), min_size=k, max_size=k))
    return k, tuple(weight / k for weight in raw)


@given(
    st.one_of(
        st.builds(PassAt, ks),
        st.builds(GPass, ks, shares),
        st.builds(GeoSpectrum, ks, shares),
        st.builds(Bayes, weights),
        st.builds(Average, weights),
        st.builds(MaxAt, ks, weights),
        st.builds(Geom, ks, powers, powers.map(lambda power: power + 1e-3)),
        st.builds(DatasetGeom, ks, powers.map(lambda power: power + 1e-3), powers),
        spectra().map(lambda given: Spectrum(*given)),
        st.tuples(spectra(), shares).map(lambda both: GeoSpectrum(both[0][0], both[1], both[0][1])),
    )
)
def test_any_parameters_read_back(metric: Metric) -> None:
    assert parse(str(metric)) == metric
    assert hash(parse(str(metric))) == hash(metric)
