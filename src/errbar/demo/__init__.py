"""A small example to try things on: synthetic outcomes of three systems.

No model was run for it: `outcomes.csv` holds what `outcomes` makes, the same bytes every time, and
`python -c "from errbar import demo; demo.write()"` writes it.

A question has a difficulty, a system a skill and a steadiness: how sharply its success rate falls
where difficulty passes skill. Some questions are right always and some never, whoever is asked.
`medium` and `large` have nearly the same share of right trials; `large` is the steadier. The seed
and the skill of `large` were picked, among some fifty tried, for that near tie: nothing can be
learned from these data about how often an interval holds.
"""

import csv
import io
import math
import random
from importlib.resources import files
from pathlib import Path

from errbar.data.counts import Counts

ABOUT = "Synthetic data: 3 invented systems, 40 questions, 8 trials each, right or wrong."

QUESTIONS, TRIALS = 40, 8
ALWAYS, NEVER = 5, 4  # questions that every system gets right, and that none does
SYSTEMS = {"small": (-0.9, 1.2), "medium": (0.7, 1.0), "large": (0.75, 1.6)}  # skill, steadiness
SEED = 1


def load() -> dict[str, Counts]:
    """Counts by system, with the ids of the questions.

    Examples
    --------
    >>> counts = load()["small"]
    >>> len(counts), counts.questions[0], int(counts.trials[0])
    (40, 'q01', 8)
    """
    outcomes: dict[str, dict[str, list[int]]] = {}
    table = files(__name__).joinpath("outcomes.csv").read_text(encoding="ascii")
    for row in csv.DictReader(table.splitlines()):
        of_system = outcomes.setdefault(row["system"], {})
        of_system.setdefault(row["question"], []).append(int(row["outcome"]))
    return {
        system: Counts(
            trials=[len(trials) for trials in questions.values()],
            correct=[sum(trials) for trials in questions.values()],
            questions=list(questions),
        )
        for system, questions in outcomes.items()
    }


def outcomes() -> str:
    """The table: a row per trial."""
    # Of random.Random only random() is promised to give the same numbers in every Python.
    draw = random.Random(SEED).random
    difficulty = [-2.5 + 5.0 * draw() for _ in range(QUESTIONS)]
    easiest = sorted(range(QUESTIONS), key=difficulty.__getitem__)
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(["task", "system", "question", "trial", "outcome"])
    for system, (skill, steadiness) in SYSTEMS.items():
        rates = [1.0 / (1.0 + math.exp(steadiness * (hard - skill))) for hard in difficulty]
        rates = [
            1.0 if at in easiest[:ALWAYS] else 0.0 if at in easiest[-NEVER:] else rate
            for at, rate in enumerate(rates)
        ]
        for at, rate in enumerate(rates):
            for trial in range(TRIALS):
                outcome = int(draw() < rate)
                write(["synthetic", system, f"q{at + 1:02}", trial + 1, outcome])
    return text.getvalue()


def write() -> None:
    """Write the table beside this file."""
    Path(__file__).with_name("outcomes.csv").write_bytes(outcomes().encode("ascii"))
