from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from advisor.fleet.model import FleetReport, read_lines, write_lines
from advisor.user_files import UserFileError
from tests.each import each
from tests.fleet import made
from tests.schemas import validate
from tests.tiers import examples

WHOLE = made.report(made.host_class("0000aaaa", ("a", "b"), made.NOLOCK))


@given(made.reports)
@examples(50, 200)
def test_reading_back_gives_an_equal_report(report: FleetReport) -> None:
    written = list(write_lines(report, "1.0"))
    assert all(line.endswith("\n") and line.count("\n") == 1 and line[:-1].isprintable() for line in written)
    assert read_lines(written, "report.jsonl") == report


@given(made.reports)
@settings(max_examples=50)
def test_each_line_fits_the_published_schema(report: FleetReport) -> None:
    for line in write_lines(report, "1.0"):
        validate(json.loads(line), "advisor-fleet-1")


def test_kinds_and_fields_of_a_later_version_are_skipped() -> None:
    header, one = write_lines(WHOLE, "1.0")
    later = json.dumps({**json.loads(one), "weather": "fine"})
    assert read_lines([header, '{"kind": "forecast"}\n', later], "r") == WHOLE


@each(lambda: [
    ([], "r: is empty"),
    (["{\n"], "r:1: not valid JSON"),
    (["[]\n"], "r:1: not a line of a report on a fleet: is not an object"),
    (['{"kind": "report", "schema": "advisor-fleet/2", "made": ""}\n'], "r:1: .*advisor-fleet/1"),
    (['{"schema": "advisor-lint/1"}\n'], "r:1: .*the first line must have"),
    ([next(write_lines(WHOLE, "1")), '{"kind": "unread", "place": "a"}\n'], "r:2: .*why is missing"),
    ([next(write_lines(WHOLE, "1")), '{"kind": "unread", "place": "a", "why": 3}\n'], "r:2: .*why: is not a text"),
    ([next(write_lines(WHOLE, "1")), json.dumps(
        {"kind": "share", "rule": "", "setting": "", "severity": "fatal", "message": "", "remedy": "", "hosts": 1,
         "classes": []})], "r:2: .*severity: is none of note, warning, error"),
    ([next(write_lines(WHOLE, "1")), json.dumps(
        {"kind": "class", "name": "", "hosts": ["a"], "facts": {"x": {}}, "mounts": [], "findings": [],
         "failed": None})], "r:2: .*facts: x is neither a value nor a list of values"),
    ([next(write_lines(WHOLE, "1")), "[" * 100_000], "r:2: values nested too deeply|r:2: not valid JSON"),
])
def test_what_is_no_report_is_refused_by_its_place(text: list[str], why: str) -> None:
    with pytest.raises(UserFileError, match=why):
        read_lines(text, "r")
