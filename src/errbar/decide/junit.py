"""Test reports as JUnit writes them, which every CI can show."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from errbar.tables import printable

_NO_XML = re.compile("[\ufffe\uffff]")  # what no XML may hold, beside what `printable` writes out


class Case(NamedTuple):
    """One test."""

    group: str
    name: str
    failure: str  # its kind; empty where the test passes
    message: str


def junit_report(name: str, suite: str, cases: Sequence[Case]) -> str:
    """One suite with its cases.

    Examples
    --------
    >>> print(junit_report("all", "some", [Case("a", "b", "", "fine & good")]))
    <?xml version="1.0" encoding="utf-8"?>
    <testsuites name="all" tests="1" failures="0" errors="0">
      <testsuite name="some" tests="1" failures="0" errors="0" skipped="0" time="0">
        <testcase classname="a" name="b" time="0">
          <system-out>fine &amp; good</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    """
    failed = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    root = Xml.Element("testsuites", {"name": _text(name), **counts})
    more = {"skipped": "0", "time": "0"}
    inside = Xml.SubElement(root, "testsuite", {"name": _text(suite), **counts, **more})
    for case in cases:
        one = Xml.SubElement(
            inside, "testcase", classname=_text(case.group), name=_text(case.name), time="0"
        )
        if case.failure:
            Xml.SubElement(
                one, "failure", type=case.failure, message=_text(case.message)
            ).text = _text(case.message)
        else:
            Xml.SubElement(one, "system-out").text = _text(case.message)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}'


def _text(text: str) -> str:
    """The same without what no XML may hold."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
