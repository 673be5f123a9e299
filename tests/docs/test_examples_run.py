"""The commands that the pages print do what they are printed for, in a folder that has the files they name.

That each is one that the program takes is tested by test_pages.py."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import main
from tests import needs
from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.docs.prose import ROOT
from tests.docs.test_pages import printed
from tests.fleet.test_bundle import bundle_of
from tests.host import archives, trees
from tests.observe.texts import mount
from tests.tiers import thorough

ELSEWHERE = {
    "--live": "a screen: tests/watch",
    "--web": "a browser: tests/wizard",
    "--watch": "never ends: tests/cli/test_lint_daily.py",
    "--dask": "a cluster: tests/fleet/test_on_dask.py",
    "--ask": "asks: tests/diagnose",
    "--mount": "needs this mount: tests/observe",
    "--replay": "needs a recording: tests/observe", "--listen": "runs until it is ended: tests/observe",
    "rules test": "tests/cli/test_own_rules.py",
    "--rules": "somebody fills in the rules first: tests/cli/test_own_rules.py",
    "probe": "asks a server: tests/probe",
    "--from-probe": "needs the answers of a server: tests/probe",
    "sweep run": "mounts: tests/sweep",
    "sweep clean": "unmounts: tests/sweep",
    "sweep adopt": "needs what a sweep measured: tests/sweep",
    "sweep show plan.result": "needs what a sweep measured: tests/sweep",
}
"""Words of a command → why it is not run here, and where it is."""
FSTAB = "nas:/data /data nfs vers=4.1,hard,nconect=8 0 0\n"
EXPORTS = "/data *(rw,sync,no_subtree_check)\n"
WEB = {
    **trees.DEBIAN12, "/etc/fstab": FSTAB, "/proc/sys/kernel/hostname": "web1\n", "/proc/self/mountstats": mount(),
    "/proc/uptime": "100 0\n",
}
NAS = {**trees.DEBIAN12, "/etc/exports": EXPORTS, "/proc/sys/kernel/hostname": "nas\n"}
TEXTS = {
    **{f"{where}fstab": FSTAB for where in ("", "etc/", "lab/", "hosts/web1/", "fstab.d/")},
    "examples/fstab": (ROOT / "examples/fstab").read_text(encoding="utf-8"),
    "exports": EXPORTS, "etc/exports": EXPORTS, "etc/auto.nfs": "data -fstype=nfs4,hard nas:/data\n",
    "k8s/pv.yaml": "kind: PersistentVolume\nspec:\n  mountOptions: [hard]\n  nfs: {server: nas, path: /data}\n",
    "answers.yaml": "schema: advisor-answers/1\nfacts: {storage.platform: ontap, workload.kind: eda}\n",
    "site.yaml": "storage.platform: ontap\n", "web1.yaml": "client.kernel: '6.1'\n",
    "seen.yaml": "mount.vers: '4.1'\n",
    "accepted.json": '{"schema": "advisor-baseline/1", "findings": []}',
    "post.txt": "mount.nfs: access denied by server while mounting nas:/srv\n",
}


def reason(words: list[str]) -> str | None:
    """Why a command is not run here."""
    if (words[:1] == ["wizard"] and "--plain" not in words) or not words or words[0] in ("--no-host", "--session"):
        return "a screen: tests/wizard"
    return next((why for told, why in ELSEWHERE.items() if told in words or " ".join(words).startswith(told)), None)


def run_as(words: list[str], folder: Path) -> list[str]:
    """The command with paths of the machine below the folder, without the minutes that counting would take."""
    words = [f"{folder}{word}" if word.startswith("/") else word.replace("=/", f"={folder}/") for word in words]
    names = [word for word in words[1:] if not word.startswith("-")]
    if words[0] == "lint" and not [name for name in names if "fstab" in name or "/" in name] and "-" not in words:
        words.append(f"{folder}/etc/fstab")
    if words[0] == "observe" and not {"--root", "--replay"} & {*words}:
        words += ["--for", "1s"]
    return words


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that commands on the pages name."""
    place = tmp_path_factory.mktemp("examples")
    trees.plant(place, TEXTS)
    for name in ("sosreport-web1", "sosreport-web2", "web1", "sosreport-nas", "nas"):
        archives.pack(place / f"{name}.tar.xz", NAS if name.endswith("nas") else WEB, mode="w:xz")
    for name in ("sosreport-web1", "monday", "tuesday", "web1"):
        trees.plant(place / name, {**WEB, "/proc/self/mountstats": mount(age=90 if name == "tuesday" else 60)})
    for name in ("copies/nas", "node-a", "node-b"):
        trees.plant(place / name, NAS)
    for made in ("bundles", "srv/bundles", "var/lib/prometheus/node-exporter", "tmp"):
        (place / made).mkdir(parents=True)
    bundle = bundle_of(WEB)
    for made in ("bundles/web1.json", "srv/bundles/web1.json", "web1.json"):
        (place / made).write_text(bundle, encoding="utf-8")
    (place / "web1.json.gz").write_bytes(gzip.compress(bundle.encode()))
    (place / "fleet.jsonl.gz").write_bytes(gzip.compress(bundle.encode() * 2))
    report = ["--output-format", "jsonl", "-o", str(place / "report.jsonl")]
    assert main(["fleet", "report", str(place / "bundles"), *report]) in (0, 1)
    return place


ONCE = {tuple(words): place for place, words in printed() if reason(words) is None}
"""Command → a place where it is printed."""


@pytest.mark.parametrize(("place", "words"), [
    pytest.param(place, [*words], id=place, marks=thorough if number % 4 else ())
    for number, (words, place) in enumerate(ONCE.items())
])
def test_a_printed_command_does_what_it_is_printed_for(
    place: str, words: list[str], folder: Path, advisor: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:
    if words[:2] == ["sweep", "show"]:
        needs.package("scipy", "sweep")
    if "parquet" in words:
        needs.package("pyarrow", "parquet")
    monkeypatch.chdir(folder)
    (folder / "plan.yaml").unlink(missing_ok=True)  # two pages plan a sweep, and a plan is not written over another
    ran = advisor(*run_as(words, folder), stdin=bundle_of(WEB) if words[:2] == ["fleet", "report"] else FSTAB)
    assert ran.code in (0, 1), f"{place}: {ran.err}"
    assert ran.out or ran.err or {"-o", "--bundle"} & {*words}
