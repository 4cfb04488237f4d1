"""Votes by answer: the answer given most often is taken, and is right or not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from errbar.data.ballots import Ballots
from errbar.errors import InputError
from errbar.kernels.plurality import mean_credit
from errbar.metrics.base import Metric, Needs, draws_of, set_fields
from errbar.metrics.registry import register

_MOST_TRIALS = 1000  # of more, the number of subsets is beyond a float


@register("vote@", "plurality@")
@dataclass(frozen=True)
class VoteAt(Metric):
    """Chance that the answer most often given among `k` draws is right, ties split.

    Examples
    --------
    >>> VoteAt(3).values([Ballots(votes=(2, 1), credit=(1.0, 0.0), silent=0)])
    [1.0]
    """

    numbered: ClassVar[str | None] = "k"
    needs: ClassVar[Needs] = Needs.ANSWER
    k: int

    def __post_init__(self) -> None:
        set_fields(self, k=draws_of(self.k))

    def values(self, questions: Sequence[Ballots]) -> list[float]:
        """The mean over every k-subset of the trials, of each question."""
        if any(one.trials > _MOST_TRIALS for one in questions):
            raise InputError(f"{self}: votes are counted among {_MOST_TRIALS} trials at most.")
        return [
            mean_credit(one.votes, one.credit, one.silent, self.k) if one.trials else 0.0
            for one in questions
        ]
