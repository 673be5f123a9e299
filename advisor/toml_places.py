"""Where the tables of an array, and their keys, stand in a TOML text: the standard library's reader does not say."""

from __future__ import annotations

_QUOTES = ('"""', "'''")


def places(text: str, name: str) -> list[dict[str, tuple[int, int]]]:
    """For each `[[name]]` in turn: dotted key → line and column, from 1; the key "" is the table itself.

    The text is valid TOML. An array that is written inline (`name = [{…}]`) has no places."""
    found: list[dict[str, tuple[int, int]]] = []
    prefix: str | None = None
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        written = line.strip()
        place = (number, len(line) - len(line.lstrip()) + 1)
        if written.startswith("["):
            header = _key(written.partition("]")[0].strip("["))
            prefix = None
            if header == name and written.startswith("[["):
                found.append({"": place})
                prefix = ""
            elif found and header.startswith(f"{name}."):
                prefix = header.removeprefix(f"{name}.") + "."
        elif written and not written.startswith("#"):
            key, equals, value = written.partition("=")
            if equals and prefix is not None:
                found[-1].setdefault(prefix + _key(key), place)
            closing = next((quote for quote in _QUOTES if value.count(quote) == 1), "")
    return found


def _key(text: str) -> str:
    """A dotted key without quotes and blanks."""
    return ".".join(part.strip().strip("\"'").strip() for part in text.split("."))
