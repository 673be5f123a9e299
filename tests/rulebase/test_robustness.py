"""Whatever stands in a file, loading tells what is wrong and never raises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.rulebase import build, rule_files, schema
from advisor.rulebase.document import parse
from advisor.rulebase.examples import to_flow
from tests.rulebase.bases import MINIMAL
from tests.tiers import some, thorough

pytestmark = thorough

CONTENTS = rule_files.files(str(MINIMAL))
PLACES = st.sampled_from(sorted(CONTENTS))
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([4.1, "", "x", "any", "n/a", ">=5.3", ">=", "2 * client.count", "4.1"]),
    st.sampled_from([[], {}, [[]], [None], {"a": 1}, {"all": []}, {"not": 3}, {"any": [{}]}, ["x", 1]]),
)


def paths(value: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(path for key, one in inner for path in paths(one, (*here, key)))]


@settings(max_examples=150, deadline=None)
@given(PLACES, st.data())
def test_junk_in_any_place_is_refused_in_words(path: str, data: st.DataObject) -> None:
    content = parse(path, CONTENTS[path]).data
    steps = data.draw(st.sampled_from(paths(content)[1:]))
    holder = content
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = data.draw(JUNK)
    refused_in_words(path, content)


@pytest.mark.parametrize("path", some(sorted(CONTENTS), 4))
def test_what_lacks_any_part_is_refused_in_words(path: str) -> None:
    for steps in paths(parse(path, CONTENTS[path]).data)[1:]:
        content = parse(path, CONTENTS[path]).data
        holder = content
        for step in steps[:-1]:
            holder = holder[step]
        del holder[steps[-1]]
        refused_in_words(path, content)


def refused_in_words(path: str, content: Any) -> None:
    contents = {**CONTENTS, path: json.dumps(content, indent=1).encode()}
    lines = {name: text.decode().split("\n") for name, text in contents.items()}
    for problem in build.check("/nowhere", contents, thorough=True).problems:
        assert problem.found
        assert problem.why
        assert problem.write
        assert 1 <= problem.line <= len(lines[problem.file]) + 1


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | st.text("ab:-[]{}&*!|>'\"#%@?,\n\t 01.", max_size=60).map(str.encode))
def test_any_bytes_can_be_read(raw: bytes) -> None:
    for path in ("rules/mount/x.yaml", "kb/claims/x.yaml", "odd/path.txt"):
        document = parse(path, raw)
        wrong, _ = schema.shape_problems(document)
        assert document.problems or wrong
        assert all(problem.line >= 1 and problem.column >= 1 for problem in (*document.problems, *wrong))


VALUES = st.recursive(
    st.booleans()
    | st.integers(-99, 99)
    | st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.from_regex(r"[a-z]{1,4}\.[a-z]{1,4}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_proposed_yaml_reads_as_it_was_meant(value: Any) -> None:
    document = parse("x", f"v: {to_flow(value)}\n".encode())
    assert document.data == {"v": value}
    assert not document.problems


def test_minimal_files_are_all_there() -> None:
    assert {Path(path).parts[0] for path in CONTENTS} == {"kb", "rules"}
    assert len(CONTENTS) == len(list(MINIMAL.rglob("*.yaml")))


@pytest.mark.parametrize("text", ["a: [\u2028\u2028\u2028", "a: 1\n\u0085\r\r  b: [\n", "a: [\r\r\r"])
def test_a_line_that_only_yaml_ends_has_no_number_of_its_own(text: str) -> None:
    (problem,) = parse("a.yaml", text.encode()).problems
    assert 1 <= problem.line <= text.count("\n") + 1
