"""Two runs of one script that score the items of a questionnaire, or abstain.

The fields are those of the later form of such runs: signals by item, and the numbers of items with
and without a score that every participant states.
"""

import json
from pathlib import Path

ITEMS = ("Sleep", "Mood", "Appetite")


def participant(number: int, shift: int) -> dict[str, object]:
    scores = {
        item: None if (number + at + shift) % 5 == 0 else (number * (at + 1) + shift) % 4
        for at, item in enumerate(ITEMS)
    }
    absent = list(scores.values()).count(None)
    return {
        "participant_id": 300 + number,
        "success": True,
        "predicted_items": scores,
        "ground_truth_items": {item: (number * (at + 1)) % 4 for at, item in enumerate(ITEMS)},
        "available_items": len(ITEMS) - absent,
        "na_items": absent,
        "item_signals": {
            item: {
                "llm_evidence_count": (number + at) % 4,
                "token_pe": round(0.3 + ((number * 7 + at) % 10) / 20, 2),
                "verbalized_confidence": None if score is None else 1 + (number + at) % 5,
            }
            for at, (item, score) in enumerate(scores.items())
        },
    }


def write_item_runs(place: Path) -> None:
    """Write both runs into a folder."""
    place.mkdir(exist_ok=True)
    for name, shift in (("zero_shot", 1), ("few_shot", 0)):
        people = [participant(number, shift) for number in range(8)]
        run = {"experiments": [{"results": {"mode": name, "results": people}}]}
        (place / f"{name}.json").write_text(json.dumps(run, indent=1), encoding="utf-8")
