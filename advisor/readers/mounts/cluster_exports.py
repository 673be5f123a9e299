"""The exports of a Pacemaker configuration: what the agent exportfs hands to the command of that name, which reads no
file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.readers.mounts.exports import Export
from advisor.readers.mounts.table import TextPart, TextParts
from advisor.readers.settings.table import Assignments, Token
from advisor.readers.spans import Span

AGENT = "exportfs"


def read(file: Assignments) -> list[Export]:
    """The exports of all resources of the agent. A resource whose parameters stand elsewhere makes none."""
    resources: dict[int | None, dict[str, Token]] = {}
    for one in file.settings:
        if one.section == AGENT:
            resources.setdefault(one.block, {})[one.key.text] = one.value
    lines = file.text.split("\n")
    return [export for resource in resources.values() if "agent" in resource for export in _exports(resource, lines)]


def _exports(parameters: Mapping[str, Token], lines: list[str]) -> Iterator[Export]:
    """One for each directory of a resource; `fsid` counts up from one to the next."""
    directories = list(_words(parameters.get("directory"), lines))
    for number, path in enumerate(directories):
        client = parameters.get("clientspec", Token("", path.span))
        # The command takes an IPv6 address in brackets; everything else that looks at clients, without.
        name = client.text.replace("[", "").replace("]", "") if client.text.count(":") > 1 else client.text
        parts = list(_options(parameters, lines, number if len(directories) > 1 else None))
        yield Export(
            TextParts([path], path.span),
            TextParts([TextPart(name, client.span, name == client.text and _exact(client, lines))], client.span),
            TextParts(parts, parameters["options"].span if "options" in parameters else parameters["agent"].span),
            True, None, None, path.span.line, fixable=False,
        )


def _options(parameters: Mapping[str, Token], lines: list[str], number: int | None) -> Iterator[TextPart]:
    """The options, with the fsid that the agent puts in. `number`: that of the directory, where there are several."""
    at = parameters.get("fsid")
    given = list(_words(parameters.get("options"), lines, ","))
    written = next((part for part in reversed(given) if part.text.startswith("fsid=")), None)
    fsid = at.text if at is not None else "" if written is None else written.text[len("fsid="):]
    if fsid.isdecimal() and fsid.isascii() and number is not None:
        fsid = str(int(fsid) + number)
    for part in given:
        own = part.text.startswith("fsid=") and part.text != f"fsid={fsid}"
        yield TextPart(f"fsid={fsid}", at.span if at is not None else part.span, exact=False) if own else part
    if at is not None and at.text and written is None:
        yield TextPart(f"fsid={fsid}", at.span, exact=False)


def _words(token: Token | None, lines: list[str], between: str | None = None) -> Iterator[TextPart]:
    """The words of a parameter, each at its place."""
    if token is None:
        return
    exact = _exact(token, lines)
    line, column, _ = token.span
    at = 0
    for word in token.text.split(between):
        start = token.text.index(word, at)
        at = start + len(word)
        text = word.strip()
        if text:
            begin = column + start + word.index(text)
            yield TextPart(text, Span(line, begin, begin + len(text)) if exact else token.span, exact)


def _exact(token: Token, lines: list[str]) -> bool:
    """Whether the value stands so in the file, without entities and line ends."""
    line, column, end = token.span
    return lines[line - 1][column - 1 : end - 1] == token.text
