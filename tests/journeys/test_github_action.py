"""The GitHub Action: its steps as they stand in action.yml, with an interface on this machine."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from documented import blocks
from errbar.cli.gate import gate
from errbar.integrations import github_action
from logs import REPOSITORY

ACTION = (REPOSITORY / "action.yml").read_text(encoding="utf-8")


class Comments(BaseHTTPRequestHandler):
    """The part of GitHub's interface that the action uses, with the comments of one request."""

    kept: list[dict[str, Any]]
    calls: list[str]

    def _answer(self, code: int, body: Any) -> None:
        self.calls.append(f"{self.command} {self.path}")
        assert self.headers["Authorization"] == "Bearer secret"
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return body

    def do_GET(self) -> None:
        page = int(re.search(r"&page=(\d+)", self.path)[1])  # type: ignore[index]
        self._answer(200, self.kept[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        self.kept.append({"id": 1000 + len(self.kept), **self._body()})
        self._answer(201, self.kept[-1])

    def do_PATCH(self) -> None:
        mine = int(self.path.rpartition("/")[2])
        (comment,) = (each for each in self.kept if each["id"] == mine)
        comment.update(self._body())
        self._answer(200, comment)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def interface() -> Iterator[tuple[str, type[Comments]]]:
    """Its address, and what it keeps."""
    kept = type("Kept", (Comments,), {"kept": [], "calls": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kept)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", kept
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def settings(tmp_path: Path, interface: tuple[str, type[Comments]]) -> dict[str, str]:
    """Variables of a job on a pull request, whose candidate is worse than its baseline."""
    for name, right in (("old", 9), ("new", 3)):
        rows = [
            f"q{at},{trial},{int((at + trial) % 10 < right)}"
            for at in range(60)
            for trial in (0, 1)
        ]
        (tmp_path / f"{name}.csv").write_text("question,trial,outcome\n" + "\n".join(rows) + "\n")
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    return {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "owner/project",
        "GITHUB_API_URL": interface[0],
        "ERRBAR_PATHS": str(tmp_path / "new.csv"),
        "ERRBAR_BASELINE": str(tmp_path / "old.csv"),
        "ERRBAR_METRIC": "avg, pass@2",
        "ERRBAR_MAX_DROP": "0.05",
        "ERRBAR_TOKEN": "secret",
    }


def outputs(settings: dict[str, str]) -> dict[str, str]:
    lines = Path(settings["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_the_step_of_the_action_gates_and_comments_once(
    settings: dict[str, str], interface: tuple[str, type[Comments]]
) -> None:
    step = re.search(r"run: exec (.*)\n", ACTION)
    assert step is not None
    interface[1].kept += [{"id": at, "body": "other words"} for at in range(150)]
    for _ in range(2):
        done = subprocess.run(
            ["bash", "-c", step[1].replace('"$RUNNER_TEMP/errbar/bin/python"', sys.executable)],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
    written = outputs(settings)
    assert written["verdict"] == "regress"
    assert "regress" in Path(settings["GITHUB_STEP_SUMMARY"]).read_text()
    assert ElementTree.parse(written["junit"]).getroot().get("failures") == "2"
    assert json.loads(Path(written["badge"]).read_text())["color"] == "red"
    assert "<html" in Path(written["report"]).read_text("utf-8")
    mine = [each["body"] for each in interface[1].kept if "regress" in each["body"]]
    assert len(mine) == 1
    assert len([call for call in interface[1].calls if call.startswith("PATCH")]) == 1


def test_inputs_of_the_action_are_settings_of_the_module() -> None:
    inputs = re.findall(r"^  ([a-z-]+): \{ description", ACTION.partition("outputs:")[0], re.M)
    passed = re.findall(r"(ERRBAR_[A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}", ACTION)
    assert [name for _, name in passed] == inputs
    for variable, name in passed:
        assert variable == "ERRBAR_" + name.upper().replace("-", "_")
        assert variable in Path(github_action.__file__).read_text("utf-8")
    assert "uses:" not in ACTION  # nothing that would have to be pinned


def test_the_examples_of_the_page_use_inputs_options_and_a_hook_that_exist() -> None:
    page = REPOSITORY / "docs" / "gate.md"
    _, action, gitlab, hook = (block.text for block in blocks(page) if block.language == "yaml")
    used = re.findall(r"^    ([a-z-]+):", action.partition("- if:")[0], re.MULTILINE)
    assert used == ["baseline", "paths", "metric", "max-drop", "inconclusive"]
    assert all(f"\n  {name}: {{" in ACTION for name in used)
    for name in re.findall(r"outputs\.([a-z]+)", action):
        assert f"\n  {name}: {{" in ACTION.partition("outputs:")[2]
    hooks = (REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8")
    assert re.search(r"id: (\S+)", hook)[0] in hooks  # type: ignore[index]
    options = {name for each in gate.params for name in each.opts}
    assert set(re.findall(r" (--[a-z-]+|-m)\b", f"{gitlab} {hook}")) <= options


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ERRBAR_MAX_DROP": "5 %"}, "max-drop: '5 %25' is not a number."),
        ({"ERRBAR_PATHS": ""}, "paths: name a log."),
        ({"ERRBAR_PATHS": "nowhere"}, "nowhere"),
        ({"ERRBAR_INCONCLUSIVE": "maybe"}, "must be pass or fail"),
    ],
)
def test_wrong_settings_are_errors_of_the_job(
    settings: dict[str, str], change: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert github_action.main({**settings, **change}) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("::error title=errbar::")
    assert said in printed
    assert outputs(settings) == {"verdict": "error"}


@pytest.mark.parametrize("change", [{"GITHUB_API_URL": "http://127.0.0.1:9"}, {"ERRBAR_TOKEN": ""}])
def test_a_comment_that_is_not_allowed_does_not_change_the_verdict(
    settings: dict[str, str], change: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    closed = {name: value for name, value in {**settings, **change}.items() if value}
    assert github_action.main({**closed, "ERRBAR_INCONCLUSIVE": "pass"}) == 1
    assert "::warning title=errbar::there is no comment" in capsys.readouterr().out


def test_a_job_without_a_pull_request_has_no_comment(
    settings: dict[str, str], interface: tuple[str, type[Comments]], tmp_path: Path
) -> None:
    (tmp_path / "event.json").write_text("{}")
    github_action.comment("words", settings)
    assert interface[1].calls == []
