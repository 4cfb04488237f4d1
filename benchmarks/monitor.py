"""Whether peeking is free: false alarms of `errbar monitor`, and how soon it stops.

    scripts/bench monitor            # 4,000 runs a cell, about five minutes
    scripts/bench monitor --runs 500

A run has 1,000 questions with 1 or 4 trials each, and is looked at after every trial: wealth moves
only when a question is complete, so a look after every question sees all there is. A false alarm is
a claim, either way, that was made at any look though the rate is on the line, or the systems are
equal question by question. Beside it, the same runs with a 95% interval that is made for one look,
looked at as often. Then the questions until a stop where there is something to find, beside the
number that a test planned in advance needs to find it in 80% of all runs; and how wide intervals
are. Claims are watched for both ways.
"""

import argparse
import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.difficulties import DIFFICULTIES, Difficulty, Point
from errbar.kernels.betting import log_wealth, low_ends
from errbar.kernels.interval import normal_reach

Array = NDArray[np.floating[Any]]

QUESTIONS, LEVEL = 1000, 0.95
NEEDED = math.log(2.0 / (1.0 - LEVEL))
RATES = (0.5, 0.8, 0.95)
EFFECTS = ((0.5, 0.55), (0.5, 0.6), (0.5, 0.7), (0.8, 0.85), (0.8, 0.9), (0.95, 0.98))
GAINS = (0.05, 0.1, 0.2)  # of what the other system gets wrong
LONGEST, RUNS_TO_STOP = 8000, 400  # questions and runs where there is something to find
_AT_ONCE = 500  # runs
_EARLIEST = 10  # question, at which the interval for one look is first looked at


def stops(values: Array, line: float, least: float) -> Array:
    """The question at which each run is stopped; infinite where it is not."""
    up, mean = (values - least) / (1.0 - least), (line - least) / (1.0 - least)
    above, below = log_wealth(up, mean), log_wealth(1.0 - up, 1.0 - mean)
    reached = (above >= NEEDED) | (below >= NEEDED)
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


def peeked(values: Array, line: float) -> NDArray[np.bool_]:
    """Whether a normal interval, made for one look, ever leaves the line out."""
    number = np.arange(1, values.shape[1] + 1)
    mean = np.cumsum(values, axis=1) / number
    square = np.cumsum(np.square(values), axis=1) / number - np.square(mean)
    sd = np.sqrt(np.maximum(square, 1e-12) / number)
    out = np.abs(mean - line) > normal_reach(LEVEL) * sd
    return np.asarray(out[:, _EARLIEST - 1 :].any(axis=1))


def fixed(rate: float) -> Difficulty:
    """Questions of one rate."""
    return Difficulty(f"rate {rate}", "", ((1.0, Point(rate)),))


def means(of: Difficulty, trials: int, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Mean outcome of each question of each run."""
    return rng.binomial(trials, of.draw(rng, shape)) / trials


def differences(
    of: Difficulty, trials: int, shape: tuple[int, int], rng: np.random.Generator, gain: float = 0.0
) -> Array:
    """Of two systems question by question; the first gets right some of what the other does not."""
    rate = of.draw(rng, shape)
    better = rate + gain * (1.0 - rate)
    return (rng.binomial(trials, better) - rng.binomial(trials, rate)) / trials


def alarms(of: Difficulty, trials: int, line: float, runs: int, rng: np.random.Generator) -> None:
    """Share of runs with a false alarm and its standard error; a line at 0 is for differences."""
    found = naive = 0.0
    draw, least, what = (means, 0.0, "") if line else (differences, -1.0, "equal, ")
    for start in range(0, runs, _AT_ONCE):
        values = draw(of, trials, (min(_AT_ONCE, runs - start), QUESTIONS), rng)
        found += float(np.isfinite(stops(values, line, least)).sum())
        naive += float(peeked(values, line).sum())
    share = found / runs
    error = math.sqrt(share * (1.0 - share) / runs)
    monitor = f"{100 * share:.2f}% ± {100 * error:.2f}"
    print(f"{what + of.name:24}{trials:>7}{monitor:>18}{100 * naive / runs:>15.0f}%", flush=True)


def false_alarms(runs: int, rng: np.random.Generator) -> None:
    """Every difficulty, and rates that are on the line."""
    print(f"False alarms in whole runs of {QUESTIONS} questions, {runs} runs each")
    print(f"{'':24}{'trials':>7}{'monitor':>18}{'one look':>16}")
    for trials in (1, 4):
        for rate in RATES:
            alarms(fixed(rate), trials, rate, runs, rng)
        for shape in DIFFICULTIES.values():
            alarms(shape, trials, 0.0, runs, rng)


def planned(gap: float, sd: float, sd_on_line: float) -> float:
    """Questions that a two-sided test needs for a chance of 80% to see a mean off its line."""
    power = NormalDist().inv_cdf(0.8)
    return ((normal_reach(LEVEL) * sd_on_line + power * sd) / gap) ** 2


def stop_line(name: str, values: Array, line: float, least: float, sd_on_line: float) -> None:
    """Questions until a stop."""
    shares = np.quantile(stops(values, line, least), [0.1, 0.5, 0.8], method="higher")
    cells = "".join(f"{share:>8.0f}" for share in shares)
    needs = planned(float(values.mean()) - line, float(values.std()), sd_on_line)
    print(f"{name:30}{cells}{needs:>10.0f}", flush=True)


def real_effects(rng: np.random.Generator) -> None:
    """Rates off the line, and a system that is better than another."""
    print("\nQuestions until a stop, in 10, 50 and 80% of runs; planned: one look, power 80%")
    print(f"{'':30}{'10%':>8}{'50%':>8}{'80%':>8}{'planned':>10}")
    shape = RUNS_TO_STOP, LONGEST
    for line, rate in EFFECTS:
        values = means(fixed(rate), 1, shape, rng)
        sd_on_line = math.sqrt(line * (1.0 - line))
        stop_line(f"rate {rate} against {line}", values, line, 0.0, sd_on_line)
    for trials in (1, 4):
        for gain in GAINS:
            values = differences(DIFFICULTIES["uniform"], trials, shape, rng, gain)
            name = f"better by {gain / 2:g}, trials {trials}"
            stop_line(name, values, 0.0, -1.0, float(values.std()))


def widths(rng: np.random.Generator) -> None:
    """How wide intervals are, in the middle of 100 runs."""
    print("\nWidth of the interval after so many questions, and how many times that for one look")
    at = np.array([30, 100, 300, 1000])
    print(f"{'':10}" + "".join(f"{number:>16}" for number in at))
    for rate in RATES:
        runs = means(fixed(rate), 1, (100, QUESTIONS), rng)
        each = [1.0 - low_ends(1.0 - run, NEEDED) - low_ends(run, NEEDED) for run in runs]
        found = np.median(each, axis=0)[at - 1]
        one_look = 2.0 * normal_reach(LEVEL) * np.sqrt(rate * (1.0 - rate) / at)
        cells = (f"{w:.3f} ({w / f:.2f}×)" for w, f in zip(found, one_look, strict=True))
        print(f"{f'rate {rate}':10}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="False alarms of errbar monitor.")
    parser.add_argument("--runs", type=int, default=4000)
    runs = parser.parse_args().runs
    rng = np.random.default_rng(0)
    false_alarms(runs, rng)
    real_effects(rng)
    widths(rng)


if __name__ == "__main__":
    main()
