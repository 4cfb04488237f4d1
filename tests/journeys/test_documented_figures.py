"""Every figure of the documentation, to the digits that it prints.

Estimates and moments are printed with six digits and the ends of intervals with four, but for
`avg_ci`, where all four numbers have four.
"""

from typing import Any, NamedTuple

import pytest

from errbar import eval as functions

BINARY = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
GRADED = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
WEIGHTS = [0.0, 0.5, 1.0]
BEFORE = [[0, 2], [1, 2]]
UNIT = (0.0, 1.0)

SIX = (6, 6, 4, 4)
FOUR = (4, 4, 4, 4)


class Figure(NamedTuple):
    """A call, what it prints, and with how many digits."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    printed: tuple[float, ...]
    digits: tuple[int, ...] = SIX

    def __str__(self) -> str:
        given = [repr(arg) for arg in self.args if not isinstance(arg, list)]
        given += [f"{key}={value!r}" for key, value in self.options.items()]
        return f"{self.name}({', '.join(given)})"


FIGURES = [
    Figure("bayes", (GRADED, WEIGHTS, BEFORE), {}, (0.575, 0.084275)),
    Figure("bayes", (GRADED, WEIGHTS), {}, (0.5625, 0.091998)),
    Figure("bayes_ci", (BINARY,), {"bounds": UNIT}, (0.642857, 0.118451, 0.4107, 0.875)),
    Figure("avg", (BINARY,), {}, (0.7, 0.165831)),
    Figure("avg", (GRADED, WEIGHTS), {}, (0.6, 0.147196)),
    Figure("avg_ci", (BINARY,), {"bounds": UNIT}, (0.7, 0.1658, 0.375, 1.0), FOUR),
    Figure("avg_ci", (GRADED, WEIGHTS), {"confidence": 0.95}, (0.6, 0.1472, 0.3115, 0.8885), FOUR),
    Figure("pass_at_k", (BINARY, 1), {}, (0.7,)),
    Figure("pass_at_k", (BINARY, 2), {}, (0.95,)),
    Figure("pass_hat_k", (BINARY, 1), {}, (0.7,)),
    Figure("pass_hat_k", (BINARY, 2), {}, (0.45,)),
    Figure("pass_at_k_ci", (BINARY, 1), {}, (0.642857, 0.118451, 0.4107, 0.875)),
    Figure("pass_at_k_ci", (BINARY, 2), {}, (0.839286, 0.097263, 0.6487, 1.0)),
    Figure("pass_hat_k_ci", (BINARY, 1), {}, (0.642857, 0.118451, 0.4107, 0.875)),
    Figure("pass_hat_k_ci", (BINARY, 2), {}, (0.446429, 0.146167, 0.1599, 0.7329)),
    Figure("auc_at_k", (BINARY, 1), {}, (0.7,)),
    Figure("auc_at_k", (BINARY, 2), {}, (0.825,)),
    Figure("auc_at_k", (BINARY, 3), {}, (0.9,)),
    Figure("maj_at_k", (BINARY, 1), {}, (0.7,)),
    Figure("maj_at_k", (BINARY, 2), {}, (0.45,)),
    Figure("maj_at_k", (BINARY, 3), {}, (0.85,)),
    Figure("maj_at_k_ci", (BINARY, 2), {}, (0.446429, 0.146167, 0.1599, 0.7329)),
    Figure("maj_at_k_ci", (BINARY, 3), {}, (0.684524, 0.151958, 0.3867, 0.9824)),
    Figure("g_pass_at_k", (BINARY, 1), {}, (0.7,)),
    Figure("g_pass_at_k", (BINARY, 2), {}, (0.45,)),
    Figure("g_pass_at_k_tau", (BINARY, 2, 0.5), {}, (0.95,)),
    Figure("g_pass_at_k_tau", (BINARY, 2, 1.0), {}, (0.45,)),
    Figure("mg_pass_at_k", (BINARY, 2), {}, (0.45,)),
    Figure("mg_pass_at_k", (BINARY, 3), {}, (0.166667,)),
    Figure("geom_at_k", (BINARY, 2), {}, (0.647106,)),
    Figure("geom_at_k_ci", (BINARY, 2), {}, (0.610666, 0.133107, 0.3498, 0.8716)),
    Figure("geom_ds_at_k", (BINARY, 2), {}, (0.653835,)),
    Figure("geom_ds_at_k_ci", (BINARY, 2), {}, (0.612112, 0.132755, 0.3519, 0.8723)),
    Figure("geo_spectrum_at_k", (BINARY, 3), {}, (0.408248,)),
    Figure("geo_spectrum_at_k", (BINARY, 3), {"lam": 1.0}, (1.0,)),
    Figure("max_at_k", (BINARY, 2), {}, (0.95,)),
    Figure("max_at_k", (GRADED, 2), {"w": WEIGHTS}, (0.85,)),
    Figure("max_at_k_ci", (BINARY, 2), {}, (0.839286, 0.097263, 0.6487, 1.0)),
    Figure("max_at_k_ci", (GRADED, 2), {"w": WEIGHTS}, (0.75, 0.08812, 0.5773, 0.9227)),
]


@pytest.mark.parametrize("figure", FIGURES, ids=str)
def test_figure_is_reproduced(figure: Figure) -> None:
    found = getattr(functions, figure.name)(*figure.args, **figure.options)
    numbers = found if isinstance(found, tuple) else (found,)
    assert len(numbers) == len(figure.printed)
    shown = tuple(round(x, d) for x, d in zip(numbers, figure.digits, strict=False))
    assert shown == figure.printed


def test_the_star_and_the_aliases_print_what_they_stand_for() -> None:
    assert round(functions.geo_spectrum_star_at_k(BINARY, 3), 6) == 0.408248
    assert round(functions.unanimous_at_k(BINARY, 2), 6) == 0.45
    assert functions.g_pass_at_k_ci(BINARY, 2) == functions.pass_hat_k_ci(BINARY, 2)
    assert functions.auc_at_k_ci(BINARY, 1) == pytest.approx(
        functions.pass_at_k_ci(BINARY, 1), rel=1e-14
    )
