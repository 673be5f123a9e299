"""The published schemas agree with lists that the program has as well."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from advisor.lint.finding import SEVERITIES
from advisor.observe.compare import COMPARED
from advisor.pages.wording import GRADES, OTHERWISE
from tests.each import each
from tests.schemas import FOLDER, published

LINT = published("advisor-lint-1")["properties"]["findings"]["items"]["properties"]


@each(lambda: sorted(path.stem for path in FOLDER.glob("*.json")))
def test_each_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(published(name))


def test_lint_lists_what_a_finding_can_be() -> None:
    assert set(LINT["severity"]["enum"]) == set(SEVERITIES)
    assert set(LINT["consequence"]["enum"]) == set(OTHERWISE)
    assert set(LINT["cites"]["items"]["properties"]["grade"]["enum"]) == set(GRADES)


def test_the_comparison_lists_what_is_compared() -> None:
    mount = published("advisor-observe-comparison-1")["properties"]["mounts"]["items"]["properties"]
    assert mount["numbers"]["items"]["properties"]["quantity"]["enum"] == list(COMPARED)
