"""How far the curve of a metric goes: the ks that the trials of each system allow."""

from collections.abc import Iterable, Sequence

from errbar.data.slices import Slice
from errbar.estimate import Subject
from errbar.scoring import first_of

_MOST = 1 << 20  # the largest k of a curve that names none
_TAKEN = {"missing": "missing"}  # rows without a result count as trials otherwise


def ks_of(one: Slice, errors: str) -> tuple[int, ...]:
    """1, 2, 4 … and the fewest trials of a question; 1 where no question has any."""
    trials = one.where(one.weighs).counts(_TAKEN.get(errors, "wrong")).trials
    asked = trials[trials > 0]
    most = int(asked.min(initial=_MOST)) if asked.size else 1
    return tuple(sorted({*(2**power for power in range(most.bit_length())), most}))


def left_out_of(name: str, found: Sequence[Slice], drawn: Iterable[Slice]) -> list[str]:
    """What a curve leaves out."""
    kept = {id(one) for one in drawn}
    left = [str(of) or "the system" for of, one in by_subject(found).items() if id(one) not in kept]
    if not left:
        return []
    return [
        f"{name} leaves out {len(left)} of {len(found)}, whose outcomes are not 0 and 1: "
        f"{first_of(left)}. avg scores them."
    ]


def by_subject(found: Iterable[Slice], failed: str = "") -> dict[Subject, Slice]:
    """Slices by what they are of."""
    return {
        Subject(one.key[0], one.key[1], tuple(zip(one.by, one.key[2:], strict=True)), failed): one
        for one in found
    }
