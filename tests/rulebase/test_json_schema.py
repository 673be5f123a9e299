"""The JSON Schemas say what the models say."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.rulebase.schema import DOCUMENTS, kinds, schema


def refs(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return own + [ref for inner in part.values() for ref in refs(inner)]
    return [ref for inner in part for ref in refs(inner)] if isinstance(part, list) else []


def test_every_kind_of_file_has_a_name_of_its_own() -> None:
    assert len(kinds()) == len(DOCUMENTS)
    assert {"decision", "facts", "check", "erratum", "claims", "source", "tunables"} <= set(kinds())


@pytest.mark.parametrize("kind", kinds())
def test_schema_of_a_kind(kind: str) -> None:
    pattern, model = kinds()[kind]
    found = schema(kind)
    assert found["$schema"].startswith("https://json-schema.org/")
    assert found["title"] == f"{kind} ({pattern})"
    assert set(found["properties"]) == set(model.model_fields)
    assert found["additionalProperties"] is False
    assert all(ref.removeprefix("#/$defs/") in found["$defs"] for ref in refs(found))


def test_fields_are_explained() -> None:
    assert "a formula over facts" in schema("decision")["$defs"]["Rule"]["properties"]["value"]["description"]
    assert schema("claims")["$defs"]["Claim"]["properties"]["at"]["description"].startswith("Where in the document.")


def test_choices_are_listed() -> None:
    assert schema("decision")["properties"]["hit"]["enum"] == ["priority", "collect"]
