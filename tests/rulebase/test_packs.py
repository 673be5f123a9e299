"""A site's own rules beside those that came with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import verify as report
from advisor.engine import reach
from advisor.rulebase import build, rule_files
from advisor.rulebase.base import load
from advisor.rulebase.document import Problem
from advisor.rulebase.model import RuleBaseError
from tests.rulebase.bases import edit

SOURCE = "source: policy\ntitle: Our policy\npublisher: We\nlanguage: en\ngrade: report\n"
CLAIMS = """\
claims:
  - id: policy.two
    source: policy
    at: section 2
    says: Two connections, everywhere.
    verdict: accepted
"""
DECISION = """\
decision: mount.nconnect
rules:
  - id: nconnect/ours
    layer: site
    when: {}
    value: 2
    strength: must
    why: The switches are made for two.
    cites: [policy.two]
    examples:
      - {given: {}, expect: 2}
"""
CHECK = """\
check: no-intr-here
title: intr
on: {mount.intr: true}
strength: must
consequence: ignored
message: no intr here
why: It is forbidden.
remedy: Leave it out.
fix: {safety: safe, remove: [mount.intr]}
cites: [policy.two]
examples:
  - {fstab: "s:/x /x nfs intr,v3 0 0", finds: true, fixed: "s:/x /x nfs v3 0 0"}
  - {fstab: "s:/x /x nfs v3 0 0", finds: false}
"""


@pytest.fixture
def site(root: Path) -> Path:
    """The minimal rule base, with the layer `site`."""
    ours = "  - {id: site, says: What the site wants.}\n"
    edit(root, "rules/layers.yaml", "  - {id: measured", ours + "  - {id: measured")
    return root


def pack(folder: Path, **files: str) -> str:
    """A folder with these files, and the claim and source that they cite."""
    for name, text in {"policy": SOURCE, "claims": CLAIMS, **files}.items():
        path = folder / f"{name.replace('__', '/').replace('_', '-')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def problems(root: Path, *folders: str) -> list[Problem]:
    added = {folder: rule_files.pack(folder) for folder in folders}
    return build.check(str(root), rule_files.files(str(root)), added=added).problems


def test_examples_of_its_errata_are_tried(root: Path, tmp_path: Path) -> None:
    text = (root / "rules/errata/el8-hang.yaml").read_text().replace("el8-hang", "our-hang")
    text = text.replace("handbook.versions", "policy.two")
    assert problems(root, pack(tmp_path / "right", our_hang=text)) == []
    earlier = text.replace("fixed: 4.18.0-193.", "fixed: 4.18.0-140.")
    (problem,) = problems(root, pack(tmp_path / "wrong", our_hang=earlier))
    assert "our-hang.yaml" in str(problem)
    assert "it is false" in str(problem)


def values(root: Path, decision: str, *folders: str, **known: object) -> list[object]:
    base = load(str(root), folders)
    state = base.engine.state({name.replace("__", "."): value for name, value in known.items()})
    return [outcome.value for outcome in reach(base.engine, decision, state)]


FLAT = {"nconnect": DECISION, "no_intr_here": CHECK}
FOLDERS = {
    "rules__mount__nconnect": DECISION,
    "rules__checks__no_intr_here": CHECK,
    "kb__sources__policy": SOURCE,
    "kb__claims__policy": CLAIMS,
}


@pytest.mark.parametrize("kinds", [FLAT, FOLDERS], ids=["flat", "folders"])
def test_a_pack_may_be_flat_or_have_folders(site: Path, tmp_path: Path, kinds: dict[str, str]) -> None:
    folder = pack(tmp_path / "pack", **kinds)
    assert problems(site, folder) == []
    known = {"storage__platform": "azure-files", "client__has_nconnect": True}
    assert values(site, "mount.nconnect", folder, **known) == [2]
    assert values(site, "mount.nconnect", **known) == [4]
    base = load(str(site), [folder])
    where = "" if kinds is FLAT else "rules/checks/"
    assert base.checks["no-intr-here"].file == f"{folder}/{where}no-intr-here.yaml"
    assert base.decisions["mount.nconnect"].rules["nconnect/ours"].layer == "site"
    assert base.claims["policy.two"].says == "Two connections, everywhere."


def test_a_stronger_layer_still_wins(site: Path, tmp_path: Path) -> None:
    text = DECISION.replace("given: {}, expect: 2", "given: {client.count: 8}, expect: 2") + """\
  - id: nconnect/tried
    layer: measured
    when: {client.count: 7}
    value: 7
    strength: may
    why: It was tried here.
    cites: [policy.two]
    examples:
      - {given: {client.count: 7}, expect: 7}
"""
    folder = pack(tmp_path / "pack", nconnect=text)
    assert values(site, "mount.nconnect", folder, client__count=7) == [7]
    assert values(site, "mount.nconnect", folder, client__count=8) == [2]


def test_rules_may_join_a_table(site: Path, tmp_path: Path) -> None:
    text = DECISION.replace("mount.nconnect", "mount.vers").replace("nconnect/ours", "vers/ours")
    text = text.replace("{}", "{storage.platform: azure-files}").replace(": 2", ': "3"')
    text += "      - {given: {storage.platform: anf}, expect: keep}\n"
    folder = pack(tmp_path / "pack", vers=text)
    assert problems(site, folder) == []
    private = {"storage__platform": "azure-files", "storage__endpoint": "private"}
    assert values(site, "mount.vers", folder, **private) == ["3"]
    assert values(site, "mount.vers", **private) == ["4.1"]
    assert values(site, "mount.vers", folder, storage__platform="other") == ["keep"]


def test_two_packs(site: Path, tmp_path: Path) -> None:
    two = tmp_path / "two"
    two.mkdir()
    (two / "no-intr-here.yaml").write_text(CHECK, encoding="utf-8")
    folders = (pack(tmp_path / "one", nconnect=DECISION), str(two))
    assert problems(site, *folders) == []
    assert values(site, "mount.nconnect", *folders) == [2]
    assert load(str(site), folders).checks["no-intr-here"].file == f"{two}/no-intr-here.yaml"
    (problem, *_) = problems(site, str(two))
    assert problem.file == f"{two}/no-intr-here.yaml"
    assert "policy.two" in problem.found


def test_a_new_decision(site: Path, tmp_path: Path) -> None:
    text = DECISION.replace("mount.nconnect", "sysctl.net.buffer").replace("nconnect/ours", "buffer/ours")
    text = text.replace(": 2", ": 8192")
    assert values(site, "sysctl.net.buffer", pack(tmp_path / "pack", buffer=text)) == [8192]


@pytest.mark.parametrize(
    ("changes", "line", "words"),
    [
        ([("value: 2", "value: 99")], 6, "99"),
        ([("layer: site", "layer: platform")], 4, "write layer: site"),
        ([("layer: site", "layer: sight")], 4, "write layer: site"),
        ([("policy.two", "policy.tow")], 9, "policy.two"),
        ([("expect: 2", "expect: omit")], 11, "expects mount.nconnect to be omit"),
        ([("when: {}", "when: {client.cuont: 3}")], 5, "client.count"),
        ([("nconnect/ours", "nconnect/default")], 3, "for the second time"),
        ([("    strength: must\n", "")], 3, "without strength"),
        ([("rules:", "hit: collect\nrules:")], 2, "a pack adds rules to it"),
        ([("rules:", "rulez:")], 2, "unknown key"),
        ([("why: The", "why: [The")], 9, "YAML"),
        ([("value: 2", "value: TODO how many")], 6, "not filled in"),
        ([("layer: site", "layer: measured"), ("{}", "{client.count: 3}"), (": 2}", ": 4}")], 11, "to be 4"),
    ],
)
def test_mistakes_are_told_with_their_place(
    site: Path, tmp_path: Path, changes: list[tuple[str, str]], line: int, words: str
) -> None:
    text = DECISION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    folder = pack(tmp_path / "pack", nconnect=text)
    told = [str(problem) for problem in problems(site, folder)]
    assert any(one.startswith(f"{folder}/nconnect.yaml:{line}:") and words in one for one in told), told
    assert all(one.startswith(folder) for one in told), "what came with the program is not at fault"
    with pytest.raises(RuleBaseError):
        load(str(site), [folder])


def test_a_conflict_within_the_layer_is_told_in_the_pack(site: Path, tmp_path: Path) -> None:
    other = DECISION.replace("nconnect/ours", "nconnect/theirs").replace(": 2", ": 3")
    one, two = pack(tmp_path / "one", nconnect=DECISION), tmp_path / "two"
    two.mkdir()
    (two / "x.yaml").write_text(other, encoding="utf-8")
    (problem,) = (p for p in problems(site, one, str(two)) if "both match" in p.found)
    assert problem.file.startswith((one, str(two)))
    assert "line 3, column" in problem.found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("layers:\n  - {id: mine, says: Mine.}\n", "layers in a pack"),
        ("constraints: []\n", "constraints in a pack"),
        ("capabilities: []\n", "capabilities in a pack"),
        ("rule: x\n", "a file of unknown kind"),
        ("- x\n", "a file of unknown kind"),
    ],
)
def test_files_that_no_pack_can_hold(site: Path, tmp_path: Path, text: str, words: str) -> None:
    folder = pack(tmp_path / "pack", odd=text)
    (problem,) = problems(site, folder)
    assert problem.file == f"{folder}/odd.yaml"
    assert words in problem.found


def test_a_file_is_called_like_what_it_holds(site: Path, tmp_path: Path) -> None:
    folder = pack(tmp_path / "pack", another=CHECK)
    (problem,) = problems(site, folder)
    assert f"rename the file to {folder}/no-intr-here.yaml" in problem.write


def test_folders_without_rules(site: Path, tmp_path: Path) -> None:
    with pytest.raises(RuleBaseError, match="folder not found"):
        load(str(site), [str(tmp_path / "none")])
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README.md").write_text("rules: none")
    with pytest.raises(RuleBaseError, match="no rules here"):
        load(str(site), [str(tmp_path / "empty")])


def test_a_pack_is_compiled_once(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pack(tmp_path / "pack", nconnect=DECISION)
    first = load(str(site), [folder])
    with monkeypatch.context() as patch:
        patch.setattr(build, "compile_base", lambda *_: pytest.fail("compiled although nothing has changed"))
        assert load(str(site), [folder]).hash == first.hash
        load(str(site), [folder + "/"])
    pack(tmp_path / "pack", nconnect=DECISION.replace(": 2", ": 3"))
    assert load(str(site), [folder]).hash != first.hash
    assert values(site, "mount.nconnect", folder) == [3]
    assert "nconnect/ours" not in load(str(site)).decisions["mount.nconnect"].rules


def test_the_report(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report.base, "source_root", lambda: str(site))
    folder = pack(tmp_path / "pack", nconnect=DECISION, no_intr_here=CHECK)
    told = report.verify_pack(folder)
    assert (told.problems, told.size) == ([], "1 rule, 1 check, 1 claim and 3 examples")
    narrow = DECISION.replace("when: {}", "when: {client.count: 3}")
    narrow = narrow.replace("given: {}", "given: {client.count: 3}")
    pack(tmp_path / "pack", nconnect=narrow, no_intr_here=CHECK.replace("finds: true, fixed", "finds: 1, fixed"))
    told = [str(problem) for problem in report.verify_pack(folder).problems]
    assert any("no example in which nconnect/ours must not fire" in one for one in told)
    wrong = CHECK.replace('fixed: "s:/x /x nfs v3', 'fixed: "s:/x /x nfs v4')
    pack(tmp_path / "pack", nconnect=DECISION, no_intr_here=wrong)
    (problem,) = report.verify_pack(folder).problems
    assert problem.file == f"{folder}/no-intr-here.yaml"
    assert 'its fix leaves "s:/x /x nfs v3 0 0"' in problem.why
