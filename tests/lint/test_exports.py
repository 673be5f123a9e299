"""exports(5): what exportfs stops at, what it hears otherwise than meant, and who is let in."""

from __future__ import annotations

import pytest

from advisor.files.exports import read
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def found(text: str, name: str = "/etc/exports", **known: object) -> dict[tuple[int, int], str]:
    """Place → rule, without notes."""
    result = lint_text(text, name, load(), known, kind="exports")
    return {(f.line, f.column): f.rule for f in result.findings if f.severity != "note" and not f.policy}


def messages(text: str) -> list[str]:
    findings = lint_text(text, "/etc/exports", load(), {}, kind="exports").findings
    return [f.message for f in findings if not f.policy]


@pytest.mark.parametrize(("text", "guessed"), [
    ("/srv/my Data 10.0.0.1(rw)", True), ("/srv/my data 10.0.0.1(rw)", False), ("/srv/my Data", False),
    ("/srv/my Data\n/srv/other 10.0.0.1(rw)", False), ("/srv/my 10.0.0.1(rw) Data", False),
    ("/srv/my Data 10.0.0.1", False),
])
def test_a_path_with_a_space_is_guessed_from_what_follows_it(text: str, guessed: bool) -> None:
    assert ("export-path-unquoted" in found(f"{text}\n").values()) is guessed


def test_the_world_writable_export_of_a_blank() -> None:
    assert found("/ localhost (rw)\n") == {(1, 3): "export-blank-before-options", (1, 13): "export-to-everybody"}
    assert found("/ localhost(rw)\n") == {}


def test_a_blank_behind_a_star_leaves_an_export_that_nobody_may_write() -> None:
    # exportfs 2.6.2 keeps the first entry, "*" with its defaults, and ignores the one with rw.
    assert found("/srv/a * (rw,no_subtree_check)\n") == {(1, 8): "export-blank-before-options"}
    assert "read-only" in messages("/srv/a * (rw)\n")[0]


@each(lambda: [
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


@each(lambda: [
    "/srv/a 10.0.0.1(rw,sync,)", "/srv/a 10.0.0.1()", "/srv/a 10.0.0.1(rw)  # why", '"/srv/a b" 10.0.0.1(rw)',
    "/srv/a -sync,rw 10.0.0.1 10.0.0.2(ro)", "/srv/a \\\n  10.0.0.1(rw) \\\n  10.0.0.2(ro)",
    "/srv/a 10.0.0.1(fsid=0x10)",
    "/srv/a 10.0.0.1(mp,crossmnt,no_acl,fsid=root,sec=krb5p:krb5i,xprtsec=mtls:tls)", "/srv/$NAME ${NET}(rw,$OPTS)",
    "/srv/a 10.0.0.1(refer=/x@nas5,replicas=/x@nas6)", "# /srv/a *(rw)", "/srv/{{ x }} {{ net }}(rw)",
])  # fmt: skip
def test_what_exportfs_takes_is_no_finding(text: str) -> None:
    assert found(text + "\n", "exports.j2") == {}


def test_async_is_told_by_the_decision() -> None:
    assert found("/srv/a 10.0.0.0/8(rw,async)\n") == {(1, 22): "export-async/safe"}
    assert found("/srv/a 10.0.0.0/8(rw,sync,root_squash)\n") == {}


def test_several_flavours_may_have_several_rights() -> None:
    assert found("/srv/a *(sec=sys,ro,sec=krb5,rw)\n") == {}
    assert found("/srv/a *(rw,sec=sys:krb5)\n") == {(1, 8): "export-to-everybody"}


def test_the_same_client_and_the_same_number_twice() -> None:
    assert found("/a x(rw)\n/a/ X(ro)\n") == {(2, 5): "export-twice"}
    assert found("/a x(ro,fsid=0)\n/b x(ro,fsid=root)\n") == {(2, 9): "export-fsid-twice"}
    assert found("/a x(ro,fsid=3) y(ro,fsid=3)\n/b x(ro,fsid=2)\n") == {}
    assert found("/a x(ro,fsid=010)\n/b x(ro,fsid=0x8)\n") == {(2, 9): "export-fsid-twice"}
    assert found("/a 127.0.0.1(rw) localhost(ro)\n") == {(1, 18): "export-twice"}
    assert found("/a//b 2001:db8::1(rw)\n/a/b 2001:DB8:0::1(ro)\n") == {(2, 6): "export-twice"}
    assert (2, 4) in found("/a x (rw)\n/a x(ro)\n")
    # exportfs 2.6.2 keeps an anonymous export beside one to everybody, and never had the invalid one.
    assert "export-twice" not in found("/a\n/a (ro)\n/b 10.1/16(ro)\n/b 10.1/16(ro)\n").values()


def test_what_stands_behind_a_placeholder_is_judged() -> None:
    text = "/a x(rw,{{ opts }},rww)\n"
    assert found(text, "exports.j2") == {(1, 20): "export-option-unknown"}
    assert found(text) == {(1, 9): "placeholder-left", (1, 20): "export-option-unknown"}


def test_a_client_listed_twice_is_named_as_it_is_written() -> None:
    (twice,) = [text for text in messages("/a 127.0.0.1(rw) localhost(ro)\n") if "already" in text]
    assert twice.startswith("localhost already has /a,")
    (twice,) = [text for text in messages("/a (rw)\n/a (ro)\n") if "already" in text]
    assert twice.startswith("everybody already has /a,")


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


@each(lambda: [
    ("192.0.2.5/24", {"export-host-bits"}), ("192.0.2.5/255.255.255.0", {"export-host-bits"}), ("192.0.2.5/32", set()),
    ("192.0.2.0/255.0.255.0", {"export-odd-netmask"}), ("192.0.2.0/0.0.0.255", {"export-odd-netmask"}),
    ("192.0.2.0/24", set()), ("192.0.2.5/33", {"export-client-never-matches"}),
    ("2001:db8::5/64", {"export-host-bits"}), ("2001:db8::/64", set()), ("2001:db8::5/128", set()),
])  # fmt: skip
def test_masks_that_let_in_others(client: str, rules: set[str]) -> None:
    result = lint_text(f"/a {client}(ro)\n", "x", load(), {}, kind="exports")
    assert {f.rule for f in result.findings if not f.policy} == rules


def test_the_network_of_a_host_is_named() -> None:
    assert "network 2001:db8:5:1::/64" in messages("/a 2001:db8:5:1::7/64(ro)\n")[0]
    assert "network 2001:db8::/32" in messages("/a 2001:db8:0:1::7/32(ro)\n")[0]
    assert "network 192.0.2.4/30" in messages("/a 192.0.2.5/30(ro)\n")[0]


def test_a_backslash_that_is_no_escape() -> None:
    assert found("/a\\40b x(ro)\n") == {(1, 1): "export-path-backslash"}
    assert found("/a\\040b x(ro)\n") == {}


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


@each(lambda: [
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
    monkeypatch.setattr("advisor.lint.other_kinds.judge_exports", fails)
    (failed,) = lint_text("/a x(ro)\n", "x", load(), {}, kind="exports").findings
    assert (failed.rule, failed.line, failed.severity) == ("internal", 1, "error")
    assert (failed.column, failed.end_column) == (1, len("/a x(ro)") + 1)


@each(lambda: [
    ("10.3.0.7:2049", "without a port"), ("10.3.0.7:rw", "without a colon"), ("2001:db8::g", "not an IPv6 address"),
    ("1.2.3.4.5", "not an IPv4 address"), (".example.com", "write *.example.com"), ("a..b", "empty part"),
    ("b{rw,sync}", "separate clients"), ("b{rw}", None), ("10.1.0.5;10.1.0.6", "separate clients"),
    ("@", "no netgroup"),
    ("/16", "missing before the slash"), ("/srv/b", "a line of its own"), ("*.example.com/24", "a pattern has no mask"),
    ("192.168.08.1", "not an IPv4 address"), ("192.168.010.0/24", "begin with 0"), ("0.0.0.0", "write *"),
    ("::", "write *"), ("::ffff:10.4.0.9", "write 10.4.0.9"), ("::ffff:a04:9", "write 10.4.0.9"),
    ("a\u00a0b", "no name"),
    ("fe80::20%eth0", None), ("build_7.example.com", None), ("gss/krb5", None), ("@hosts", None), ("b\u00fcro", None),
])  # fmt: skip
def test_clients_that_nothing_matches(client: str, says: str | None) -> None:
    result = lint_text(f"/a {client}(ro)\n", "x", load(), {}, kind="exports")
    told = [f.message for f in result.findings if f.rule == "export-client-never-matches"]
    assert [says in one for one in told] == [True] if says else not told, told


@each(lambda: [
    ("192.168.010.020", {"export-one-address"}), ("10.20.30.0", {"export-one-address"}), ("10.20.30.1", set()),
    ("0.0.0.0/0", {"export-prefix-zero"}), ("::/0", {"export-prefix-zero"}), ("2001:db8::/0", {"export-prefix-zero"}),
    ("0.0.0.0/0.0.0.0", {"export-read-by-everybody"}), ("10.0.0.0/1", {"export-host-bits"}), ("10.0.0.1/", set()),
])  # fmt: skip
def test_clients_that_stand_for_others(client: str, rules: set[str]) -> None:
    result = lint_text(f"/a {client}(ro)\n", "x", load(), {}, kind="exports")
    assert {f.rule for f in result.findings if not f.policy} == rules


@each(lambda: [
    ("/a 10.0.0.0/8(ro) 10.1.0.0/16(rw)", [1]), ("/a 10.0.0.0/8(ro)\n/b x(ro)\n/a 10.1.0.0/255.255.0.0(rw)", [3]),
    ("/a 10.1.0.0/16(rw) 10.0.0.0/8(ro)", []), ("/a 10.0.0.0/8(ro) 10.1.0.5(rw)", []), ("/a * 10.0.0.0/8(rw)", []),
    ("/a 2001:db8::/32(ro) 2001:db8:5::/48(rw)", [1]), ("/a 2001:db8::/32(ro) 10.0.0.0/8(rw)", []),
    ("/a *.example.com(ro) *.dev.example.com(rw)", [1]), ("/a *.dev.example.com(rw) *.example.com(ro)", []),
    ("/a *.example.com(ro) b.example.com(rw)", []), ("/a 10.0.0.0/8(ro) 10.1.0.0/16(ro,root_squash)", []),
    ("/a 10.0.0.0/8(ro) 10.0.0.0/255.0.0.0(rw)", [1]), ("/a 0.0.0.0/0.0.0.0(ro) 10.0.0.0/8(rw)", []),
])  # fmt: skip
def test_the_first_of_two_networks_counts(text: str, lines: list[int]) -> None:
    findings = lint_text(text + "\n", "x", load(), {}, kind="exports").findings
    assert [f.line for f in findings if f.rule == "export-network-shadowed"] == lines


@each(lambda: [
    ("/s x(rw)\n/s/a x(ro)", [2]), ("/s/a x(rw)\n/s x(ro)", [1]), ("/s x(rw)\n/s/a x(rw,no_root_squash)", [2]),
    ("/s x(rw)\n/s/a y(ro)", []), ("/s x(rw,crossmnt)\n/s/a x(ro)", []), ("/s x(ro,fsid=0)\n/s/a x(rw)", []),
    ("/s x(rw)\n/s/a x(ro,mp)", []), ("/s x(rw)\n/s/a x(rw,async)", []), ("/s x(rw)\n/sa x(ro)", []),
])  # fmt: skip
def test_other_rights_below_an_export(text: str, lines: list[int]) -> None:
    findings = lint_text(text + "\n", "x", load(), {}, kind="exports").findings
    assert [f.line for f in findings if f.rule == "export-nested-rights"] == lines


@pytest.mark.parametrize(("text", "lines"), [
    ("/s x(ro,fsid=0)\n/h x(rw)\n/h y(rw)", [2]), ("/h x(rw)\n/s y(ro,fsid=root)", [1]),
    ("/s x(ro,fsid=0)\n/s/h x(rw)", []),
    ("/ x(ro,fsid=0)\n/h x(rw)", []), ("/s x(ro,fsid=4294967296)\n/h x(rw)", [2]), ("/s x(ro,fsid=1)\n/h x(rw)", []),
])  # fmt: skip
def test_what_lies_beside_the_root_of_nfsv4(text: str, lines: list[int]) -> None:
    findings = lint_text(text + "\n", "x", load(), {}, kind="exports").findings
    assert [f.line for f in findings if f.rule == "export-outside-root"] == lines


def test_where_reading_ends_without_a_message() -> None:
    crlf = "/a x(ro)\r\n\r\n/b x(ro)\r\n/c x(ro)\r\n"
    assert found(crlf) == {(2, 1): "export-list-broken"}
    assert "the 2 exports after it are not made" in messages(crlf)[0]
    assert found("/a x(ro)\r\n# b\r\n/b x(ro)\r\n\r\n") == {}
    assert found('"/a b x(ro)\n/b x(ro)\n') == {(1, 1): "export-list-broken"}
    assert found(f"/a {'x' * 507}(ro)\n") == {}
    assert found(f"/a {'x' * 508}(ro)\n/b x(ro)\n") == {(1, 4): "export-list-broken"}


def test_lists_for_the_clients_that_follow() -> None:
    def taken(text: str) -> list[tuple[str, str]]:
        return [(one.client.text, one.options.text) for one in read(text)]

    assert taken("/a x(rw) -ro,async, y z(rw)") == [("x", "rw"), ("y", "ro,async"), ("z", "ro,async,rw")]
    assert taken("/a x(rw) -ro") == [("x", "rw"), ("", "ro")]
    assert taken("/a -rw -ro x") == [("-ro", "rw"), ("x", "rw")]
    assert taken("/a x(rw) # old \\\n/b y(ro)") == [("x", "rw"), ("y", "ro")]
    assert taken("/a x(rw) \\\r\n  y(rw)\r\n")[1:] == [("\\", ""), ("", "")]


def test_an_option_for_all_clients_is_told_once() -> None:
    findings = lint_text("/a -alldirs x y z\n", "x", load(), {}, kind="exports").findings
    assert [f.message for f in findings if f.rule == "export-option-unknown"] == [
        "alldirs is not an export option; exportfs stops reading here, so this export and the 2 after it are not made"
    ]


@each(lambda: [
    ("fsid=08", "export-option-value"), ("reexport=auto-fsidnum,fsid=4", "export-option-value"),
    ("reexport=auto-fsidnum,reexport=none", "export-option-value"), ("fsid=4,reexport=none", None),
    ("fsid=12345678901234567890123456789012", "export-number-wraps"),
    ("fsid=1234:5678:12341234::1234123456789abc", None), ("fsid=010", None), ("fsid=0x", "export-option-value"),
])  # fmt: skip
def test_numbers_of_file_systems(options: str, slug: str | None) -> None:
    assert set(found(f"/a x(ro,{options})\n").values()) == ({slug} if slug else set())


def test_a_number_beside_reexport() -> None:
    text = "/n x(rw,reexport=auto-fsidnum)\n/a x(rw,fsid=9)\n/b x(rw,fsid=8c3a6f0e-5d0b-4b3e-9d55-1f0e5c2a7b61)\n"
    assert found(text) == {(2, 9): "export-fsid-beside-reexport"}


def test_only_checks_of_exports_are_tried() -> None:
    checks = RuleIndex(load(), {}, kind="exports").rules.line_checks
    assert {check.check for check in checks} >= {"export-to-everybody", "export-any-port"}
    assert all(any(name.startswith("exports.") for name in (*one.needed, *one.absent)) for one in checks)
