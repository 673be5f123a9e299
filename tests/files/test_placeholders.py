"""What a template will put there is one piece of the text, whatever stands in it."""

from __future__ import annotations

import pytest

from advisor.files import autofs, exports
from advisor.files.fstab import split_options
from advisor.files.placeholders import has_markup, joined, masked, masked_address, open_options, placeholders
from tests.each import each

FILLED = "{{ opts | default('rw,hard', true) }}"


@pytest.mark.parametrize("blank", [
    FILLED, "${OPTS:-rw,hard=1}", "$(a b,c=d)", '{{ o|default("a,b") }}', "{{ a.get('b', {})['c,d'] }}", "<% a,b %>",
])
def test_a_placeholder_is_one_option(blank: str) -> None:
    items = split_options(f"ro,{blank},timeo={blank},x=1")
    assert [(one.text, one.name) for one in items] == [
        ("ro", "ro"), (blank, blank), (f"timeo={blank}", "timeo"), ("x=1", "x")]
    assert [one.start for one in items] == [0, 3, 4 + len(blank), 11 + 2 * len(blank)]
    assert len(masked(blank)) == len(blank)


def test_what_is_not_closed_separates_as_ever() -> None:
    assert [one.text for one in split_options("ro,{{ a,b")] == ["ro", "{{ a", "b"]
    assert [one.text for one in split_options("=a=b,=c,ro")] == ["=a=b", "=c", "ro"]
    assert [one.name for one in split_options("=a=b,=c,ro")] == ["=a", "=c", "ro"]


def test_an_export_with_placeholders() -> None:
    found = exports.read(f'/a {{{{ net | default("10.0.0.0/8 x") }}}}(rw,{FILLED},sync) $(host b)(ro)\n')
    assert [[part.text for part in one.options.parts] for one in found] == [["rw", FILLED, "sync"], ["ro"]]
    assert found[0].client.text.startswith("{{ net")
    assert [one.bad for one in found] == [None, None]


def test_an_export_in_a_loop_of_a_template() -> None:
    one, = exports.read("/a {{ pillar.get('net', {})['a b'] }}({{ opts }}){% endfor %}\n")
    assert (one.client.text, one.options.text, one.bad) == ("{{ pillar.get('net', {})['a b'] }}", "{{ opts }}", None)
    one, = exports.read("/a b(ro)c\n")
    assert one.bad


def test_an_entry_of_a_map_with_placeholders() -> None:
    mount, = autofs.read_maps(f"a -fstype=nfs4,{FILLED},ro nas:/x\n", "auto.x", "autofs").mounts
    assert [part.text for part in mount.options.parts] == [FILLED, "ro"]


@each(lambda: [
    "$A", "${a}", "$(a)", "$1", "{{ a", "{% a", "<% a", "{a b}", "<a>", "%(a)s", "%AB%", "%s", "a-%s", "@AB@", "`a b`",
    "YOUR_NAS", "a,YOUR-IP", "CHANGEME", "a.update-me", "Replace_This", "NAS_IP_HERE", "a,insert_me=1",
])  # fmt: skip
def test_what_a_template_has(text: str) -> None:
    assert has_markup(text)


@each(lambda: ["", "$", "$ a", "{1}", "{}", "< a", "<>", "%(a)d", "%A%", "a%s", "%sb", "@A@",
    "@ab@", "50%", "a`3", "YOURS", "MYOUR_A", "exchange-me", "changes", "updatemedia", "HERE", "nas_here"])
def test_what_it_has_not(text: str) -> None:
    assert not has_markup(text)


@pytest.mark.parametrize(("options", "names"), [
    ("rw,timeo=600", set()), ("rw,{{ a,b }},timeo=${b},x=1", {"", "timeo"}), ("a=1,b=$B", {"b"}), ("$A=1", {""}),
    ("<a b>,c=<d,e>,f", {"", "c"}),
])  # fmt: skip
def test_options_that_are_still_open(options: str, names: set[str]) -> None:
    assert open_options(options) == names


@each(lambda: [
    ("192.168.x.10", True), ("10.xx.xxx.01", True), ("X.X.X.X", True), ("1.2.3.4", False), ("1.2.x", False),
    ("1.2.3.xxxx", False), ("1.2.3.xX", False), ("a.b.c.x", False), ("a.b.1.x", True), ("1.2..x", False),
    ("1.2.3.²", False),
    ("1.2.3.a1", False), ("1.2.3.x.5", True), ("1234.2.3.x", False),
])  # fmt: skip
def test_an_address_with_masked_digits(host: str, masked_out: bool) -> None:
    assert masked_address(host) is masked_out


def test_a_placeholder_in_one_piece() -> None:
    assert joined("a {{ b\tc }} <d e> f") == "a {{_b_c_}} <d_e> f"
    assert masked("{{ a }} <b> {c") == "_______ ___ {c"


def test_each_placeholder_of_a_text() -> None:
    assert [match[0] for match in placeholders("a {{ b }} $c <d e> `f` ${g")] == ["{{ b }}", "<d e>", "`f`"]
