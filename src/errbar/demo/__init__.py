"""A small example to try things on: synthetic outcomes of three systems.

`outcomes.csv` is made by `make_outcomes.py` beside it; no model was run for it.
"""

import csv
from importlib.resources import files

from errbar.data.counts import Counts

ABOUT = "Synthetic data: 3 invented systems, 40 questions, 8 trials each, right or wrong."


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
