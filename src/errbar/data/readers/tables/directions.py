"""Whether a higher outcome is better, by its name and by what rows are of."""

import re
from collections.abc import Sequence

from errbar.base.remarks import Above, warning, way_to_say
from errbar.data.columns import (
    ANSWERS,
    LOWER_IS_BETTER,
    RESPONSES,
    WRONG_FLAGS,
    named_like,
    plain_name,
)
from errbar.data.queries.expressions import Columns

_ATTACKS = re.compile(
    r"attacks?|attacked|attacker|jailbreaks?|jailbreaking|adversarial|injections?|injected|exploits?"
    r"|redteam|redteaming|poison|poisoned|backdoor|trojan|malicious|payload|asr"
)
_TROUBLES = frozenset({"error", "errors", "fault", "faults", "failure", "bug", "bugs", "noise"})
# Outcomes that may be those of an attack.
_OF_ATTACKS = frozenset(
    map(
        plain_name,
        (
            *("success", "is_success", "succeeded", "hit", "is_hit", "match", "is_match", "score"),
            *("judge_score", "final_score", "overall_score", "rating", "result", "verdict"),
            *("label", "grade", "reward", "solved", "is_solved"),
        ),
    )
)


def lower_is_better(
    columns: Columns, names: Sequence[str], right: Sequence[str], *, are_words: bool
) -> list[Above]:
    """Warning on an outcome by whose name lower values are better, such as wer or failed.

    The other `names` of columns say whether rows are of attacks, whose success is a failure.
    """
    name = columns["outcome"]
    plain = plain_name(name.rpartition(".")[2])
    words = {other: re.findall(r"[A-Za-z]+", other.lower().replace("_", " ")) for other in names}
    attacks = [other for other in names if any(map(_ATTACKS.fullmatch, words[other]))]
    attacks = [other for other in attacks if not _TROUBLES & set(words[other])]
    if not right and attacks and plain in _OF_ATTACKS and "outcome" in columns.guessed:
        fails = "no" if are_words else "0"
        turn = way_to_say(f"--right {fails} --right false", f"right=['{fails}', 'false']")
        return [
            warning(
                f"By {attacks[0]!r}, rows are of attacks, and a higher {name!r} counts as better. "
                f"If it says that an attack succeeded, lower is better: {turn} counts attacks "
                f"that failed as right."
            )
        ]
    if plain in WRONG_FLAGS and not (are_words or right):
        turn = way_to_say("--right 0 --right false", "right=['0', 'false']")
        return [
            warning(
                f"1 and true count as right, but by its name {name!r} marks what is wrong: {turn} "
                f"counts the others as right."
            )
        ]
    if plain == "label" and not (are_words or right) and named_like(names, RESPONSES | ANSWERS):
        turn = way_to_say("--right 0 --right false", "right=['0', 'false']")
        return [
            warning(
                f"{name!r} is next to a response, and 1 counts as right. If 1 marks what is wrong, "
                f"such as harmful content, lower is better: {turn} counts the others as right."
            )
        ]
    if plain not in LOWER_IS_BETTER:
        return []
    return [
        warning(
            f"A higher {name!r} counts as better, but by its name lower is better: read "
            f"comparisons and ranks the other way round, or load a column such as 1 - {name}."
        )
    ]
