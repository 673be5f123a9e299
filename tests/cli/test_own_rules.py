"""Rules of a site: made, tested, and used by every command."""

from __future__ import annotations

import json

import pytest

from tests.rulebase.test_gates import EIGHT
from tests.rulebase.test_packs import CLAIMS, SOURCE, pack

FILLED = {
    "decision mount.nconnect": [("value: TODO", "value: 2"), ("expect: TODO", "expect: 2")],
    "decision mount.lookupcache": [("value: TODO", "value: none"), ("expect: TODO", "expect: none")],
    "check no-bg-here": [],
    "erratum our-hang": [],
}
LINE = "nas:/a /a nfs vers=4.2,hard,nconnect=4,bg 0 0\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def new(advisor, tmp_path):
    """`new("check no-bg-here")` writes a template, fills it in, and gives its folder."""

    def write(what, folder="ours", fill=True):
        ran = advisor("rules", "new", *what.split(), "--into", folder)
        assert ran.code == 0, ran.err
        *files, advice = ran.out.splitlines()
        assert f"advisor rules test {folder}" in advice
        for name in files if fill else ():
            text = (tmp_path / name).read_text()
            for old, to in FILLED[what]:
                text = text.replace(old, to)
            (tmp_path / name).write_text(text.replace("TODO ", "Here "))
        return folder

    return write


@pytest.mark.parametrize("what", FILLED)
def test_a_template_is_right_once_it_is_filled_in(advisor, new, what):
    ran = advisor("rules", "test", new(what))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"1 {'rule' if what.startswith('decision') else what.split()[0]}, 1 claim and ")
    assert ran.out.endswith("examples: no problems\n") or ran.out.endswith("example: no problems\n")


@pytest.mark.parametrize("what", FILLED)
def test_a_template_is_not_right_before(advisor, new, what):
    ran = advisor("rules", "test", new(what, fill=False))
    assert ran.code == 1
    assert f"ours/{what.split()[1]}.yaml:" in ran.out
    assert "this place of the template is not filled in" in ran.out
    assert advisor("lint", "-", "--rules", "ours", stdin=LINE).code == 2


def test_what_a_template_offers_as_a_comment_is_right_too(advisor, new, tmp_path):
    folder = new("check no-bg-here")
    file = tmp_path / folder / "no-bg-here.yaml"
    text = file.read_text().replace("# when:", "when:").replace("# fix:", "fix:")
    assert "\nwhen: {client.init: systemd}" in text
    file.write_text(text.replace("finds: true", "given: {client.init: systemd}, finds: true"))
    ran = advisor("rules", "test", folder)
    assert (ran.code, ran.err) == (0, ""), ran.out


def test_lint_with_own_rules(advisor, new):
    for what in FILLED:
        new(what)
    ran = advisor("lint", "-", "--rules", "ours", "--output-format", "json", stdin=LINE)
    found = {f["rule"]: f for f in json.loads(ran.out)["findings"]}
    assert found["nconnect/site"]["expected"] == 2
    assert found["no-bg-here"]["cites"][0]["claim"] == "site-policy.no-bg-here"
    assert found["lookupcache/site"]["value"] is None
    without = advisor("lint", "-", "--output-format", "json", stdin=LINE)
    assert not json.loads(without.out)["findings"]
    chosen = advisor("lint", "-", "--rules", "ours", "--select", "no-bg-here", "--output-format", "json", stdin=LINE)
    assert [f["rule"] for f in json.loads(chosen.out)["findings"]] == ["no-bg-here"]


def test_the_text_of_a_finding_of_ones_own(advisor, new):
    new("check no-bg-here")
    ran = advisor("lint", "-", "--rules", "ours", stdin=LINE)
    assert ran.code == 1
    assert "no-bg-here" in ran.out
    assert "warning[no-bg-here] Here what is wrong" in ran.out
    assert advisor("lint", "-", "--rules", "ours", "--verbose", stdin=LINE).code == 1


def test_an_exception_for_one_rule_of_ones_own(advisor, new):
    new("check no-bg-here")
    ran = advisor("lint", "-", "--rules", "ours", stdin=f"# advisor: ignore[no-bg-here] old host\n{LINE}")
    assert ran.code == 0
    assert "unused" not in ran.out


def test_the_configuration_names_them_too(advisor, new, tmp_path):
    new("check no-bg-here")
    (tmp_path / "advisor.toml").write_text('rules = ["ours"]\nselect = ["no-bg-here"]\n')
    ran = advisor("lint", "-", "--output-format", "concise", stdin=LINE)
    assert ran.out.startswith("<stdin>:1:")
    assert ran.out.count("\n") == 1


def test_a_broken_pack_is_refused_with_its_places(advisor, new, tmp_path):
    new("check no-bg-here")
    file = tmp_path / "ours" / "no-bg-here.yaml"
    file.write_text(file.read_text().replace("strength: should", "strength: shoud").replace("mount.bg", "mount.gb"))
    ran = advisor("lint", "-", "--rules", "ours", stdin=LINE)
    assert (ran.code, ran.out) == (2, "")
    first, *others = ran.err.splitlines()
    assert first == "advisor: the rules in ours cannot be used:"
    assert others[0].startswith("advisor:   ours/no-bg-here.yaml:")
    assert "should" in ran.err
    assert "mount.bg" in ran.err
    assert advisor("rules", "test", "ours").code == 1


def test_folders_that_are_none(advisor):
    for args in (["lint", "-", "--rules", "none"], ["rules", "test", "none"]):
        ran = advisor(*args, stdin=LINE)
        assert ran.code == 2
        assert "none: folder not found" in ran.err


def test_a_template_is_never_written_over_another_file(advisor, new, tmp_path):
    new("check no-bg-here")
    before = {path: path.read_bytes() for path in (tmp_path / "ours").iterdir()}
    ran = advisor("rules", "new", "check", "no-bg-here", "--into", "ours")
    assert ran.code == 2
    assert "already exists" in ran.err
    assert {path: path.read_bytes() for path in (tmp_path / "ours").iterdir()} == before


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["decision", "mount.nconect"], "mount.nconnect"),
        (["decision", "nconnect"], "mount.nconnect"),
        (["check", "No_Bg"], "lower-case letters"),
        (["check", "unknown-option"], "is already the name of a rule"),
        (["rule", "x"], "one of decision, check or erratum"),
    ],
)
def test_names_that_cannot_be(advisor, tmp_path, args, words):
    ran = advisor("rules", "new", *args)
    assert ran.code == 2
    assert words in ran.err
    assert list(tmp_path.iterdir()) == []


def test_the_examples_of_the_program_itself(advisor):
    ran = advisor("rules", "test")
    assert ran.code == 0, ran.out
    assert "no problems" in ran.out


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
    assert "mount.nconnect cannot be pinned here: The client does not know the option" in ran.err
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
