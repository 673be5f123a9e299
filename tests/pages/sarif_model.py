"""A JSON Schema of the part of SARIF 2.1.0 that is written here.

The names of properties, and which are required, come from `sarif-om`, whose classes were generated from the official
schema; types and limits are written out. Whatever is not listed here is refused."""

import sarif_om
from attr import NOTHING, fields
from jsonschema import Draft202012Validator

_TEXT = {"type": "string", "minLength": 1}
_ANY_TEXT = {"type": "string"}
_FROM_1 = {"type": "integer", "minimum": 1}
_BAG = {"type": "object", "properties": {"tags": {"type": "array", "items": _TEXT, "uniqueItems": True}}}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_URI = {"type": "string", "pattern": r"^[A-Za-z0-9%/._~:-]+$"}


def _one(name):
    return {"$ref": f"#/$defs/{name}"}


def _list(name):
    return {"type": "array", "items": _one(name)}


_TYPES = {
    "SarifLog": {"schema_uri": _URI, "version": {"const": "2.1.0"}, "runs": _list("Run")},
    "Run": {
        "tool": _one("Tool"), "column_kind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "invocations": _list("Invocation"), "artifacts": {**_list("Artifact"), "uniqueItems": True},
        "results": _list("Result"),
    },
    "Tool": {"driver": _one("ToolComponent")},
    "ToolComponent": {
        "name": _TEXT, "version": _TEXT, "rules": {**_list("ReportingDescriptor"), "uniqueItems": True},
    },
    "ReportingDescriptor": {
        "id": _TEXT, "short_description": _one("MultiformatMessageString"), "help": _one("MultiformatMessageString"),
        "full_description": _one("MultiformatMessageString"), "default_configuration": _one("ReportingConfiguration"),
        "properties": _BAG,
    },
    "MultiformatMessageString": {"text": _ANY_TEXT, "markdown": _ANY_TEXT},
    "ReportingConfiguration": {"level": _LEVEL},
    "Invocation": {
        "execution_successful": {"type": "boolean"}, "tool_execution_notifications": _list("Notification"),
    },
    "Notification": {"level": _LEVEL, "message": _one("Message")},
    "Message": {"text": _ANY_TEXT},
    "Artifact": {"location": _one("ArtifactLocation")},
    "ArtifactLocation": {"uri": _URI},
    "Result": {
        "rule_id": _TEXT, "rule_index": {"type": "integer", "minimum": 0}, "level": _LEVEL, "message": _one("Message"),
        "locations": _list("Location"), "fixes": {**_list("Fix"), "uniqueItems": True}, "properties": _BAG,
        "partial_fingerprints": {"type": "object", "additionalProperties": _TEXT},
        "suppressions": {**_list("Suppression"), "uniqueItems": True},
    },
    "Suppression": {"kind": {"enum": ["inSource", "external"]}, "justification": _ANY_TEXT},
    "Location": {"physical_location": _one("PhysicalLocation")},
    "PhysicalLocation": {"artifact_location": _one("ArtifactLocation"), "region": _one("Region")},
    "Region": {
        "start_line": _FROM_1, "start_column": _FROM_1, "end_line": _FROM_1, "end_column": _FROM_1,
        "snippet": _one("ArtifactContent"),
    },
    "ArtifactContent": {"text": _ANY_TEXT},
    "Fix": {
        "description": _one("Message"), "artifact_changes": {**_list("ArtifactChange"), "minItems": 1},
        "properties": _BAG,
    },
    "ArtifactChange": {
        "artifact_location": _one("ArtifactLocation"), "replacements": {**_list("Replacement"), "minItems": 1},
    },
    "Replacement": {"deleted_region": _one("Region"), "inserted_content": _one("ArtifactContent")},
}


def _definition(name):
    known = {field.name: field for field in fields(getattr(sarif_om, name))}
    names = {field: known[field].metadata["schema_property_name"] for field in _TYPES[name]}
    required = [f.metadata["schema_property_name"] for f in known.values() if f.default is NOTHING]
    return {
        "type": "object", "additionalProperties": False, "required": required,
        "properties": {names[field]: kind for field, kind in _TYPES[name].items()},
    }


_SCHEMA = {"$ref": "#/$defs/SarifLog", "$defs": {name: _definition(name) for name in _TYPES}}


def problems(document):
    """What is wrong with a SARIF document, in words."""
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(_SCHEMA).iter_errors(document)]
