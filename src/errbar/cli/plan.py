"""What `errbar plan` does: load a pilot if there is one, call one function, write it as asked."""

from collections.abc import Sequence

from errbar.analysis.plan import plan
from errbar.cli.group import working
from errbar.cli.outcomes import Given, runs_of, show, shown

_PASSED_ON = (
    *("difference", "width", "power", "level", "errors", "difficulty", "mean", "disagreement"),
    *("max_trials", "questions", "budget", "question_cost", "trial_cost", "simulations"),
)


def plan_run(paths: Sequence[str], given: Given) -> None:
    """A plan, from a pilot or from what is assumed."""
    with working(f"errbar plan {shown(paths) if paths else given['difficulty'] or ''}") as work:
        found = plan(
            given["metric"],
            pilot=runs_of(paths, given, work) if paths else None,
            systems=given["systems"],
            trials=given["trials"] or None,
            rng=given["seed"],
            **{name: given[name] for name in _PASSED_ON},
        )
    show(found, given)
