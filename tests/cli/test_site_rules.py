"""Rules of one's own reach every face, by --rules or by the configuration, and their faults are told alike."""

from __future__ import annotations

import json

import pytest

from tests.rulebase.test_gates import EIGHT
from tests.rulebase.test_packs import CLAIMS, SOURCE, pack
from tests.tiers import thorough

pytestmark = thorough

CHECK = """\
check: no-bg-here
title: bg is not for us
on: {mount.bg: true}
strength: must
consequence: boot
message: no bg here
why: Nobody looks whether it came up later.
remedy: Leave it out.
cites: [policy.two]
examples:
  - {fstab: "s:/x /x nfs bg 0 0", finds: true}
  - {fstab: "s:/x /x nfs fg 0 0", finds: false}
"""
NEW, OLD = "client.kernel=6.1", "client.kernel=3.10.0-1160.el7"
ONTAP = ("--set", "storage.platform=ontap")


@pytest.fixture(autouse=True)
def ours(tmp_path, monkeypatch):
    """A pack `ours` in the folder: a value, and a check with words of its own."""
    monkeypatch.chdir(tmp_path)
    eight = EIGHT.replace("LAYER", "site")
    pack(tmp_path / "ours", policy=SOURCE, claims=CLAIMS, nconnect=eight, no_bg_here=CHECK)
    return tmp_path / "ours"


@pytest.fixture(params=["--rules", "the configuration"])
def site(request, tmp_path):
    """The options that bring the pack in."""
    if request.param == "--rules":
        return ("--rules", "ours")
    (tmp_path / "advisor.toml").write_text('rules = ["ours"]\n')
    return ()


def test_recommend(advisor, site, tmp_path):
    ran = advisor("recommend", *ONTAP, "--set", NEW, *site, "--output-format", "json")
    found = {one["tunable"]: one for one in json.loads(ran.out)["settled"]}["mount.nconnect"]
    assert (found["value"], found["rule"], found["layer"]) == (8, "nconnect/ours", "site")
    assert ran.err == ("" if site else "advisor: rules from advisor.toml\n")
    ran = advisor("recommend", *ONTAP, "--set", OLD, *site, "--output-format", "json")
    found = {one["tunable"]: one for one in json.loads(ran.out)["settled"]}["mount.nconnect"]
    assert (found["value"], found["rule"], found["layer"]) == ("omit", "nconnect/unknown-to-client", "gate")
    assert "nconnect=8" not in advisor("recommend", *ONTAP, "--set", NEW, "--no-config").out


def test_a_pin_does_not_pass_a_gate(advisor):
    ran = advisor("recommend", *ONTAP, "--set", OLD, "--pin", "mount.nconnect=4", "--output-format", "json")
    assert (ran.code, ran.out) == (2, "")
    assert "mount.nconnect cannot be pinned here: On a client that does not know the option" in ran.err
    ran = advisor("recommend", *ONTAP, "--pin", "mount.nconnect=4", "--output-format", "json")
    found = {one["tunable"]: one for one in json.loads(ran.out)["settled"]}["mount.nconnect"]
    assert (str(found["value"]), found["pinned"]) == ("4", True)


def test_what_is_written(advisor, site, tmp_path):
    assert advisor("recommend", *ONTAP, "--set", NEW, *site, "--write-to", "out").code == 0
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert any("nconnect=8" in text for text in texts)
    assert any("The switches are made for eight." in text for text in texts)  # the report's reason


@pytest.mark.parametrize(("command", "said"), [
    (("why", "nconnect"), "The switches are made for eight."),
    (("why-not", "nconnect=4"), "nconnect/ours"),
    (("what-if", "nconnect"), "8"),
])
def test_one_setting(advisor, site, command, said):
    ran = advisor(*command, *ONTAP, "--set", NEW, *site)
    assert ran.code == 0, ran.err
    assert said in ran.out
    assert "nconnect/ours" not in advisor(*command, *ONTAP, "--set", NEW, "--no-config").out


def test_explain(advisor, site):
    assert "The switches are made for eight." in advisor("explain", "nconnect/ours", *site).out
    assert "Nobody looks whether it came up later." in advisor("explain", "no-bg-here", *site).out
    assert advisor("explain", "nconnect/ours", "--no-config").code == 2


def test_lists_and_export(advisor, site):
    rows = json.loads(advisor("rules", "list", *site, "--output-format", "json").out)
    files = {row["id"]: row["file"] for row in rows}
    assert files.keys() >= {"nconnect/ours", "nconnect/anf"}
    assert files["no-bg-here"] == "ours/no-bg-here.yaml"
    assert files["nconnect/unknown-to-client"] == "kb/tunables/mount/connections.yaml"
    assert "policy.two" in json.loads(advisor("kb", "export", *site).out)["claims"]


def test_the_plain_wizard(advisor, site):
    ran = advisor("wizard", "--plain", "--no-host", *ONTAP, "--set", NEW, *site, stdin="why nconnect\nquit\n")
    assert "The switches are made for eight." in ran.out


def test_lint(advisor, site):
    line = "nas:/a /a nfs bg,nconnect=4 0 0\n"
    ran = advisor("lint", "-", "--set", NEW, *site, "--output-format", "json", stdin=line)
    found = {one["rule"]: one["message"] for one in json.loads(ran.out)["findings"]}
    assert found.keys() >= {"nconnect/ours", "no-bg-here"}
    assert found["no-bg-here"] == "no bg here"


FACES = {
    "lint": ("lint", "-"),
    "recommend": ("recommend",),
    "why": ("why", "nconnect"),
    "why-not": ("why-not", "nconnect=4"),
    "what-if": ("what-if", "nconnect"),
    "explain": ("explain", "nconnect"),
    "rules list": ("rules", "list"),
    "kb": ("kb", "export"),
    "wizard": ("wizard", "--plain"),
}


@pytest.mark.parametrize("face", FACES)
def test_faults_are_told_alike(advisor, ours, face):
    file = ours / "nconnect.yaml"
    file.write_text(file.read_text().replace("strength: must", "strength: mst"))
    ran = advisor(*FACES[face], "--rules", "ours")
    assert (ran.code, ran.out) == (2, "")
    assert "the rules in ours cannot be used:" in ran.err
    assert "ours/nconnect.yaml:6:15: " in ran.err
    ran = advisor(*FACES[face], "--rules", "ours", "--config", "advisor.toml", "--no-config")
    assert (ran.code, ran.err) == (2, "advisor: --config and --no-config: give only one of them\n")


def test_verify_takes_a_pack(advisor):
    ran = advisor("rules", "verify", "--rules", "ours")
    assert (ran.code, ran.out) == (0, advisor("rules", "test", "ours").out)
    assert advisor("rules", "verify", "--rules", "ours", "--root", ".").code == 2
