"""The values that the grammar foretells are those that /proc/mounts shows; what it calls ignored is not there."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.files.option_reading import OptionProblem
from advisor.files.records import Setting
from tests.kernel import cases
from tests.kernel.cases import Case
from tests.kernel.judge import KERNELS, problems, read
from tests.kernel.test_agreement import needs_oracle
from tests.tiers import thorough

NUMBERS = {
    "mount.rsize": 1048576, "mount.wsize": 1048576, "mount.timeo": 600, "mount.retrans": 2, "mount.acregmin": 3,
    "mount.acregmax": 60, "mount.acdirmin": 30, "mount.acdirmax": 60, "mount.bsize": None, "mount.max_connect": 1,
    "mount.namlen": 255,
}
WORDS = {"mount.write": "lazy", "mount.local_lock": "none"}
FLAGS = {
    "mount.ro": "ro", "mount.sync": "sync", "mount.nosuid": "nosuid", "mount.nodev": "nodev", "mount.noexec": "noexec",
    "mount.nosymfollow": "nosymfollow", "mount.softreval": "softreval", "mount.nocto": "nocto", "mount.noac": "noac",
    "mount.noresvport": "noresvport", "mount.nosharecache": "nosharecache", "mount.migration": "migration",
    "mount.posix": "posix", "mount.noalignwrite": "noalignwrite",
}
NEGATIVE = {"mount.lock": "nolock", "mount.acl": "noacl", "mount.rdirplus": "nordirplus"}
NOT_FORETOLD = {
    "vers=3,local_lock=flock,local_lock=posix": "two kinds of local locks add up to all",
    "vers=3,nolock,local_lock=flock": "6.1 adds the kinds up; nolock had made all of them local already",
    "@via=fstab timeo=010,norelatime,nolock,mountvers=3,local_lock=all": "nolock had made all of them local already",
    "@via=fstab nosymfollow,nordirplus,sec=sys:none,acregmax=2147483648": "it depends on the kernel's clock",
    "acregmin=4294967295": "what such a time becomes depends on the kernel's clock",
    "actimeo=4294967295": "what such a time becomes depends on the kernel's clock",
}
V3_ONLY = ("mount.lock", "mount.acl", "mount.local_lock", "mount.namlen")
"""Settings of NFSv3: without a version the server's answer decides whether they have an effect."""


def told(tunable: str, value: Any) -> str | None:
    """The words by which /proc/mounts would show a setting; "" where it shows none; None where it is not compared."""
    name = tunable.partition(".")[2]
    if tunable in NUMBERS:
        # 0 stands for the largest size where it is a size.
        return "" if value == NUMBERS[tunable] or (value == 0 and name.endswith("size")) else f"{name}={value}"
    if tunable in WORDS:
        return "" if value == WORDS[tunable] else f"{name}={value}"
    if tunable in FLAGS:
        return FLAGS[tunable] if value else ""
    if tunable in NEGATIVE:
        return "" if value else NEGATIVE[tunable]
    if tunable == "mount.vers":
        return None if value == "4" else f"vers={value}"
    if tunable == "mount.hard":
        return "" if value == "hard" else str(value)
    if tunable == "mount.nconnect":
        return f"nconnect={value}"
    if tunable == "mount.lookupcache":
        return {"all": "", "positive": "lookupcache=pos", "none": "lookupcache=none"}[value]
    return None


def shown(case: Case, setting: Setting) -> bool:
    """Whether /proc/mounts shows the setting as the grammar foretells it."""
    words = case.shown.split(",") if case.shown else []
    expected = told(setting.tunable, setting.value)
    if expected:
        return expected in words
    name = setting.tunable.partition(".")[2]
    unusual = (FLAGS | NEGATIVE).get(setting.tunable, "")
    if unusual:
        return unusual not in words
    usual = {f"{name}={NUMBERS[setting.tunable]}" if setting.tunable in NUMBERS else f"{name}={setting.value}"}
    return not any(word.startswith(f"{name}=") and word not in usual for word in words)


def ignored(found: tuple[OptionProblem, ...], setting: Setting) -> bool:
    """Whether the grammar says that the setting has no effect."""
    own = [p for p in found if p.start == setting.start and p.tunable == setting.tunable]
    return any(p.kind == "ignored-option" and p.condition is None for p in own)


def surprises(chosen: list[Case], kernel: str) -> list[str]:
    """Settings that came out otherwise than foretold, or came out although they were called ignored."""
    wrong = []
    for case in (case for case in chosen if case.accepted and case.shown and case.text not in NOT_FORETOLD):
        line = read(case.options, case.fstype, case.source)
        found = problems(case.options, case.fstype, case.source, KERNELS[kernel])
        for setting in (*line.effective.values(), *line.implied.values()):
            if told(setting.tunable, setting.value) is None:
                continue
            if setting.tunable in V3_ONLY and line.value("mount.vers") is None:
                continue
            quiet = ignored(found, setting)
            usual = told(setting.tunable, setting.value) == ""
            if shown(case, setting) is quiet and not (quiet and usual):
                wrong.append(f"{case.text}: {setting.tunable} {setting.value}")
    return wrong


@needs_oracle
@pytest.mark.parametrize("kernel", KERNELS)
def test_settings_come_out_as_foretold(kernel: str) -> None:
    assert surprises(cases.compared(kernel), kernel) == []


@thorough
@pytest.mark.parametrize("kernel", KERNELS)
def test_further_settings_come_out_as_foretold(kernel: str) -> None:
    assert surprises(cases.own(kernel), kernel) == []
