"""Documents that have only totals, and are refused: an error bar needs every question."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import some_of
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.errors import NoOutcomes

# Names of aggregate scores: an object of these has no outcomes of questions.
_TOTALS = frozenset(
    {
        *("accuracy", "acc", "score", "mean", "avg", "average", "f1", "stderr", "std", "total"),
        *("precision", "recall", "exact_match", "em", "loss", "pass@1", "overall", "main_score"),
        *("count", "n", "num_samples", "success_rate", "win_rate", "pass_rate", "resolved_rate"),
    }
)
# Number of questions that something is the total of.
_QUESTIONS = re.compile(
    r"(n|num|number_of|total)_(questions|problems|tasks|examples|items|instances|cases|prompts)"
)
_FEW = 10  # fewer shares between 0 and 1 than this are totals rather than outcomes


def refuse_few_shares(
    inner: Sequence[Mapping[str, Any]], systems: float, questions: float, where: str
) -> None:
    """Raise an error for scores of systems on a few tasks, which look like outcomes."""
    shares = [share for each in inner for share in each.values() if isinstance(share, float)]
    if questions < _FEW and any(0 < share < 1 for share in shares):
        raise NoOutcomes(
            f"{where}: it contains {systems:.0f} x {questions:.0f} shares between 0 and 1, which "
            f"look like totals of tasks, and an error bar needs every question. If they are "
            f"outcomes, save a table with the columns system, question and outcome."
        )


def refuse_totals(value: JsonObject, where: str) -> None:
    """Raise an error for an object of a few aggregate scores."""
    shares = [
        number
        for number in value.values()
        if isinstance(number, float) and not isinstance(number, bool) and 0 < number < 1
    ]
    named = [key for key in value if str(key).lower() in _TOTALS]
    if named or (shares and len(value) < _FEW):
        raise NoOutcomes(
            f"{where}: it has only totals ({some_of(value, 6)}), and an error bar needs every "
            f"question. Load the file with the outcome of each question."
        )


def refuse_totals_of(value: Mapping[str, JsonObject], where: str) -> None:
    """Raise an error for an object of totals by task or by system, or by both."""
    entries = list(value.values())
    if all(isinstance(part, dict) for entry in entries for part in entry.values()):
        entries = [part for entry in entries for part in entry.values()]
    fields = {str(name).lower() for entry in entries for name in entry}
    sized = [name for name in fields if _QUESTIONS.fullmatch(name)]
    if sized and not any(are_counts(entry, {}) for entry in entries):
        raise NoOutcomes(
            f"{where}: it has only totals ({some_of(value, 6)}, with {some_of(sized)}), and an "
            f"error bar needs every question. Load the file with the outcome of each question."
        )
    if fields and fields <= _TOTALS and not any(are_counts(entry, {}) for entry in entries):
        whole = {name: score for entry in entries for name, score in entry.items()}
        refuse_totals(whole, where)
