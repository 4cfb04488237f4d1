"""Functions that load outcomes and analyse them in one call.

`score(data, "pass@8")` is `load(data).score("pass@8")`: a function has the signature and the
docstring of the method of `Runs`, which stand there alone, and takes the keywords of `load` too.
The only name that both have is `trials` of `monitor`, which goes to the method: a column of that
name occurs in tables of counts, which cannot be monitored.

Examples
--------
>>> score([[1, 0, 1, 1], [0, 0, 1, 0]], "pass@2")[0].value
0.75
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import Parameter, getdoc, signature
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, cast, overload

from errbar.analysis import evaluate
from errbar.analysis.bracket import failures_to_undo, pair_policy
from errbar.analysis.evaluate import chosen_method, with_assumptions
from errbar.analysis.gate import (
    BASELINE,
    CANDIDATE,
    gate_of,
    limits_of,
    name_of,
    parts_of,
    require_comparable,
)
from errbar.analysis.methods import Assumption, Calibrated
from errbar.analysis.plan import Plan
from errbar.analysis.plan import plan as find_plan
from errbar.analysis.score import Errors
from errbar.base.arguments import checked
from errbar.data.columns import USUAL, USUAL_COUNTS
from errbar.data.counts import CategoryCounts
from errbar.errors import InputError, WrongType
from errbar.loading import load
from errbar.metrics import Metric
from errbar.results.estimate import Estimand, Subject
from errbar.results.gate import Gate
from errbar.results.scores import Scores
from errbar.runs import Runs

Arguments = ParamSpec("Arguments")
Found_co = TypeVar("Found_co", covariant=True)

_LOADED = "Anything that `load` takes"
_BY_CATEGORY = "or `CategoryCounts`, or a dict of them by system"
_READING = "**reading\n    Keywords of `load`, such as `reader`, and columns by their meaning."
_PARAMETERS = "Parameters\n----------\n"
_LOADING = {name for name in signature(load).parameters if name not in ("data", "columns")}


class Verb(Protocol[Arguments, Found_co]):
    """A method of `Runs` as a function of whatever `load` takes.

    Editors complete the keywords of the method from the first signature; those of `load` are read
    by the second.
    """

    __name__: str

    @overload
    def __call__(
        self, data: Any, *args: Arguments.args, **options: Arguments.kwargs
    ) -> Found_co: ...

    @overload
    def __call__(self, data: Any, *args: Any, **options: Any) -> Found_co: ...


def verb(
    method: Callable[Concatenate[Runs, Arguments], Found_co],
    by_category: Callable[..., Found_co] | None = None,
) -> Verb[Arguments, Found_co]:
    """Return the function that loads data and calls a method, with the keywords of the method.

    Counts that only `evaluate` takes go to `by_category`.
    """
    name = method.__name__

    def call(data: Any, *args: Any, **options: Any) -> Any:
        if by_category is not None and _has_categories(data):
            return by_category(data, *args, **options)
        runs, keywords = loaded(data, method, options)
        return getattr(runs, name)(*args, **keywords)

    _, *own = signature(method).parameters.values()
    first = Parameter("data", Parameter.POSITIONAL_OR_KEYWORD, annotation=Any)
    last = Parameter("reading", Parameter.VAR_KEYWORD, annotation=Any)
    call.__name__ = call.__qualname__ = name
    summary, _, described = (getdoc(method) or "").partition(_PARAMETERS)
    sources = _LOADED if by_category is None else f"{_LOADED}, {_BY_CATEGORY}"
    entries = [f"data\n    {sources}.", *([described] if described else []), _READING]
    call.__doc__ = f"{summary.rstrip()}\n\n{_PARAMETERS}" + "\n".join(entries)
    vars(call)["__wrapped__"] = method  # whose module its annotations are found in
    call.__annotations__ = {**method.__annotations__, "data": Any, "reading": Any}
    vars(call)["__signature__"] = signature(method).replace(parameters=[first, *own, last])
    return cast("Verb[Arguments, Found_co]", call)


def _has_categories(data: Any) -> bool:
    """Whether the data are counts that only `evaluate` takes: of categories, or by `Subject`."""
    if not isinstance(data, Mapping):
        return isinstance(data, CategoryCounts)
    return any(
        isinstance(name, Subject) or isinstance(counts, CategoryCounts)
        for name, counts in data.items()
    )


def _score_categories(
    data: Any,
    *metrics: Any,
    short: Literal["error", "posterior"] = "error",
    method: Any = None,
    estimand: Estimand | str | None = None,
    level: float | None = None,
    questions_in_all: int | None = None,
    assume: Assumption | None = None,
    **others: Any,
) -> Scores:
    if others:
        raise InputError(
            f"{next(iter(others))} is for outcomes; it does not apply to counts by category."
        )
    how = with_assumptions(
        chosen_method(method, estimand=estimand, level=level), questions_in_all, assume
    )
    return evaluate.score(data, *(metrics or ("avg",)), method=how, short=short)


score = verb(Runs.score, _score_categories)
curve = verb(Runs.curve)
compare = verb(Runs.compare)
rank = verb(Runs.rank)
audit_board = verb(Runs.audit_board)
items = verb(Runs.items)
monitor = verb(Runs.monitor)
calibration = verb(Runs.calibration)
noise = verb(Runs.noise)
cost = verb(Runs.cost)
scaling = verb(Runs.scaling)
overview = verb(Runs.overview)
inspect = verb(Runs.inspect)
agreements = verb(Runs.agreements)


def plan(metric: Metric | str, *, pilot: Any = None, **options: Any) -> Plan:
    """Find the cheapest numbers of questions and trials that reach a goal.

    The goal is a `difference` between two systems on the same questions, which `compare` is to
    find, or the `width` of the interval of one system.

    Parameters
    ----------
    metric
        A mean over questions of right and wrong trials: avg, pass@k, pass^k, maj@k.
    pilot
        Outcomes of one or two systems, from which success rates are learned: anything that `load`
        takes, whose keywords may be given too.

    Other Parameters
    ----------------
    difference, width
        The goal, in the metric's own scale; one of the two.
    power, level, verdict
        The probability of reaching the goal, 0.8 by default; the level of the intervals; and the
        verdict that the difference is to get, "probably better" by default, or "better", which
        assumes nothing about unseen questions.
    systems, errors
        The systems of the pilot to use, and how its rows without a result count.
    difficulty, mean
        Success rates in place of a pilot, as in "beta(2, 2)" or "u-shaped", and the mean of the
        metric to which they are shifted.
    disagreement
        How much two systems disagree about which questions are hard, as a standard deviation of
        log odds; learned from a pilot of two systems, or else 1.
    trials, max_trials
        The numbers of trials per question to choose from, or the largest of them.
    questions, budget
        As many questions as there are, to find the trials; or the largest cost, to find what it
        buys.
    question_cost, trial_cost
        What a question costs, 0 by default, and a trial, 1 by default.
    simulations, rng
        How many runs are simulated to check the best row, and a seed.

    Examples
    --------
    >>> plan("pass@1", difference=0.1, difficulty="uniform", trials=[1, 4]).best.questions
    272
    """
    if pilot is None:
        keywords, reading = _split(find_plan, options)
        if reading:
            raise InputError(f"{next(iter(reading))} says how a pilot is read; pass pilot too.")
        return find_plan(metric, **keywords)
    runs, keywords = loaded(pilot, find_plan, options)
    return find_plan(metric, pilot=runs, **keywords)


@checked
def gate(
    baseline: Any,
    candidate: Any,
    *metrics: Metric | str,
    max_drop: float | Mapping[str, float],
    level: float = 0.95,
    estimand: Estimand | str = Estimand.POPULATION,
    errors: Errors = "fail",
    short: Literal["error", "drop"] = "error",
    assume: Assumption = "nothing",
    bounds: tuple[float, float] | None = None,
    largest_cluster: int | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    same_questions: bool = False,
    inconclusive: int = 3,
) -> Gate:
    """Test that no metric of the candidate fell by more than `max_drop` below the baseline.

    Parameters
    ----------
    baseline, candidate, *metrics
        Anything that `load` takes (for two systems of one log, the same data twice), and metrics.
    max_drop
        The largest drop allowed, for all metrics or by name; a rise, where lower is better.
    level, estimand, errors, short, assume, bounds, largest_cluster
        As in `Runs.compare`.
    system, baseline_system
        The systems of both, if they have several; that of the baseline only if the names differ.
    same_questions
        Fail if a question is in only one of the two; by default it is left out and counted.
    inconclusive
        The exit code if the data are inconclusive: 0, 1 or 3.

    Examples
    --------
    >>> old, new = [[1, 1, 0, 1]] * 40, [[1, 0, 0, 0], [0, 1, 0, 0]] * 20
    >>> gate(old, new, "pass@1", max_drop=0.02).verdict.value
    'regress'
    """
    limits = limits_of(metrics, max_drop)
    runs, names = _joined_pair(baseline, candidate, system, baseline_system)
    comparisons = runs.compare(
        *limits,
        baseline=BASELINE,
        estimand=estimand,
        level=level,
        errors=errors,
        short=short,
        assume=assume,
        bounds=bounds,
        largest_cluster=largest_cluster,
    )
    require_comparable(runs.source, comparisons, limits, bounds, same_questions=same_questions)
    how = Calibrated(
        Estimand(estimand), level, assume=assume, bounds=bounds, largest_cluster=largest_cluster
    )
    policy = pair_policy(errors, short, bounds)
    flips = failures_to_undo(runs.source, limits, policy, how, comparisons.together)
    return gate_of(comparisons, limits, names, inconclusive, flips)


def _joined_pair(
    baseline: Any, candidate: Any, system: str | None, baseline_system: str | None
) -> tuple[Runs, tuple[str, str]]:
    """The outcomes of a baseline and of a candidate in one, and what each was read from."""
    from errbar.judges import joined_runs  # noqa: PLC0415  which imports this module

    both = {BASELINE: load(baseline), CANDIDATE: load(candidate)}
    old, new = parts_of(both[BASELINE].source, both[CANDIDATE].source, system, baseline_system)
    runs = joined_runs(both, {BASELINE: old, CANDIDATE: new})
    return runs, (name_of(old), name_of(new))


def loaded(
    data: Any, verb: Callable[..., Any], options: Mapping[str, Any]
) -> tuple[Runs, dict[str, Any]]:
    """Load outcomes with the options for `load`, and return them with the other options."""
    keywords, reading = _split(verb, options)
    if reading and isinstance(data, Runs):
        raise InputError(
            f"{next(iter(reading))} is an option of load, but these outcomes are loaded already; "
            f"pass it to load."
        )
    return load(data, **reading), keywords


def _split(
    verb: Callable[..., Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a verb, and those of `load`; others are refused."""
    parameters = signature(verb).parameters.values()
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    own = [option.name for option in parameters if option.kind not in variable]
    keywords = {name: value for name, value in options.items() if name in own}
    reading = {name: value for name, value in options.items() if name not in own}
    known = [*own, *_LOADING, *dict.fromkeys([*USUAL, *USUAL_COUNTS])]
    for name in reading:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            if name in ("metric", "metrics"):
                hint = f" Metrics follow the data, as in {verb.__name__}(data, 'avg')."
            raise WrongType(f"{verb.__name__} has no option {name}.{hint}")
    return keywords, reading
