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

    With `ties="first"` a tie goes to the answer that was given first, as many harnesses have it;
    `k` must then be the number of trials.

    Examples
    --------
    >>> VoteAt(3).values([Ballots(votes=(2, 1), credit=(1.0, 0.0), silent=0)])
    [1.0]
    """

    numbered: ClassVar[str | None] = "k"
    needs: ClassVar[Needs] = Needs.ANSWER
    k: int
    ties: str = "split"

    def __post_init__(self) -> None:
        set_fields(self, k=draws_of(self.k))
        if self.ties not in ("split", "first"):
            raise InputError(f"ties must be 'split' or 'first'; got {self.ties!r}.")

    def values(self, questions: Sequence[Ballots]) -> list[float]:
        """The mean over every k-subset of the trials, of each question."""
        if any(one.trials > _MOST_TRIALS for one in questions):
            raise InputError(f"{self}: votes are counted among {_MOST_TRIALS} trials at most.")
        if self.ties == "first":
            return [self._credit_of_first(one) for one in questions]
        return [
            mean_credit(one.votes, one.credit, one.silent, self.k) if one.trials else 0.0
            for one in questions
        ]

    def _credit_of_first(self, question: Ballots) -> float:
        if question.trials != self.k or (question.votes and not question.first):
            raise InputError(
                f"{self} needs {self.k} numbered trials of every question, and no more; one has "
                f"{question.trials}. Split ties instead: vote@{self.k}."
            )
        order = zip(question.votes, (-at for at in question.first), question.credit, strict=True)
        return max(order, default=(0, 0.0, 0.0))[2]
