"""Pacemaker's configurations of the exported group, made by its own tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts
from tests.install.cases import CASES, base
from tests.install.tools import run


def fenced_cib(cib: Path, device: str) -> None:
    """Writes a configuration that has a fencing device (its XML) and nothing else."""
    cib.write_text(run("cibadmin", "--empty").stdout)
    told = run("cibadmin", "--create", "--scope", "resources", "--xml-text", device, CIB_file=str(cib))
    assert told.returncode == 0, told.stderr


def exported(names: dict[str, str] | None = None, **changed: Any) -> str:
    """The group of the failover pair as crmsh reads it, with changed facts."""
    facts = {**CASES["failover-pair"], "server.distro": "debian", **changed}  # RHEL has no crmsh
    answers = Answers(facts=facts, names=names or {})
    made = artefacts(base(), advise(base(), answers))
    (group,) = (one.text for one in made if one.path == "cluster/nfs-group.crm")
    return group


def load(cib: Path, group: str) -> None:
    """Adds resources, as crmsh reads them, to a configuration."""
    file = cib.with_suffix(".crm")
    file.write_text(group)
    told = run("crm", "-F", "configure", "load", "update", str(file), CIB_file=str(cib))
    assert told.returncode == 0, told.stderr
