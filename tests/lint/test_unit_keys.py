"""Keys of units in sections where systemd does not read them, as systemd itself reports them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.files.patterns import name_fits, name_parts
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

MANAGER = next((Path(one) for one in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if Path(one).exists()), None)
needs_systemd = pytest.mark.skipif(
    MANAGER is None or not shutil.which("systemd-analyze"), reason="needs systemd and systemd-analyze"
)
UNIT = """\
[Unit]
Description=data
After=network-online.target
What=nas:/other
ConditionPathExists=/etc/fstab
[Mount]
What=nas:/data
Where=/mnt/data
Type=nfs
Options=vers=4.2
TimeoutSec=30
Environment=A=b
After=network.target
WantedBy=multi-user.target
Waht=nas:/data
Tpye=nfs
Optons=hard
[Install]
WantedBy=remote-fs.target
Options=hard
"""


def misplaced(text: str) -> list[int]:
    findings = lint_text(text, "mnt-data.mount", load(), {}, kind="systemd-mount").findings
    return sorted(one.line for one in findings if one.rule in ("setting-section-wrong", "setting-unknown"))


@needs_systemd
def test_the_same_keys_are_unknown_to_systemd(tmp_path: Path) -> None:
    unit = tmp_path / "mnt-data.mount"
    unit.write_text(UNIT)
    command = ["systemd-analyze", "verify", "--man=no", "--generators=no", str(unit)]
    told = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60).stderr
    unknown = [int(one) for one in re.findall(r"mnt-data\.mount:([0-9]+): Unknown key", told)]
    assert unknown
    assert misplaced(UNIT) == unknown


@needs_systemd
def test_the_keys_of_other_sections_are_systemd_s() -> None:
    told = subprocess.run([str(MANAGER), "--dump-configuration-items"], capture_output=True, text=True, check=True)
    section, of = "", {}
    for line in told.stdout.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line:
            of.setdefault(section, []).append(line.partition("=")[0])
    file = load().kinds["systemd-unit"].file
    assert file is not None
    for section, names in file.of_others.items():
        missing = [one for one in names if not any(name_fits(key, name_parts(one)) for key in of[section])]
        assert not missing, section
        assert not [key for key in of["Mount"] + of["Automount"] for one in names if name_fits(key, name_parts(one))]


def test_a_section_of_ones_own_holds_anything() -> None:
    assert misplaced("[X-Backup]\nWhat=all\nAfter=noon\n[Mount]\nWhat=nas:/data\nWhere=/mnt/data\n") == []
