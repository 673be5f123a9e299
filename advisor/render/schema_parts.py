"""The pieces that the published JSON Schemas are made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}


def said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def has(
    properties: dict[str, Any], description: str, null: bool = False, optional: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An object that has all of these properties, and may have the optional ones; later versions of the program may
    add others."""
    return {
        "type": ["object", "null"] if null else "object", "description": description,
        "required": list(properties), "properties": {**properties, **(optional or {})},
    }


def each(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}
