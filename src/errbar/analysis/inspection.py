"""Contents of the data, and whether errbar reproduces the scores that a log states."""

import math

from errbar.analysis.methods import Calibrated, Posterior
from errbar.analysis.readings import doubtful_rows, unlike_questions
from errbar.analysis.score import Scoring, scored_metric, slices_by_subject
from errbar.data.queries.questions import Slice, failures_as
from errbar.data.readers.logs import TALLIES, Claim
from errbar.data.sources.arrays import CountsSource
from errbar.data.sources.tables import CountsTableSource, Source, TableSource
from errbar.errors import ErrbarError, InputError, RepeatedTrial
from errbar.results.estimate import Subject
from errbar.results.inspection import Agreement, Inspection

_EXAMPLES = 3  # rows that an inspection shows
_QUICK = Posterior()  # for observed values: the interval is not used


def inspection_of(source: Source) -> Inspection:
    """Summarise the data; trials that occur twice are reported, not refused."""
    repeated, readable = "", source
    try:
        slices = source.slices(())
    except RepeatedTrial as error:
        repeated = str(error)
        readable = source.with_repeats()
        slices = readable.slices(())
    if not any(part.questions.sum() for part in slices):
        raise InputError("there is no question in the data.")
    accounts = source.origin.accounts
    if isinstance(source, TableSource) and any(file.rows for file in accounts.values()):
        accounts.require_closed((), sum(part.rows for part in slices))
    return Inspection(
        slices=tuple(slices),
        statuses=source.statuses(),
        repeated=repeated,
        origin=source.origin,
        agreements=() if repeated else tuple(agreements_of(source)),
        remarks=(*unlike_questions(readable, slices, "fail"), *doubtful_rows(readable, slices)),
        examples=tuple(source.examples(_EXAMPLES)),
        of_counts=isinstance(source, CountsTableSource | CountsSource),
    )


def agreements_of(source: Source) -> list[Agreement]:
    """Every number that the log states, with the number that errbar computes."""
    claims = source.origin.claims
    slices = slices_by_subject(source.slices(())) if claims else {}
    return [_agreement(source, slices, claim) for claim in claims]


def _agreement(source: Source, slices: dict[Subject, Slice], claim: Claim) -> Agreement:
    subject = Subject(claim.system, claim.task)
    if subject not in slices:
        return Agreement(claim, math.nan, "there is no row of it.")
    rows = slices[subject]
    if claim.metric in TALLIES:
        return Agreement(claim, rows.tally(claim.metric))
    try:
        method = Calibrated() if rows.is_weighted else _QUICK
        scoring = Scoring(source, failures_as(claim.errors), "drop", method)
        metrics = [scored_metric(claim.metric)]
        (estimate,) = scoring.scores({subject: rows}, metrics)
    except ErrbarError as error:
        return Agreement(claim, math.nan, str(error))
    reason = f"{estimate.reason}." if math.isnan(estimate.value) else ""
    return Agreement(claim, estimate.value, reason)
