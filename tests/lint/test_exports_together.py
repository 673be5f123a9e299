"""Exports beside one another: which earlier one counts, how far up and back is looked, and what the message names."""

from __future__ import annotations

import pytest

from advisor.files.exports import plain
from advisor.lint import exports
from advisor.lint.exports import of_product
from advisor.lint.finding import Finding
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def findings(text: str, rule: str, name: str = "/etc/exports") -> list[Finding]:
    return [f for f in lint_text(text, name, load(), {}, kind="exports").findings if f.rule == f"export-{rule}"]


@pytest.mark.parametrize(("path", "resolved"), [
    ("/", "/"), ("//", "/"), ("/a//b/", "/a/b"), ("a//b", "a//b"), ("", ""),
])  # fmt: skip
def test_a_path_has_one_slash_between_two_names(path: str, resolved: str) -> None:
    assert plain(path) == resolved


@pytest.mark.parametrize(("text", "words"), [
    ("/s x(rw)\n/s/a x(ro)\n", "ro differs from rw of /s on line 1;"),
    ("/s x(ro)\n/s/a x(rw)\n", "rw differs from ro of /s on line 1;"),
    ("/s x(ro,no_root_squash)\n/s/a x(ro)\n", "root_squash differs from no_root_squash of /s on line 1;"),
    ("/s x(ro,no_root_squash)\n/s/a x(rw)\n", "rw differs from ro of /s on line 1;"),
    ("/ x(ro)\n/s x(rw)\n/s/a x(ro)\n", "ro differs from rw of /s on line 2;"),
])  # fmt: skip
def test_the_rights_that_differ_are_named(text: str, words: str) -> None:
    assert findings(text, "nested-rights")[-1].message.startswith(words)


def test_only_the_nearest_export_above_counts() -> None:
    assert [f.line for f in findings("/s x(ro)\n/s/a x(rw)\n/s/a/b x(rw)\n", "nested-rights")] == [2]


@pytest.mark.parametrize(("deepest", "lines"), [(2, []), (3, [2])])
def test_paths_of_many_components_are_not_searched(
    deepest: int, lines: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "DEEPEST", deepest)
    assert [f.line for f in findings("/s x(ro)\n/s/a/b x(rw)\n", "nested-rights")] == lines


@pytest.mark.parametrize(("most", "lines"), [(2, []), (3, [3])])
def test_many_clients_of_a_path_are_not_searched(most: int, lines: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "MOST", most)
    text = "/a 10.0.0.0/8(ro)\n/a 192.0.2.0/24(ro)\n/a 10.1.0.0/16(rw)\n"
    assert [f.line for f in findings(text, "network-shadowed")] == lines


@pytest.mark.parametrize(("text", "lines"), [
    ("/a (rw)\n/a *(ro)\n", [2]), ("/a x(rw)\n/a x(ro)\n/a y(ro)\n", [2]), ("/a * (rw)\n", []),
    ("/a *(rw)\n/a (ro)\n", [2]), ("/a *(rw)\n/a *(ro)\n", [2]), ("/$A x(ro)\n/$A x(ro)\n", []),
])  # fmt: skip
def test_the_same_client_of_one_path(text: str, lines: list[int]) -> None:
    assert [f.line for f in findings(text, "twice")] == lines


def test_an_fsid_is_marked_where_it_is_written() -> None:
    (twice,) = findings("/a x(ro,fsid=7)\n/b x(ro,sync,fsid=7,wdelay)\n", "fsid-twice")
    assert (twice.line, twice.column, twice.end_column) == (2, 14, 20)
    assert twice.message.startswith("fsid=7: /a on line 1 has the same fsid")


def test_a_path_outside_of_the_root_is_marked_whole() -> None:
    (outside,) = findings("/s x(ro,fsid=0)\n/home/ x(rw)\n/t y(ro,fsid=root)\n", "outside-root")
    assert (outside.line, outside.column, outside.end_column, outside.value) == (2, 1, 7, "/home")
    assert "fsid=0 on line 1 makes /s the root" in outside.message


def test_what_zfs_writes_is_not_fixed() -> None:
    text = "/srv/a 10.0.0.1(rw,async)\n"
    (elsewhere,) = findings(text, "async/safe")
    (by_zfs,) = findings(text, "async/safe", "/etc/exports.d/zfs.exports")
    assert elsewhere.fix is not None
    assert by_zfs.fix is None
    assert findings(text, "by-zfs", "/etc/exports.d/zfs.exports")
    assert not findings(text, "by-zfs")


@each(lambda: [
    ("anonuid=4294967295", None), ("anonuid=4294967296", "is too large and becomes anonuid=0"),
    ("anonuid=-2147483648", None), ("anonuid=-2147483649", "anonuid=-2147483649 is too large"),
    (f"fsid={'1' * 32}", "32 digits without a letter are a number, not a UUID, and become fsid=4294967295"),
    (f"fsid={'1' * 33}", f"{'1' * 33} is too large"), (f"anonuid={'1' * 32}", f"{'1' * 32} is too large"),
    ("fsid=18446744073709551615", "becomes fsid=4294967295"),
    ("fsid=18446744073709551616", "18446744073709551616 is too large"),
])  # fmt: skip
def test_exportfs_keeps_the_lowest_32_bits_of_a_number(number: str, words: str | None) -> None:
    messages = [f.message for f in findings(f"/a x(ro,{number})\n", "number-wraps")]
    assert len(messages) == (words is not None)
    assert all(message.endswith(words or "") for message in messages)


@pytest.mark.parametrize(("text", "rule", "words"), [
    ("/a x(ro,rww)\n/b x(ro)\n", "option-unknown", "so this export and the one after it are not made"),
    ("/a x(ro,rww)\n", "option-unknown", "so this export is not made"),
    ("\r\n/b x(ro)\n", "list-broken", "so the export after it is not made"),
    ("\r\n/b x(ro)\n/c x(ro)\n", "list-broken", "so the 2 exports after it are not made"),
])  # fmt: skip
def test_what_is_lost_is_counted(text: str, rule: str, words: str) -> None:
    assert findings(text, rule)[0].message.endswith(words)


@each(lambda: [
    ("x", [4]), ("x y(ro) z", [4, 12]), ("x(ro)", []), ("x()", []), ("x (ro)", []), ("-ro x", []), ("", []),
    ("10.0.0.256", []),
])  # fmt: skip
def test_a_client_without_a_list_of_options_is_noted(clients: str, columns: list[int]) -> None:
    assert [f.column for f in findings(f"/a {clients}\n", "no-options")] == columns


@each(lambda: [
    ("/a x(rw)", "xprtsec/tls-only", [",xprtsec=tls:mtls"]), ("/a x", "xprtsec/tls-only", None),
    ("/a -rw x", "xprtsec/tls-only", None), ("/a x()", "xprtsec/tls-only", None),
    ("/a x(ro,xprtsec=none)", "xprtsec/tls-only", ["xprtsec=tls:mtls"]),
    ("/a x(ro,xprtsec=none,xprtsec=tls)", "xprtsec/tls-only", None),
    ("/a x(async)", "async/safe", [""]), ("/a -async x", "async/safe", None), ("/a x(rw,async)", "async/safe", [""]),
])  # fmt: skip
def test_a_fix_changes_the_options_of_one_client(text: str, rule: str, edits: list[str] | None) -> None:
    """An option that is missing needs a list to stand in; of several xprtsec= it is open which is meant."""
    judged = lint_text(f"{text}\n", "exports", load(), {"export.requires_tls": True}, kind="exports").findings
    (finding,) = (f for f in judged if f.rule == f"export-{rule}")
    assert (finding.fix and [edit.text for edit in finding.fix.edits]) == edits


@pytest.mark.parametrize(("option", "words"), [
    ("no_root_sqash", "no_root_sqash is not an export option (did you mean no_root_squash?);"),
    ("rw=1", "rw=1 is not an export option;"), ("", "an empty option between two commas;"),
])  # fmt: skip
def test_an_option_that_exportfs_does_not_know(option: str, words: str) -> None:
    assert findings(f"/a x(ro,{option},sync)\n", "option-unknown")[0].message.startswith(words)


def test_what_a_form_of_exports_shows_is_known_unless_a_platform_was_said() -> None:
    platform = next(one for one in load().platforms if one.exports_lines)
    index, said = RuleIndex(load(), {}), RuleIndex(load(), {"storage.platform": "knfsd"})
    assert of_product(index, platform).given == {"storage.platform": platform.platform}
    assert of_product(said, platform) is said


@pytest.mark.parametrize(("options", "told"), [
    ("rw", True), ("ro", False), ("rw,{{ more }}", False), ("rw,nonsense", False), ("sec=sys,ro,sec=krb5,rw", False),
])
def test_a_network_inside_another_differs_only_if_its_options_are_whole_right_and_of_one_flavour(
    options: str, told: bool,
) -> None:
    assert bool(findings(f"/s 10.0.0.0/8(ro)\n/s 10.1.0.0/16({options})\n", "network-shadowed")) is told


@pytest.mark.parametrize(("text", "line"), [
    ("V4: / -sec=sys\n", 1), ("# x\nV4: / -sec=sys\n/a -alldirs -network 192.0.2.0/24\n", 2),
])
def test_the_form_of_another_system_is_reported_at_its_line(text: str, line: int) -> None:
    found = lint_text(text, "exports", load(), {}, kind="exports").findings
    assert [(one.rule, one.line) for one in found if one.rule == "export-other-form"] == [("export-other-form", line)]
