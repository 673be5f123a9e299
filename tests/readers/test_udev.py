"""udev rules: what is dropped and what has no effect is what udevadm says, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.readers.settings import read

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
    return [(slip.span.line, slip.slug) for slip in read("udev", text, "x").slips]


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


@pytest.mark.parametrize(("text", "told"), [
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
    [one] = read("udev", text, "x").settings
    assert (one.key.text, one.key.span, one.value.text, one.value.span) == (
        "read_ahead_kb", (2, 8, 21), "16M", (2, 24, 27),
    )
