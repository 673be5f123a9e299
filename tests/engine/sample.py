"""A small rule base in the authors' language, for the tests of this folder."""

from __future__ import annotations

from typing import Any

from advisor.engine import Base
from advisor.engine.compiler import build

FACTS: list[dict[str, Any]] = [
    {"id": "storage.platform", "type": "enum", "values": ["anf", "azure-files", "ontap", "knfsd"]},
    {
        "id": "storage.endpoint",
        "type": "enum",
        "values": ["private", "public"],
        "applies": {"storage.platform": "azure-files"},
    },
    {
        "id": "client.kernel",
        "type": "version",
        "scheme": "kernel",
        "infer": [
            {"match": r"\.el8", "sets": {"client.stream": "el8"}},
            {"match": r"^4\.18\.0-\d+\.el", "sets": {"client.stream": ["el8", "el9"]}},
        ],
    },
    {"id": "client.stream", "type": "enum", "values": ["el8", "el9", "mainline"]},
    {
        "id": "client.has_nconnect",
        "type": "bool",
        "otherwise": False,
        "derive": {
            "true": {"any": [{"client.kernel": ">=5.3"}, {"client.stream": "el8", "client.kernel": ">=4.18.0-240"}]}
        },
    },
    {"id": "client.count", "type": "int", "minimum": 1},
    {"id": "mount.vers", "type": "enum", "values": ["3", "4.0", "4.1", "4.2"]},
    {"id": "mount.nconnect", "type": "int", "minimum": 1, "maximum": 16},
]
LAYERS = ["default", "protocol", "platform", "measured"]


def rule(
    name: str, value: Any, layer: str = "default", *, overrides: tuple[str, ...] = (), **when: Any
) -> dict[str, Any]:
    """A rule; `__` in a fact's name stands for the dot."""
    condition = {fact.replace("__", "."): wanted for fact, wanted in when.items()}
    return {"id": name, "layer": layer, "when": condition, "value": value, "overrides": list(overrides)}


def decision(name: str, *rules: dict[str, Any], hit: str = "priority") -> dict[str, Any]:
    return {"id": name, "hit": hit, "rules": list(rules)}


def data(*decisions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"facts": FACTS, "layers": LAYERS, "constraints": [], "conditions": {}, "decisions": list(decisions), **more}


NCONNECT = decision(
    "mount.nconnect",
    rule("nconnect/default", "omit"),
    rule("nconnect/azure-files", 4, "platform", storage__platform="azure-files", client__has_nconnect=True),
    rule("nconnect/anf", 8, "platform", storage__platform="anf", client__has_nconnect=True),
)


def sample(*decisions: dict[str, Any], **more: Any) -> Base:
    """The facts above with these decisions; the one on nconnect, if none is given."""
    return build(data(*(decisions or (NCONNECT,)), **more))
