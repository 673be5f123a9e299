"""From the start to an exported configuration in at most fifteen key presses, on the two cases that matter most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor import session as state
from advisor.advice.answers_file import read_answers
from tests.wizard.driving import BASE, NEW, SIZES, Driver, play

ANSWERS: dict[str, Any] = {
    "workload.kind": "eda", "host.role": "nfs-client", "storage.volume_protocol": "3", "workload.static_data": True,
    "workload.access": "mixed", "network.transport": "tcp", "mount.sec": "sys", "mount.ro": False,
    "storage.encrypted_transit": False, "network.cloud": "azure", "workload.durable_writes": False,
}
"""What the administrator knows; of everything else "I don't know" is said."""
FOUND: dict[str, tuple[Any, str]] = {"client.kernel": ("5.14.0-362.el9", "/proc/sys/kernel/osrelease")}
CASES = [("anf", "nconnect=8", FOUND), ("azure-files", "nconnect=4", {})]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_configuration_with_nconnect(
    case: tuple[str, str, dict[str, Any]], size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, wanted, found = case
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        while wanted not in driver.text():
            await driver.press(*keys(str(state.current(BASE, driver.app.session)), platform, found))
            assert driver.presses < 15
        await driver.press("tab", "e", "enter")  # a letter goes into a field that waits for a number
        driver.sees("files in nfs-config", "written")
        assert driver.presses <= 15

    play(scene, size, session=NEW, found=found)
    assert wanted in (tmp_path / "nfs-config" / "fstab").read_text()
    assert read_answers(BASE, "nfs-config/answers.yaml").facts["storage.platform"] == platform
    assert (tmp_path / "nfs-config" / "REPORT.md").exists()


def keys(fact: str, platform: str, found: dict[str, Any]) -> list[str]:
    """What is pressed as the answer to a question."""
    told = BASE.facts[fact]
    if fact in found:
        return ["enter"]
    if fact == "client.kernel":
        return ["5", "full_stop", "1", "4", "enter"]
    value = platform if fact == "storage.platform" else ANSWERS.get(fact)
    values: list[Any] = [True, False] if told.type == "bool" else list(told.values or ())
    if value is None and told.type in ("int", "version"):
        return ["down", "enter"]
    place = values.index(value) if value in values else len(values)
    key = [*state.choice_keys(values), ""][place] or str(place + 1)
    if place == len(values) and state.choice_keys(values)[0] != "1":
        key = ""  # "I don't know" has no key beside versions
    return [key] if len(key) == 1 else ["down"] * place + ["enter"]


def test_it_can_be_stopped_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        for _ in range(3):
            await driver.press(*keys(str(state.current(BASE, driver.app.session)), "anf", {}))
        await driver.press("tab", "e", "enter")
        driver.sees("written")

    play(scene, session=NEW)
    written = (tmp_path / "nfs-config" / "fstab").read_text()
    assert "vers=3" in written
    assert "rsize=262144" in written
