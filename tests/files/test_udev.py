"""udev rules: what is dropped and what has no effect is what udevadm says, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.files.kinds import read_settings
from tests.each import each

UDEVADM = shutil.which("udevadm")
WORDS = st.sampled_from([
    'SUBSYSTEM=="bdi"', 'SUBSYSTEM="bdi"', 'ACTION=="add"', 'ACTON=="add"', 'ATTR{read_ahead_kb}="128"', 'ENV{A}="1"',
    'ATTR{read_ahead_kb}=="128"', "ATTR{x}=128", 'ATTR(x)="1"', "ATTR{x}='1'", "# x", 'KERNEL!="x"', 'RESULT="a"',
    'PROGRAM="/bin/true"', 'RUN+="/bin/true %k"', '"', ";", 'subsystem=="bdi"', 'ENV{B}="a\\"b"', 'TAGS=="x"',
    'IMPORT{program}="/x"', 'NAME="x"', 'TEST=="x"', 'ENV{A}=="x|y"', 'KERNEL=="sd*"', "\\\n", 'ATTR="1"',
])  # fmt: skip
RULES = st.lists(WORDS, min_size=1, max_size=4).map(", ".join)
GOOD = 'SUBSYSTEM=="bdi", ACTION=="add", PROGRAM="/usr/libexec/nfsrahead %k", ATTR{read_ahead_kb}="%c"\n'


def verifies() -> bool:
    """Whether udevadm can verify rules (systemd 254)."""
    if UDEVADM is None:
        return False
    return subprocess.run([UDEVADM, "verify", "--help"], capture_output=True, check=False).returncode == 0


def slips(text: str) -> list[tuple[int, str]]:
    """Line and check of each slip."""
    return [(slip.span.line, slip.slug) for slip in read_settings("udev", text, "x").slips]


@pytest.mark.skipif(not verifies(), reason="no udevadm that can verify (systemd 254) is installed")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RULES)
def test_what_udev_drops_is_told(tmp_path: Path, rule: str) -> None:
    path = tmp_path / "a.rules"
    path.write_text(f"{rule}\n", encoding="utf-8")
    ran = subprocess.run(
        [str(UDEVADM), "verify", "--no-style", "--resolve-names=never", str(path)], capture_output=True, text=True,
        check=False,
    )
    dropped = re.search(r"Invalid (?:operator|key|attribute)", ran.stderr + ran.stdout) is not None
    idle = "The line has no effect" in ran.stderr + ran.stdout
    told = {slug for _, slug in slips(f"{rule}\n")}
    assert ("udev-rule-dropped" in told) == dropped
    if "PROGRAM" not in rule and "IMPORT" not in rule:
        assert ("udev-rule-idle" in told) == (idle and not dropped)


@each(lambda: [
    (GOOD, []),
    ('ACTION=="add", SUBSYSTEM=="module", \\\n  # a comment\n  RUN+="/sbin/sysctl -q"\n', []),
    (GOOD.replace('"bdi",', '"bdi", \\\n '), []),
    (f"{GOOD}{GOOD.replace('==', '=', 1)}", [(2, "udev-rule-dropped")]),
    ('SUBSYSTEM!="bdi", GOTO="end"\nATTR{read_ahead_kb}="128"\nLABEL="end"\n', []),
    ('ATTR{read_ahead_kb}="128"\n', [(1, "udev-every-device")]),
    ('SUBSYSTEM=="bdi", PROGRAM="a \\\nb", ATTR{read_ahead_kb}="128", ACTION="x"\n', [(2, "udev-rule-dropped")]),
])  # fmt: skip
def test_rules(text: str, told: list[tuple[int, str]]) -> None:
    assert slips(text) == told


def test_the_place_of_an_attribute_and_its_value() -> None:
    text = 'SUBSYSTEM=="bdi", \\\n  ATTR{read_ahead_kb}="16M"\n'
    [one] = read_settings("udev", text, "x").settings
    assert (one.key.text, one.key.span, one.value.text, one.value.span) == (
        "read_ahead_kb", (2, 8, 21), "16M", (2, 24, 27),
    )


def marked(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Check, marked text and words of each slip."""
    lines = text.split("\n")
    return [
        (slip.slug, lines[slip.span.line - 1][slip.span.column - 1:slip.span.end_column - 1], dict(slip.words))
        for slip in read_settings("udev", text, "x").slips
    ]


@pytest.mark.parametrize(("rule", "place", "words"), [
    ('KERNEL=="a" # note', "# note", "a comment has to be on its own line"),
    ("KERNEL==“a”", "KERNEL==“a”", "the quotation marks are typographic; write straight ones"),
    ('ATTR(x)="1", RUN="y"', 'ATTR(x)="1", RUN="y"',
     'in ATTR(x)="1", the name of an attribute has to be in braces, as in ATTR{name}'),
    ("NAME='f(x)'", "NAME='f(x)'", "in NAME='f(x)', the value needs double quotation marks"),
    ('KERNEL=="a", NAME="b ', 'NAME="b', "the quotation mark is never closed"),
    ('NAME?"b"', 'NAME?"b"', 'NAME?"b" is not KEY=="value" or KEY="value"'),
    ("NAME=b, ", "NAME=b,", "in NAME=b, the value has no quotation marks"),
    ("; x", "; x", '; is not KEY=="value" or KEY="value"'),
    ('KERNEL=="a", ATTR="1"', 'ATTR="1"', "ATTR needs a name in braces, as in ATTR{name}"),
    ('ATTR{}="1", KERNEL="a"', 'KERNEL="a"', 'KERNEL can only be compared; write KERNEL=="a"'),
    ('kernel=="a"', 'kernel=="a"', "udev has no key kernel (did you mean KERNEL?)"),
    ('ACTON=="a"', 'ACTON=="a"', "udev has no key ACTON (did you mean ACTION?)"),
    ('RUNN="a"', 'RUNN="a"', "udev has no key RUNN (did you mean RUN?)"),
    ('NAMD="a"', 'NAMD="a"', "udev has no key NAMD (did you mean NAME?)"),
    ('NABD="a"', 'NABD="a"', "udev has no key NABD"),
    ('AMD="a"', 'AMD="a"', "udev has no key AMD"),
])  # fmt: skip
def test_why_a_rule_is_dropped(rule: str, place: str, words: str) -> None:
    assert marked(f"# head\n {rule}\n") == [("udev-rule-dropped", place, {"words": words})]


SET = 'ATTR{read_ahead_kb}="128"'
BDI = 'SUBSYSTEM=="bdi", ACTION=="add", '
TODO = "Remove the rule, or write what it is to do."


@each(lambda: [
    ('KERNEL=="a", TEST=="b"', ("udev-rule-idle", 'TEST=="b"', {"todo": TODO})),
    ('ATTR{a}!="b", KERNEL=="a"', ("udev-rule-idle", 'KERNEL=="a"', {"todo": TODO})),
    ('ATTR{a}=="b", KERNEL=="a"', ("udev-rule-idle", 'ATTR{a}=="b"', {"todo": 'Write ATTR{a}="b" to set it.'})),
    ('PROGRAM="a", ATTR{a}=="b"', ("udev-rule-idle", 'ATTR{a}=="b"', {"todo": 'Write ATTR{a}="b" to set it.'})),
    ('PROGRAM="a", KERNEL=="a"', None), ('IMPORT{db}="a"', None), ('LABEL=="a"', None), ('ENV{a}="1"', None),
    ('ACTION=="ad", RUN="a"', ("udev-no-event", 'ACTION=="ad"', {
        "event": "ad", "events": "add, remove, change, move, online, offline, bind, unbind"})),
    ('ACTION=="ad | add", RUN="a"', None), ('ACTION!="ad", RUN="a"', None), ('ACTION=="a*", RUN="a"', None),
    ('ACTION=="$a", RUN="a"', None), ('ENV{a}=="ad", RUN="a"', None),
    (f'SUBSYSTEM=="block", {SET}', ("udev-attribute-elsewhere", SET, {"subsystem": "block"})),
    (f'SUBSYSTEM=="b*", KERNEL=="a", ACTION=="add", {SET}', None),
    (f'{BDI}{SET}', ("udev-every-device", SET, {"value": "128"})),
    (f'{BDI}KERNEL=="*", SUBSYSTEMS=="a", {SET}', ("udev-every-device", SET, {"value": "128"})),
    (f'{BDI}KERNEL=="?*", {SET}', ("udev-every-device", SET, {"value": "128"})),
    (f'{BDI}ATTR{{read_ahead_kb}}="$x"', None), (f'{BDI}KERNEL=="0:*", {SET}', None), (f'{BDI}TAG=="a", {SET}', None),
    (f'{BDI}PROGRAM="a", {SET}', None),
    (f'{BDI}RUN="a", {SET}', ("udev-every-device", SET, {"value": "128"})),
    (f'SUBSYSTEM=="bdi", KERNEL=="0:*", {SET}', ("udev-without-action", 'SUBSYSTEM=="bdi"', {})),
    (f'{BDI}PROGRAM="/bin/a $12", {SET}', ("udev-dollar", 'PROGRAM="/bin/a $12"', {"found": "$1"})),
    (f'{BDI}PROGRAM="/bin/a $(b)", {SET}', ("udev-dollar", 'PROGRAM="/bin/a $(b)"', {"found": "$("})),
    (f'{BDI}PROGRAM="/bin/a $$1", {SET}', None), (f'{BDI}PROGRAM="/bin/a \\$1 $2", {SET}', None),
    (f'{BDI}PROGRAM="/bin/a $kernel", {SET}', None), (f'{BDI}PROGRAM="a $1", ATTR{{b}}="1"', None),
    (f"{BDI}PROGRAM=\"/bin/awk '( == 4)'\", {SET}", ("udev-shell-expanded", "PROGRAM=\"/bin/awk '( == 4)'\"", {})),
    (f'{BDI}PROGRAM="/bin/grep ( == 4)", {SET}', None), (f'{BDI}PROGRAM="/bin/awk b", {SET}', None),
])  # fmt: skip
def test_what_a_rule_does_not_do(rule: str, slip: tuple[str, str, dict[str, str]] | None) -> None:
    assert marked(f"{rule}\n") == ([slip] if slip else [])


@each(lambda: [
    ('SUBSYSTEM=="bdi", ATTR{max_ratio}="50", KERNEL=="a"', {"max_ratio": "50"}),
    ('ATTR{max_ratio}="50"', {}), ('SUBSYSTEM=="block", ATTR{read_ahead_kb}="1"', {}),
    ('SUBSYSTEM=="bdi", ATTR{bdi/read_ahead_kb}="1", ATTR{read_ahead_kb}!="2"', {}),
    ('SUBSYSTEM=="bdi", ATTR{read_ahead_kb}="%c"', {}), ('SUBSYSTEM=="bdi", ATTR{read_ahead_kb}="$result"', {}),
    ('SUBSYSTEM=="bdi", ATTR{max_ratio}="%c", ENV{read_ahead_kb}="1"', {"max_ratio": "%c"}),
])  # fmt: skip
def test_which_attributes_are_settings(rule: str, values: dict[str, str]) -> None:
    assert {one.key.text: one.value.text for one in read_settings("udev", f"{rule}\n", "x").settings} == values


def test_a_value_of_several_lines_is_marked_to_the_end_of_its_first_line() -> None:
    text = 'SUBSYSTEM=="bdi", \\\n ATTR{max_ratio}="1\\\n2\\\n3", KERNEL=="a"'
    (setting,) = read_settings("udev", text, "x").settings
    assert (setting.value.text, setting.value.span) == ("123", (2, 19, 20))
