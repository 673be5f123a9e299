"""`advisor lint --rules`, `advisor rules test`, `advisor rules new`: an administrator's own rules."""

from __future__ import annotations

import json

import pytest

from tests.tiers import thorough

pytestmark = thorough

FILLED = {
    "decision mount.nconnect": [("value: TODO", "value: 2"), ("expect: TODO", "expect: 2")],
    "decision mount.lookupcache": [("value: TODO", "value: none"), ("expect: TODO", "expect: none")],
    "check no-bg-here": [],
    "erratum our-hang": [],
}
a_kind = pytest.mark.parametrize("what", [
    pytest.param(what, marks=() if what == "check no-bg-here" else thorough) for what in FILLED
])
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


@a_kind
def test_a_template_is_right_once_it_is_filled_in(advisor, new, what):
    ran = advisor("rules", "test", new(what))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"1 {'rule' if what.startswith('decision') else what.split()[0]}, 1 claim and ")
    assert ran.out.endswith("examples: no problems\n") or ran.out.endswith("example: no problems\n")


@a_kind
def test_a_template_is_not_right_before(advisor, new, what):
    ran = advisor("rules", "test", new(what, fill=False))
    assert ran.code == 1
    assert f"ours/{what.split()[1]}.yaml:" in ran.out
    assert "this place of the template is not filled in" in ran.out
    assert advisor("lint", "-", "--rules", "ours", stdin=LINE).code == 2


@thorough
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


@thorough
def test_the_examples_of_the_program_itself(advisor):
    ran = advisor("rules", "test")
    assert ran.code == 0, ran.out
    assert "no problems" in ran.out
