"""One exception tree. Every class says what was asked, what was found, where, and what to do.

ErrbarError
├── InternalError                 errbar contradicts itself; please report it
└── InputError (ValueError)       something given cannot be used
    ├── WrongType (TypeError)     of a kind that has no meaning here: k=2.0, text, a masked array
    ├── NotEnoughTrials           fewer trials than the metric draws
    ├── OutOfReach                a coverage that too few answers make up
    ├── UnknownMetric             a name that the grammar does not know
    ├── UnknownColumn             a column that is not there, or means nothing here
    ├── RepeatedTrial             one trial of a question occurs more than once
    ├── NoOutcomes                a document that holds no outcomes of questions
    └── NotThere                  a file, a row or a system is not there, or not yet

And one warning:

UnequalCoverage (UserWarning)     areas of systems that answer different shares of the items
"""


class ErrbarError(Exception):
    """Everything errbar raises on purpose."""


class InternalError(ErrbarError):
    """Errbar contradicts itself, so that none of its numbers can be trusted."""

    def __init__(self, found: str) -> None:
        super().__init__(f"errbar is wrong here, not your data: {found} Please report it.")


class InputError(ErrbarError, ValueError):
    """Something given cannot be used."""


class WrongType(InputError, TypeError):
    """An argument is of a kind that has no meaning here."""


class NotEnoughTrials(InputError):
    """A question has fewer trials than the metric draws."""


class OutOfReach(InputError):
    """Too few items were answered for a coverage, or for any."""


class UnknownMetric(InputError):
    """A metric's name is not in the grammar."""


class UnknownColumn(InputError):
    """A column is not there, or means nothing here."""


class RepeatedTrial(InputError):
    """One trial of a question occurs more than once."""


class NoOutcomes(InputError):
    """A document holds no outcomes of questions, or only totals."""


class NotThere(InputError):
    """A file, a row or a system is not there, or not yet."""


class UnequalCoverage(UserWarning):
    """Areas are compared of systems that answer different shares of the items."""
