"""The GitHub Action: `action.yml` at the root of the repository runs this module.

Settings come as environment variables `ERRBAR_…`, one for each input of the action. It gates the
candidate, appends the summary to the page of the job, writes a JUnit file, a report and a badge,
and keeps one comment on the pull request up to date, which it finds again by a mark in its text.
"""

import json
import os
import shlex
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from errbar.base.files import atomic_file
from errbar.errors import ErrbarError, InputError
from errbar.loading import load
from errbar.page import report
from errbar.results.gate import Gate
from errbar.verbs import gate

MARK = "<!-- errbar gate -->"
_COLOURS = {"pass": "brightgreen", "regress": "red", "inconclusive": "lightgrey"}
_FAULT = 70  # exit code for a fault of errbar, as of the command
_PAGE = 100  # comments in one answer, the most that GitHub gives


def main(environment: Mapping[str, str]) -> int:
    """Run the action and return its exit code."""
    place = Path(environment.get("RUNNER_TEMP") or ".") / "errbar-gate"
    place.mkdir(parents=True, exist_ok=True)
    try:
        found = _gate(environment)
        _write(found, environment, place)
    except (ErrbarError, OSError) as error:
        _say(f"::error title=errbar::{_escape(str(error))}")
        _output(environment, verdict="error")
        return 2
    if environment.get("ERRBAR_COMMENT", "true").lower() == "true":
        try:
            comment(found.markdown(), environment)
        # the request is refused, a variable is missing, or the event is not JSON
        except (OSError, KeyError, ValueError) as error:
            why = _escape(f"{type(error).__name__}: {error}")
            _say(f"::warning title=errbar::there is no comment on the pull request: {why}")
    return found.exit_code


def _gate(environment: Mapping[str, str]) -> Gate:
    """The gate that the settings ask for."""
    codes = {"pass": 0, "fail": 1}
    policy = environment.get("ERRBAR_INCONCLUSIVE", "fail")
    if policy not in codes:
        raise InputError(f"inconclusive: {policy!r} must be pass or fail.")
    return gate(
        load(_paths(environment, "ERRBAR_BASELINE")),
        load(_paths(environment, "ERRBAR_PATHS")),
        *environment.get("ERRBAR_METRIC", "avg").replace(" ", "").split(","),
        max_drop=_number(environment, "ERRBAR_MAX_DROP"),
        level=_number(environment, "ERRBAR_LEVEL", "0.95"),
        inconclusive=codes[policy],
    )


def _paths(environment: Mapping[str, str], name: str) -> list[str]:
    """Paths separated by spaces or lines; quotes keep spaces in a path."""
    paths = shlex.split(environment.get(name, ""))
    if not paths:
        raise InputError(f"{_input(name)}: name a log.")
    return paths


def _number(environment: Mapping[str, str], name: str, default: str = "") -> float:
    text = environment.get(name) or default
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{_input(name)}: {text!r} is not a number.") from error


def _input(name: str) -> str:
    """The input of the action that a variable stands for."""
    return name.removeprefix("ERRBAR_").lower().replace("_", "-")


def _write(found: Gate, environment: Mapping[str, str], place: Path) -> None:
    """Write the summary, the JUnit file, the badge and the report."""
    verdict = found.verdict.value
    badge = {"schemaVersion": 1, "label": "evaluation", "message": verdict}
    files = {
        "gate.md": found.markdown(),
        "gate.xml": found.junit(),
        "badge.json": json.dumps({**badge, "color": _COLOURS[verdict]}),
    }
    for name, text in files.items():
        with atomic_file(place / name) as target:
            target.write_text(text, encoding="utf-8")
    _say(str(found))
    if environment.get("GITHUB_STEP_SUMMARY"):
        with Path(environment["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
            summary.write(f"{found.markdown()}\n")
    report(load(_paths(environment, "ERRBAR_PATHS")), place / "report.html")
    junit, page, shield = (str(place / name) for name in ("gate.xml", "report.html", "badge.json"))
    _output(environment, verdict=verdict, junit=junit, report=page, badge=shield)


def _output(environment: Mapping[str, str], **outputs: str) -> None:
    """Set outputs of the step."""
    if environment.get("GITHUB_OUTPUT"):
        with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in outputs.items())


def comment(text: str, environment: Mapping[str, str]) -> None:
    """Write the comment on the pull request of this job, over an earlier one if there is one."""
    event = environment.get("GITHUB_EVENT_PATH")
    known = json.loads(Path(event).read_text("utf-8")) if event else {}
    number = known.get("pull_request", {}).get("number")
    if number is None:
        return
    home = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    token, body = environment["ERRBAR_TOKEN"], {"body": f"{MARK}\n{text}"}
    page = 1
    while comments := _call(f"{home}/{number}/comments?per_page={_PAGE}&page={page}", token):
        for each in comments:
            if each["body"].startswith(MARK):
                _call(f"{home}/comments/{each['id']}", token, body, "PATCH")
                return
        page += 1
    _call(f"{home}/{number}/comments", token, body, "POST")


def _call(address: str, token: str, body: Any = None, method: str = "GET") -> Any:
    """Ask GitHub and return its answer."""
    heads = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, heads, method=method), timeout=30) as answer:
        return json.load(answer)


def _escape(text: str) -> str:
    """Text for a command of GitHub's, in one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    try:
        code = main(os.environ)
    except Exception:  # a fault of errbar must not look like a regression
        traceback.print_exc()
        code = _FAULT
    sys.exit(code)
