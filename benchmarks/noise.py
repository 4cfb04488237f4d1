"""Coverage of what `errbar noise` prints: `python -m benchmarks.noise [--data-sets N]`.

Questions have success rates from a distribution that is known, and trials of 0 and 1, or rewards.
A cell is the share of 95% intervals that hold the true component; the bias is the mean estimate
less the truth, in standard errors of that mean. Ragged: 2 to 8 trials of a question. Clusters:
a third of the variance between questions is between their clusters. Columns: levels with normal
effects, crossed with questions, or levels of their own for every question (nested).
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from errbar.analysis.noise import NoiseMeasurement, NoiseRequest
from errbar.base.arrays import Array, Integers
from errbar.kernels.variance_components import CellTable, Design, UnitSums

Draw = Callable[[np.random.Generator], CellTable]
_MANY = 2_000_000


class Case(NamedTuple):
    """A way to draw data, and the true components by name."""

    name: str
    draw: Draw
    truth: Mapping[str, float]
    by: tuple[str, ...] = ()


def table(
    right: Array, trials: Array, factors: Mapping[str, Integers], most: float = 0.25
) -> CellTable:
    """Cells of right and wrong trials, of questions that count alike."""
    mean = right / trials
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(trials > 1, mean * (1.0 - mean) * trials / (trials - 1), np.nan)
    return rows_of(mean, np.square(mean) + mean * (1.0 - mean), variance, trials, factors, most)


def rows_of(
    mean: Array,
    squares: Array,
    variance: Array,
    trials: Array,
    factors: Mapping[str, Integers],
    most: float = 0.25,
) -> CellTable:
    """The cells as the kernel takes them."""
    question = factors["questions"]
    return CellTable(
        factors=factors,
        mean=mean,
        squares=squares,
        variance=variance,
        per_row=1.0 / trials,
        weight=trials / np.bincount(question, trials)[question],
        bounds=(0.0, 1.0) if most < 0.5 else (-1.0, 1.0),
        most=most,
    )


def scores() -> Iterator[Case]:
    """Success rates from a Beta distribution."""
    for a, b in ((0.5, 0.5), (1.0, 1.0), (8.0, 4.0), (0.3, 3.0), (5.0, 0.3), (1e6, 1e6)):
        mean = a / (a + b)
        whole = mean * (1.0 - mean)
        data = whole / (a + b + 1.0)
        truth = {"choice of questions": data, "trial noise": whole - data, "ICC": data / whole}
        for questions in (20, 50, 200):
            for trials in (2, 5, 0):

                def draw(
                    rng: np.random.Generator,
                    a: float = a,
                    b: float = b,
                    questions: int = questions,
                    trials: int = trials,
                ) -> CellTable:
                    often = np.full(questions, trials) if trials else rng.integers(2, 9, questions)
                    right = rng.binomial(often, rng.beta(a, b, questions))
                    factors = {"questions": np.arange(questions)}
                    return table(right.astype(float), often.astype(float), factors)

                each = trials or "ragged"
                yield Case(f"Beta({a:g}, {b:g}), {questions} × {each}", draw, truth)


def _odds(mean: float, spread: Array) -> Array:
    rates: Array = 1.0 / (1.0 + np.exp(-(mean + spread)))
    return rates


def differences() -> Iterator[Case]:
    """Two systems with log odds that are alike, or apart by a normal difference."""
    for apart in (0.0, 0.5, 1.5):

        def rates(rng: np.random.Generator, size: int, apart: float = apart) -> tuple[Array, Array]:
            common = 1.5 * rng.standard_normal(size)
            return _odds(0.5, common), _odds(0.0, common + apart * rng.standard_normal(size))

        first, second = rates(np.random.default_rng(1), _MANY)
        data = float(np.var(first - second))
        luck = float(np.mean(first * (1.0 - first) + second * (1.0 - second)))
        truth = {"choice of questions": data, "trial noise": luck, "ICC": data / (data + luck)}
        for questions in (20, 100):
            for trials in (2, 8):

                def draw(
                    rng: np.random.Generator,
                    rates: Callable[..., tuple[Array, Array]] = rates,
                    questions: int = questions,
                    trials: int = trials,
                ) -> CellTable:
                    often = np.full(questions, float(trials))
                    each = [rng.binomial(trials, p) / trials for p in rates(rng, questions)]
                    within = each[0] * (1.0 - each[0]) + each[1] * (1.0 - each[1])
                    mean = each[0] - each[1]
                    variance = within * trials / (trials - 1)
                    factors = {"questions": np.arange(questions)}
                    return rows_of(mean, np.square(mean) + within, variance, often, factors, 0.5)

                name = f"difference, disagreement {apart:g}, {questions} × {trials}"
                yield Case(name, draw, truth)


def clusters() -> Iterator[Case]:
    """Questions in clusters of equal or different sizes."""
    between, data = 0.02, 0.0196

    def rates(rng: np.random.Generator, cluster: Integers) -> Array:
        own = rng.uniform(-1.0, 1.0, int(cluster.max()) + 1)[cluster] * np.sqrt(3.0 * between)
        found: Array = 0.5 + own + rng.uniform(-1.0, 1.0, cluster.size) * np.sqrt(3.0 * data)
        return found

    luck = 0.25 - between - data
    truth = {
        "choice of clusters": between,
        "choice of questions": data,
        "trial noise": luck,
        "ICC": (between + data) / 0.25,
    }
    for number in (20, 60):
        for sizes in ((4,), (1, 2, 9)):

            def draw(
                rng: np.random.Generator, number: int = number, sizes: tuple[int, ...] = sizes
            ) -> CellTable:
                cluster = np.repeat(np.arange(number), rng.choice(sizes, number))
                often = np.full(cluster.size, 4.0)
                right = rng.binomial(4, rates(rng, cluster)).astype(float)
                factors = {"clusters": cluster, "questions": np.arange(cluster.size)}
                return table(right, often, factors)

            yield Case(f"{number} clusters of {', '.join(map(str, sizes))}", draw, truth)


def columns() -> Iterator[Case]:
    """Levels of a column, with effects of their own and on single questions."""
    data, joint = 0.02, 0.005
    for level_sd in (0.0, 0.05, 0.1):
        for levels in (3, 6, 12):
            for trials in (1, 3):

                def draw(
                    rng: np.random.Generator,
                    level_sd: float = level_sd,
                    levels: int = levels,
                    trials: int = trials,
                ) -> CellTable:
                    question, level = (part.ravel() for part in np.indices((60, levels)))
                    rate = 0.5 + rng.uniform(-1.0, 1.0, 60)[question] * np.sqrt(3.0 * data)
                    rate = rate + level_sd * rng.standard_normal(levels)[level]
                    rate += rng.uniform(-1.0, 1.0, rate.size) * np.sqrt(3.0 * joint)
                    right = rng.binomial(trials, np.clip(rate, 0.0, 1.0)).astype(float)
                    factors = {"questions": question, "column 1": level}
                    return table(right, np.full(rate.size, float(trials)), factors)

                luck = 0.25 - data - joint - level_sd**2
                truth = {"choice of questions": data, "judge": level_sd**2}
                if trials > 1:
                    truth |= {"judge × question": joint, "trial noise": luck}
                else:
                    truth |= {"trial noise, and judge × question": luck + joint}
                name = f"{levels} judges of sd {level_sd:g}, 60 × {trials}"
                yield Case(name, draw, truth, ("judge",))

    def nested(rng: np.random.Generator) -> CellTable:
        question = np.repeat(np.arange(60), 3)
        rate = 0.5 + rng.uniform(-1.0, 1.0, 60)[question] * np.sqrt(3.0 * data)
        rate = rate + rng.uniform(-1.0, 1.0, 180) * np.sqrt(3.0 * joint)
        right = rng.binomial(3, rate).astype(float)
        factors = {"questions": question, "column 1": np.arange(180)}
        return table(right, np.full(180, 3.0), factors)

    truth = {"choice of questions": data, "prompt": joint, "trial noise": 0.25 - data - joint}
    yield Case("3 prompts of every question, nested, 60 × 3", nested, truth, ("prompt",))


def rewards() -> Iterator[Case]:
    """Rewards between 0 and 1 that are not 0 or 1."""
    a, b, size = 1.0, 3.0, 4.0  # of the means of questions, and of rewards around them
    many = np.random.default_rng(2).beta(a, b, _MANY)
    data, luck = float(np.var(many)), float(np.mean(many * (1.0 - many)) / (size + 1.0))
    truth = {"choice of questions": data, "trial noise": luck, "ICC": data / (data + luck)}
    for questions in (20, 100):

        def draw(rng: np.random.Generator, questions: int = questions) -> CellTable:
            mean = np.clip(rng.beta(a, b, questions), 1e-9, 1.0 - 1e-9)[:, None]
            each = rng.beta(size * mean, size * (1.0 - mean), (questions, 3))
            factors = {"questions": np.arange(questions)}
            variance, squares = each.var(axis=1, ddof=1), np.square(each).mean(axis=1)
            often = np.full(questions, 3.0)
            return rows_of(each.mean(axis=1), squares, variance, often, factors)

        yield Case(f"rewards, {questions} × 3", draw, truth)


def study(data_sets: int, only: str) -> Iterator[str]:
    """A row per case: coverage and bias of each component."""
    for kind in (scores, differences, clusters, columns, rewards):
        for case in kind():
            if only not in case.name:
                continue
            held = dict.fromkeys(case.truth, 0)
            values: dict[str, list[float]] = {name: [] for name in case.truth}
            for seed in range(data_sets):
                cells = case.draw(np.random.default_rng([seed, len(case.name)]))
                sums = UnitSums.of(cells)
                request = NoiseRequest(by=case.by, rng=seed)
                found = NoiseMeasurement(cells, sums, Design.of(cells, sums), request)
                measured = {source.name: source.variance for source in found.sources()}
                measured["ICC"] = found.icc()
                for name, true in case.truth.items():
                    values[name].append(measured[name].value)
                    held[name] += measured[name].holds(true)
            cells_of_row = []
            for name, true in case.truth.items():
                each = np.array(values[name])
                off = (np.nanmean(each) - true) / max(np.nanstd(each) / np.sqrt(data_sets), 1e-12)
                bias = "" if name == "ICC" else f" ({off:+.1f})"
                cells_of_row.append(f"{name} {100 * held[name] / data_sets:.1f}{bias}")
            yield f"| {case.name} | {'; '.join(cells_of_row)} |"


def main(arguments: list[str]) -> None:
    """Print the study as a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=500)
    parser.add_argument("--only", default="", help="a part of the names of cases")
    chosen = parser.parse_args(arguments)
    print("| case | coverage in % (bias in standard errors) |\n|---|---|")
    for row in study(chosen.data_sets, chosen.only):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
