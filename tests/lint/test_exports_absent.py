"""Options that an export lacks: found where the facts ask for them, added where a list of options is there to add to,
and not missed where the line says them in another way."""

from __future__ import annotations

import pytest

from advisor.lint.finding import Finding
from advisor.lint.fix import fix_text
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Values
from tests.each import each

OWN = {"export.own_mount": True, "storage.platform": "knfsd"}
NFS = {"export.filesystem": "nfs", "storage.platform": "knfsd"}
TLS = {"export.requires_tls": True, "storage.platform": "knfsd", "server.kernel": "6.12"}


def missing(text: str, known: dict[str, Values]) -> list[Finding]:
    findings = lint_text(text, "/etc/exports", load(), known, kind="exports").findings
    return [one for one in findings if one.value is None and one.expected is not None]


@each(lambda: [
    ("(rw)", OWN, ["exports.mountpoint"]),
    ("(rw,mountpoint)", OWN, []),
    ("(rw,mp=/srv)", OWN, []),
    ("(rw)", NFS, ["exports.fsid"]),
    ("(rw,fsid=7)", NFS, []),
    ("(rw,reexport=auto-fsidnum)", NFS, []),
    ("(rw,${MORE})", NFS, []),
    ("(rw)", {}, []),
])
def test_what_is_left_out(options: str, known: dict[str, Values], lacks: list[str]) -> None:
    assert [one.tunable for one in missing(f"/srv/a 10.0.0.0/8{options}\n", known)] == lacks


@pytest.mark.parametrize(("line", "mended"), [
    ("/srv/a 10.0.0.0/8(rw)\n", "/srv/a 10.0.0.0/8(rw,mountpoint)\n"),
    ("/srv/a 10.0.0.0/8\n", None),
    ("/srv/a -rw 10.0.0.0/8\n", None),
])
def test_what_is_added(line: str, mended: str | None) -> None:
    assert [one.tunable for one in missing(line, OWN)] == ["exports.mountpoint"]
    fixed = fix_text(line, lambda text: (missing(text, OWN),) * 2, frozenset(("safe", "unsafe")), fstab=False)
    assert fixed.text == (mended or line)


@pytest.mark.parametrize(("options", "says"), [
    ("xprtsec=tls,xprtsec=none", ["xprtsec=none:tls would weaken security; use xprtsec=tls:mtls"]),
    ("xprtsec=none,xprtsec=tls", ["xprtsec=none:tls would weaken security; use xprtsec=tls:mtls"]),
    ("xprtsec=tls,xprtsec=mtls", []),
    ("xprtsec=mtls", []),
])
def test_words_of_one_option_that_add_up(options: str, says: list[str]) -> None:
    findings = lint_text(f"/a 10.0.0.0/8(rw,{options})\n", "x", load(), TLS, kind="exports").findings
    assert [one.message for one in findings] == says
    assert not any(one.fix for one in findings)


def test_the_words_of_an_export_are_compared_with_those_of_the_one_around_it() -> None:
    text = "/a 10.0.0.0/8(rw,xprtsec=tls,xprtsec=mtls,no_root_squash)\n/a/b 10.0.0.0/8(rw,xprtsec=mtls)\n"
    findings = lint_text(text, "x", load(), {}, kind="exports").findings
    assert "export-nested-rights" in {one.rule for one in findings}
