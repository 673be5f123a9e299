"""Exports of a cluster's configuration, judged as those of a file are."""

from __future__ import annotations

from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def cib(*exports: dict[str, str]) -> str:
    resources = "\n".join(
        f'<primitive id="e{number}" class="ocf" provider="heartbeat" type="exportfs">'
        f'<instance_attributes id="a{number}">'
        + "".join(f'\n<nvpair id="{name}{number}" name="{name}" value="{value}"/>' for name, value in given.items())
        + "\n</instance_attributes></primitive>"
        for number, given in enumerate(exports)
    )
    return f"<cib><configuration><resources>\n{resources}\n</resources></configuration></cib>"


def rules(*exports: dict[str, str], **known: str | bool) -> list[tuple[int, str]]:
    result = lint_text(cib(*exports), "cib.xml", load(), known, kind="cib")
    assert all(finding.fix is None for finding in result.findings), "a cluster keeps its own file"
    return [(finding.line, finding.rule) for finding in result.findings]


DATA = {"directory": "/data", "clientspec": "10.1.0.0/16", "options": "rw,sync"}


def test_an_export_in_order() -> None:
    assert rules(DATA) == []


@each(lambda: [
    ({"options": "rw,nosuch"}, [(5, "cib-export-refused")]),
    ({"options": "rw", "fsid": "abc"}, [(6, "cib-export-refused")]),
    ({"clientspec": "10.1.0.0/33"}, [(4, "cib-export-client")]),
    ({"clientspec": "10.1.0.7 10.1.0.8"}, [(4, "cib-export-client")]),
    ({"clientspec": "*"}, [(4, "export-to-everybody")]),
    ({"clientspec": "*", "options": "ro,no_root_squash"}, [(4, "export-read-by-everybody"),
                                                           (5, "export-root-reads")]),
    ({"options": "rw,async"}, [(5, "export-async/safe")]),
    ({"directory": "data"}, [(3, "export-path-relative")]),
])  # fmt: skip
def test_one_export(changed: dict[str, str], found: list[tuple[int, str]]) -> None:
    assert rules({**DATA, **changed}) == found


def test_one_number_for_two_directories() -> None:
    assert rules({**DATA, "fsid": "1"}, {**DATA, "directory": "/home", "fsid": "1"}) == [(12, "export-fsid-twice")]
    assert rules({**DATA, "fsid": "1"}, {**DATA, "directory": "/home", "fsid": "2"}) == []


def test_numbers_that_are_counted_up_meet_others() -> None:
    several = {**DATA, "directory": "/a /b", "fsid": "1"}
    assert rules(several, {**DATA, "directory": "/home", "fsid": "2"}) == [(12, "export-fsid-twice")]


def test_no_order_is_made_up_for_resources() -> None:
    assert rules(DATA, {**DATA, "clientspec": "10.1.7.0/24", "options": "ro"}) == []


def test_what_is_said_of_the_host_does_not_stop_it() -> None:
    assert (4, "export-to-everybody") in rules({**DATA, "clientspec": "*"}, **{"host.role": "nfs-client"})
    assert (4, "export-to-everybody") in rules({**DATA, "clientspec": "*"}, **{"server.ha": False})
