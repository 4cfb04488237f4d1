"""The exceptions of errbar. A message states the request, the finding, its place and a remedy.

ErrbarError
├── InternalError                 errbar contradicts itself; please report it
└── InputError (ValueError)       an argument or the data cannot be used
    ├── WrongType (TypeError)     an argument of the wrong type: k=2.0, text, a masked array
    ├── NotEnoughTrials           a question has fewer trials than the metric draws
    ├── OutOfReach                a coverage that the answered items do not reach
    ├── UnknownMetric             a name that the grammar of metrics does not contain
    ├── UnknownColumn             a column that does not exist or has no meaning here
    ├── RepeatedTrial             a trial of a question occurs more than once
    ├── MissingExtra              a package that comes with an extra of errbar is not installed
    ├── NoOutcomes                a document without outcomes of questions
    └── NotThere                  a file, a row or a system does not exist, or not yet

There is one warning:

UnequalCoverage (UserWarning)     areas of systems that answer different shares of the items
"""


class ErrbarError(Exception):
    """Base class of all exceptions that errbar raises."""


class NotEnoughMemory(ErrbarError, MemoryError):
    """The engine ran out of memory."""


class InternalError(ErrbarError):
    """Errbar contradicts itself, so its numbers cannot be trusted; this is a bug in errbar."""

    def __init__(self, found: str) -> None:
        super().__init__(f"this is a bug in errbar, not in your data: {found} Please report it.")


class InputError(ErrbarError, ValueError):
    """An argument or the data cannot be used."""


class WrongType(InputError, TypeError):
    """An argument has the wrong type."""


class NotEnoughTrials(InputError):
    """A question has fewer trials than the metric draws."""


class OutOfReach(InputError):
    """The answered items do not reach a coverage, or no item was answered."""


class UnknownMetric(InputError):
    """The grammar of metrics does not contain a name."""


class UnknownColumn(InputError):
    """A column does not exist or has no meaning here."""


class RepeatedTrial(InputError):
    """A trial of a question occurs more than once."""


class MissingExtra(InputError):
    """A package that comes with an extra of errbar is not installed."""


class NoOutcomes(InputError):
    """A document has no outcomes of questions, or only totals."""


class NotThere(InputError):
    """A file, a row or a system does not exist, or not yet."""


class UnequalCoverage(UserWarning):
    """Areas of systems that answer different shares of the items are compared."""
