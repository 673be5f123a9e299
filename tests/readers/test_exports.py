"""Exports: names with octal escapes, and those of cib.xml, as the agent exportfs of ClusterLabs/resource-agents passes
them to the command."""

from __future__ import annotations

import pytest

from advisor.readers.exports import cluster_exports, read
from advisor.readers.settings import read as settings


def test_octal_escapes_are_bytes_of_utf8() -> None:
    (export,) = read("/srv/b\\303\\244r\\040x *(ro)\n")
    assert export.path.text == "/srv/bär x"


def cib(parameters: str) -> str:
    return (
        '<cib><configuration><resources>\n<primitive id="e" class="ocf" provider="heartbeat" type="exportfs">\n'
        f'<instance_attributes id="a">{parameters}</instance_attributes>\n</primitive>\n'
        "</resources></configuration></cib>"
    )


def parameters(**given: str) -> str:
    return "".join(f'\n<nvpair id="{name}" name="{name}" value="{value}"/>' for name, value in given.items())


def exports(**given: str) -> list[tuple[str, str, str]]:
    made = cluster_exports(settings("cib", cib(parameters(**given)), "cib.xml"))
    return [(one.path.text, one.client.text, one.options.text) for one in made]


@pytest.mark.parametrize(("given", "made"), [
    ({"directory": "/a", "clientspec": "*"}, [("/a", "*", "")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw,sync"}, [("/a", "*", "rw,sync")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw, sync,"}, [("/a", "*", "rw,sync")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw", "fsid": "7"}, [("/a", "*", "rw,fsid=7")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw,fsid=3,sync", "fsid": "7"}, [("/a", "*", "rw,fsid=7,sync")]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "7"}, [("/a", "*", "fsid=7"), ("/b", "*", "fsid=8")]),
    ({"directory": "/a /b", "clientspec": "*", "options": "fsid=3"}, [("/a", "*", "fsid=3"), ("/b", "*", "fsid=4")]),
    ({"directory": "/a", "clientspec": "*", "fsid": "root"}, [("/a", "*", "fsid=root")]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "9" * 5000},
     [("/a", "*", f"fsid={'9' * 5000}"), ("/b", "*", f"fsid={'9' * 5000}")]),
    ({"directory": "/a", "clientspec": "[fd00::]/64"}, [("/a", "fd00::/64", "")]),
    ({"directory": "/a", "clientspec": "web[0-9]"}, [("/a", "web[0-9]", "")]),
    ({"directory": "/a"}, [("/a", "", "")]),
    ({"clientspec": "*"}, []),
])  # fmt: skip
def test_what_the_agent_hands_over(given: dict[str, str], made: list[tuple[str, str, str]]) -> None:
    assert exports(**given) == made


def test_each_part_stands_where_it_is_written() -> None:
    text = cib(parameters(directory="/a", clientspec="10.0.0.0/8", options="rw, sync"))
    (made,) = cluster_exports(settings("cib", text, "cib.xml"))
    parts = [*made.path.parts, *made.client.parts, *made.options.parts]
    lines = text.split("\n")
    assert [one.text for one in parts] == ["/a", "10.0.0.0/8", "rw", "sync"]
    for part in parts:
        assert part.exact
        assert lines[part.span.line - 1][part.span.column - 1 : part.span.end_column - 1] == part.text


def test_a_value_with_entities_is_placed_as_a_whole() -> None:
    (made,) = cluster_exports(settings("cib", cib(parameters(directory="/a&amp;b", clientspec="*")), "cib.xml"))
    assert made.path.text == "/a&b"
    assert not made.path.parts[0].exact


def test_a_resource_whose_parameters_stand_elsewhere_makes_none() -> None:
    whole = cib(parameters(directory="/a", clientspec="*"))
    elsewhere = whole.replace("</primitive>", '<instance_attributes id-ref="others"/></primitive>')
    assert cluster_exports(settings("cib", elsewhere, "cib.xml")) == []
