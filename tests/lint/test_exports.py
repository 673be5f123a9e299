"""exports(5): what exportfs stops at, what it hears otherwise than meant, and who is let in."""

from __future__ import annotations

import pytest

from advisor.lint.run import lint_text
from advisor.readers.mounts.exports import read
from advisor.rulebase.base import load


def found(text: str, name: str = "/etc/exports", **known: object) -> dict[tuple[int, int], str]:
    """Place → rule, without notes."""
    result = lint_text(text, name, load(), known, kind="exports")
    return {(f.line, f.column): f.rule for f in result.findings if f.severity != "note" and not f.policy}


def messages(text: str) -> list[str]:
    findings = lint_text(text, "/etc/exports", load(), {}, kind="exports").findings
    return [f.message for f in findings if not f.policy]


def test_the_world_writable_export_of_a_blank() -> None:
    assert found("/ localhost (rw)\n") == {(1, 3): "export-blank-before-options", (1, 13): "export-to-everybody"}
    assert found("/ localhost(rw)\n") == {}


def test_a_blank_behind_a_star_leaves_an_export_that_nobody_may_write() -> None:
    # exportfs 2.6.2 keeps the first entry, "*" with its defaults, and ignores the one with rw.
    assert found("/srv/a * (rw,no_subtree_check)\n") == {(1, 8): "export-blank-before-options"}
    assert "read-only" in messages("/srv/a * (rw)\n")[0]


@pytest.mark.parametrize(("text", "rule", "column"), [
    ("/srv/a 10.0.0.1(rw,no_root_sqash)", "export-option-unknown", 20),
    ("/srv/a 10.0.0.1(rw,,sync)", "export-option-unknown", 17),
    ("/srv/a 10.0.0.1(rw, sync)", "export-list-broken", 8),
    ("/srv/a 10.0.0.1(rw)#x", "export-list-broken", 8),
    ("/srv/a 10.0.0.1(rw,anonuid=bob)", "export-option-value", 20),
    ("/srv/a 10.0.0.1(sec=krb6)", "export-option-value", 17),
    ("/srv/a -fsid=x 10.0.0.1(rw)", "export-option-value", 9),
    ("/srv/a 10.0.0.1(rw=1)", "export-option-unknown", 17),
])  # fmt: skip
def test_what_exportfs_stops_at_is_told_with_what_is_lost(text: str, rule: str, column: int) -> None:
    assert found(f"{text}\n/srv/b 10.0.0.2(ro)\n/srv/c 10.0.0.2(ro)\n")[1, column] == rule
    assert any("the 2 after it are not made" in one for one in messages(f"{text}\n/b x(ro)\n/c x(ro)\n"))
    assert any("this export is not made" in one for one in messages(text))


@pytest.mark.parametrize("text", [
    "/srv/a 10.0.0.1(rw,sync,)", "/srv/a 10.0.0.1()", "/srv/a 10.0.0.1(rw)  # why", '"/srv/a b" 10.0.0.1(rw)',
    "/srv/a -sync,rw 10.0.0.1 10.0.0.2(ro)", "/srv/a \\\n  10.0.0.1(rw) \\\n  10.0.0.2(ro)",
    "/srv/a 10.0.0.1(fsid=0x10)",
    "/srv/a 10.0.0.1(mp,crossmnt,no_acl,fsid=root,sec=krb5p:krb5i,xprtsec=mtls:tls)", "/srv/$NAME ${NET}(rw,$OPTS)",
    "/srv/a 10.0.0.1(refer=/x@nas5,replicas=/x@nas6)", "# /srv/a *(rw)", "/srv/{{ x }} {{ net }}(rw)",
])  # fmt: skip
def test_what_exportfs_takes_is_no_finding(text: str) -> None:
    assert found(text + "\n") == {}


def test_root_and_async_are_told_by_the_decisions() -> None:
    text = "/srv/a 10.0.0.0/8(rw,async,no_root_squash)\n"
    assert found(text) == {(1, 22): "export-async/safe", (1, 28): "export-root-squash/on"}
    assert found("/srv/a 10.0.0.0/8(rw,sync,root_squash)\n") == {}


def test_several_flavours_may_have_several_rights() -> None:
    assert found("/srv/a *(sec=sys,ro,sec=krb5,rw)\n") == {}
    assert found("/srv/a *(rw,sec=sys:krb5)\n") == {(1, 8): "export-to-everybody"}


def test_the_same_client_and_the_same_number_twice() -> None:
    assert found("/a x(rw)\n/a/ X(ro)\n") == {(2, 5): "export-twice"}
    assert found("/a x(ro,fsid=0)\n/b x(ro,fsid=root)\n") == {(2, 9): "export-fsid-twice"}
    assert found("/a x(ro,fsid=0) y(ro,fsid=0)\n/b x(ro,fsid=2)\n") == {}
    assert (2, 4) in found("/a x (rw)\n/a x(ro)\n")
    # exportfs 2.6.2 keeps an anonymous export beside one to everybody, and never had the invalid one.
    assert "export-twice" not in found("/a\n/a (ro)\n/b 10.1/16(ro)\n/b 10.1/16(ro)\n").values()


@pytest.mark.parametrize(("name", "ignored"), [
    ("/etc/exports.d/home", True), ("/etc/exports.d/home.conf", True), ("/etc/exports.d/.home.exports", True),
    ("/etc/exports.d/home.exports", False), ("/etc/exports", False), ("exports.d", False),
])  # fmt: skip
def test_a_name_in_exports_d_that_is_passed_over(name: str, ignored: bool) -> None:
    assert ("export-file-ignored" in found("/a x(ro)\n", name).values()) is ignored


def test_numbers_that_do_not_fit_and_options_that_contradict() -> None:
    assert found("/a x(rw,all_squash,anonuid=4294967296)\n") == {(1, 20): "export-number-wraps"}
    assert "becomes fsid=5" in messages("/a x(rw,fsid=0x100000005)\n")[0]
    assert messages(f"/a x(rw,fsid={2**64})\n") == [f"fsid={2**64} is too large"]
    assert messages("/a x(ro,sync,rw)\n") == ["ro is overridden by rw"]
    assert found("/a -ro x(rw) y(sec=sys,ro,sec=krb5,rw)\n") == {}


def test_the_path_of_several_exports_is_told_once() -> None:
    result = lint_text("srv/a x(ro) y(ro)\n", "x", load(), {}, kind="exports")
    assert [f.rule for f in result.findings if not f.policy] == ["export-path-relative"]


@pytest.mark.parametrize(("client", "rules"), [
    ("192.0.2.5/24", {"export-host-bits"}), ("192.0.2.5/255.255.255.0", {"export-host-bits"}), ("192.0.2.5/32", set()),
    ("192.0.2.0/255.0.255.0", {"export-odd-netmask"}), ("192.0.2.0/0.0.0.255", {"export-odd-netmask"}),
    ("192.0.2.0/24", set()), ("192.0.2.5/33", {"export-client-never-matches"}), ("2001:db8::5/64", set()),
])  # fmt: skip
def test_masks_that_let_in_others(client: str, rules: set[str]) -> None:
    result = lint_text(f"/a {client}(ro)\n", "x", load(), {}, kind="exports")
    assert {f.rule for f in result.findings if not f.policy} == rules


def test_other_security_below_an_export() -> None:
    def at(text: str) -> list[int]:
        result = lint_text(text, "x", load(), {}, kind="exports")
        return [f.line for f in result.findings if f.rule == "export-nested-sec"]

    assert at("/s x(ro,sec=krb5)\n/s/a/b x(ro)\n") == [2]
    assert at("/s/a x(ro)\n/ x(ro,sec=krb5)\n") == [1]
    assert at("/s x(ro,sec=krb5)\n/s/a y(ro)\n/sa x(ro)\n") == []
    assert at("/s x(ro)\n/s/a x(ro,sec=sys)\n") == []


def test_where_things_stand() -> None:
    text = '"/srv/a b"  -sync  nas1(rw,fsid=7)  \\\n    nas2\n/b\n'
    exports = read(text)
    assert [(one.path.value, one.client.value, one.options.text) for one in exports] == [
        ("/srv/a b", "nas1", "sync,rw,fsid=7"), ("/srv/a b", "nas2", "sync"), ("/b", "", ""),
    ]
    assert tuple(exports[0].options.at(8, 14)) == (1, 28, 34)
    assert tuple(exports[1].client.span) == (2, 5, 9)


@pytest.mark.parametrize("text", [
    "", "\\", "(", ")", '"', "a" * 9000, "(" * 3000, "/a " + "x(rw) " * 2000, "/a x(" + "rw," * 3000 + ")",
    "\0", "\ud800 \ud801(rw)",
    "/a 1.1.1." + "1" * 5000, "/a 10.0.0.0/" + "9" * 5000, "/a" * 5000 + " x(rw)",
    "/a x(fsid=" + "9" * 6000 + ")", "-", "/a -", "/a\\", "/a \\\n", "/a x(fsid=\n",
])  # fmt: skip
def test_nothing_is_raised(text: str) -> None:
    lint_text(text, "x", load(), {}, kind="exports")


def test_a_file_on_which_the_program_fails_is_not_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise IndexError("of ours")

    monkeypatch.delenv("ADVISOR_DEBUG", raising=False)
    monkeypatch.setattr("advisor.lint.exports.judge", fails)
    (failed,) = lint_text("/a x(ro)\n", "x", load(), {}, kind="exports").findings
    assert (failed.rule, failed.line, failed.severity) == ("internal", 1, "error")
