"""The way from files to a RuleBase: caches, what is imported, what comes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.engine import holds, reach
from advisor.rulebase import base as base_module
from advisor.rulebase import build, rule_files, schema
from advisor.rulebase.base import load
from advisor.rulebase.document import YamlDocument, parse
from advisor.rulebase.model import ENGINE_TABLES, FEW, RuleBase, RuleBaseError, from_lines, to_lines
from tests.rulebase.bases import edit

NCONNECT = "rules/mount/nconnect.yaml"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that go through the YAML parser."""
    seen: list[str] = []

    def counting(path: str, raw: bytes) -> YamlDocument:
        seen.append(path)
        return parse(path, raw)

    monkeypatch.setattr(build, "parse", counting)
    return seen


def values(base: RuleBase, decision: str, **answers: object) -> list[object]:
    state = base.engine.state({name.replace("__", "."): value for name, value in answers.items()})
    return [outcome.value for outcome in reach(base.engine, decision, state)]


def test_only_changed_files_are_parsed_again(root: Path, parsed: list[str]) -> None:
    load(str(root))
    assert sorted(parsed) == sorted(rule_files.files(str(root)))
    parsed.clear()
    load(str(root))
    assert parsed == []
    edit(root, NCONNECT, "why: Four", "why: About four")
    base = load(str(root))
    assert parsed == [NCONNECT]
    assert base.decisions["mount.nconnect"].rules["nconnect/azure-files"].why.startswith("About four")


def test_a_fresh_compile_is_not_compiled_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(str(root))
    monkeypatch.setattr(build, "compile_base", lambda *_: pytest.fail("compiled although nothing has changed"))
    assert load(str(root)).hash == first.hash


def test_compiling_says_how_far_it_is(root: Path) -> None:
    told: list[tuple[str, int, int]] = []
    load(str(root), progress=lambda *step: told.append(step))
    count = len(rule_files.files(str(root)))
    assert [step for step in told if step[0] == "files read"] == [("files read", done, count) for done in range(count)]
    assert [*dict.fromkeys(what for what, _, _ in told)] == [
        "files read", "files checked", "comparing files", "settings tried", "deciding what is right everywhere",
    ]
    told.clear()
    load(str(root), progress=lambda *step: told.append(step))
    assert not told, "nothing is compiled where nothing has changed"


def test_renaming_a_file_is_a_change(root: Path) -> None:
    before = load(str(root)).hash
    (root / NCONNECT).rename(root / "rules/mount/connections.yaml")
    after = load(str(root))
    assert after.hash != before
    assert after.decisions["mount.nconnect"].file == "rules/mount/connections.yaml"


def test_a_checkout_keeps_its_cache_beside_the_rules(root: Path) -> None:
    (root / "pyproject.toml").touch()
    load(str(root))
    assert {path.name for path in (root / rule_files.CACHE).iterdir()} == {"base.jsonl", "parsed.jsonl", "verified.tsv"}


def test_other_folders_are_left_as_they_are(root: Path) -> None:
    before = sorted(root.rglob("*"))
    load(str(root))
    assert sorted(root.rglob("*")) == before


def test_works_where_nothing_can_be_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_files, "_private_folder", lambda: "/proc/nowhere")
    assert not rule_files.store(str(root), "base.jsonl", b"{}")
    assert values(load(str(root)), "mount.nconnect", storage__platform="anf") == ["omit"]


def test_a_folder_that_others_can_write_to_is_not_trusted(root: Path) -> None:
    load(str(root))
    private = Path(os.environ["TMPDIR"], f"advisor-{os.getuid()}")
    assert list(rule_files.cached_copies(str(root), "base.jsonl"))
    private.chmod(0o777)
    assert not list(rule_files.cached_copies(str(root), "base.jsonl"))
    assert not rule_files.store(str(root), "base.jsonl", b"{}")


@pytest.mark.parametrize("name", ["base.jsonl", "parsed.jsonl"])
def test_a_damaged_cache_is_made_anew(root: Path, name: str) -> None:
    before = load(str(root))
    for file in Path(os.environ["TMPDIR"]).rglob("base.jsonl"):
        file.unlink()
    rule_files.store(str(root), name, b'{"stamp": "half')
    assert load(str(root)).decisions == before.decisions


@pytest.mark.parametrize("name", ["base.jsonl", "parsed.jsonl"])
@pytest.mark.parametrize("damage", ["shorter", "empty", "changed", "binary", "old", "folder"])
def test_a_damaged_file_of_the_cache_is_made_anew(root: Path, name: str, damage: str) -> None:
    (root / "pyproject.toml").touch()
    before = load(str(root))
    files = {path.name: path for path in (root / rule_files.CACHE).iterdir()}
    file, content = files[name], files[name].read_bytes()
    files["base.jsonl" if name == "parsed.jsonl" else "parsed.jsonl"].unlink()
    if damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        middle = len(content) * 2 // 3  # beyond what is decoded at once
        file.write_bytes({
            "shorter": content[:middle], "empty": b"", "changed": content[:middle] + b"x" + content[middle + 1 :],
            "binary": b"\xff\xfe" * 100, "old": content.partition(b"\n")[2],
        }[damage])
    after = load(str(root))
    assert (after.decisions, after.claims, after.sources) == (before.decisions, before.claims, before.sources)
    if damage != "folder":
        assert file.read_bytes() == content


def test_what_a_process_of_an_older_program_compiled_is_made_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr("advisor.rulebase.model.SCHEMA", "advisor-base/0")
        load(str(root))
    assert values(load(str(root)), "mount.nconnect", storage__platform="anf") == ["omit"]


def test_what_a_killed_run_left_in_the_cache_goes(root: Path) -> None:
    (root / "pyproject.toml").touch()
    (root / rule_files.CACHE).mkdir()
    (root / rule_files.CACHE / "base.jsonl.1.part").write_text("half")
    load(str(root))
    assert {path.name for path in (root / rule_files.CACHE).iterdir()} == {"base.jsonl", "parsed.jsonl", "verified.tsv"}


def test_a_damaged_base_of_an_installed_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_base.jsonl").write_text('{"schema": "adv')
    monkeypatch.setattr(base_module, "_package", lambda: str(tmp_path))
    with pytest.raises(RuleBaseError, match="is damaged"):
        load()


def test_a_broken_base_tells_every_problem(root: Path) -> None:
    edit(root, NCONNECT, "strength: may", "strength: mya")
    edit(root, "rules/mount/vers.yaml", 'value: "4.1"', "value: 4.1")
    with pytest.raises(RuleBaseError) as error:
        load(str(root))
    assert len(error.value.messages) == 2
    assert error.value.messages[0].startswith(f"{NCONNECT}:6:15: ")


def test_no_rule_base_at_all(tmp_path: Path) -> None:
    with pytest.raises(RuleBaseError, match="no rule base here"):
        load(str(tmp_path))


def test_what_comes_out(root: Path) -> None:
    base = load(str(root))
    assert values(base, "mount.nconnect", storage__platform="azure-files") == [4, "omit"]
    assert values(base, "mount.vers", storage__endpoint="private") == ["4.1"]
    assert base.engine.decision("sysctl.sunrpc.slots").rule("slots/few").value == "2 * client.count"
    rule = base.decisions["mount.vers"].rules["vers/others"]
    assert rule.when == {"storage.platform": ["anf", "other"]}
    assert rule.layer == "default"
    assert not base.decisions["mount.nconnect"].rules["nconnect/azure-files"].examples
    capability = base.facts["client.has_nconnect"]
    assert (capability.type, capability.capability) == ("bool", True)
    assert base.facts["client.count"].section == "all"
    assert base.claims["handbook.eight"].verdict == "wrong"
    assert base.sources["handbook"].title == "The handbook"
    assert base.platforms[0].platform == "azure-files"
    assert [layer.id for layer in base.layers] == ["default", "platform", "measured", "gate"]


def test_what_a_decision_rests_on_comes_first(root: Path) -> None:
    (root / "rules/sysctl/slots.yaml").rename(root / "rules/mount/a.yaml")
    names = list(load(str(root)).decisions)
    assert names.index("mount.vers") < names.index("sysctl.sunrpc.slots")


def test_named_conditions(root: Path) -> None:
    base = load(str(root)).engine
    assert sorted(base.conditions) == [
        "check:intr-with-nconnect",
        "erratum:el8-hang:client.kernel",
        "form:mount.vers:v4.1",
        "ignored:mount.intr:0",
        "needs:mount.intr",
    ]
    hang = "erratum:el8-hang:client.kernel"
    assert holds(base, hang, base.state({"client.kernel": "4.18.0-147.el8.x86_64", "mount.vers": "4.1"})) is True
    assert holds(base, hang, base.state({"client.kernel": "4.18.0-147.el8.x86_64"})) is None
    assert holds(base, hang, base.state({"client.kernel": "4.18.0-193.el8.x86_64"})) is False
    assert holds(base, hang, base.state({"client.kernel_stream": "mainline"})) is False


def test_versions_without_a_stream_fact_stand_alone(root: Path) -> None:
    edit(root, "rules/errata/el8-hang.yaml", "facts: [client.kernel]", "facts: [client.release]")
    edit(
        root,
        "rules/errata/el8-hang.yaml",
        "{introduced: 4.18.0-100.el8, fixed: 4.18.0-193.el8}",
        '{introduced: "8", last_affected: "8.2"}',
    )
    text = (root / "rules/errata/el8-hang.yaml").read_text().partition("examples:")[0]
    text += 'examples:\n  - {given: {client.release: "8.2", mount.vers: "4.1"}, expect: true}\n'
    text += '  - {given: {client.release: "8.3", mount.vers: "4.1"}, expect: false}\n'
    (root / "rules/errata/el8-hang.yaml").write_text(text)
    assert "erratum:el8-hang:client.release" in load(str(root)).engine.conditions


def test_examples_of_errata_are_tried_again_after_a_change(root: Path) -> None:
    load(str(root))
    edit(root, "rules/errata/el8-hang.yaml", "fixed: 4.18.0-193.el8}", "fixed: 4.18.0-140.el8}")
    with pytest.raises(RuleBaseError, match=r"el8-hang\.yaml.*it is false"):
        load(str(root))


def test_a_capability_that_is_not_always_known(root: Path) -> None:
    edit(
        root,
        "kb/capabilities.yaml",
        "    cites: [handbook.nconnect]\n",
        ('    unless: {client.kernel: "<4"}\n    cites: [handbook.nconnect]\n'),
    )
    edit(
        root,
        "kb/capabilities.yaml",
        "{client.kernel: 4.18.0-193.el8.x86_64}, expect: false",
        '{client.kernel: "3.10"}, expect: false',
    )
    base = load(str(root))
    asked = {"storage.platform": "azure-files"}
    for kernel, stream, wanted in (
        ("5.10", "mainline", [4]),
        ("3.10", "mainline", ["omit"]),
        ("4.20", "mainline", [4, "omit"]),
    ):
        state = base.engine.state({**asked, "client.kernel": kernel, "client.kernel_stream": stream})
        assert [outcome.value for outcome in reach(base.engine, "mount.nconnect", state)] == wanted


def with_lists(value: object) -> object:
    """Tuples become lists on the way, and nothing else changes."""
    if isinstance(value, dict):
        return {key: with_lists(one) for key, one in value.items()}
    return [with_lists(one) for one in value] if isinstance(value, (list, tuple)) else value


def test_documents_and_compiled_base_survive_json(root: Path) -> None:
    contents = rule_files.files(str(root))
    build.check(str(root), contents)
    for again in build.parsed_documents(str(root), contents):
        document = parse(again.path, contents[again.path])
        assert again.valid
        assert with_lists(document.marks) == again.marks
        assert schema.shape_problems(document) == ([], [])
        assert again.data == document.data
    data = build.compile_base(str(root), contents)
    assert json.loads(json.dumps(data)) == with_lists(data)
    assert values(RuleBase(json.loads(json.dumps(data))), "mount.nconnect", storage__platform="azure-files") == [
        4,
        "omit",
    ]


@pytest.mark.parametrize("module", ["pydantic", "ruamel.yaml", "dataclasses", "pathlib", "inspect"])
def test_reading_a_compiled_base_needs_the_standard_library_only(root: Path, module: str) -> None:
    load(str(root))
    code = (
        "import sys; from advisor.rulebase.base import load; base = load(sys.argv[1]); base.engine; base.claims; "
        "print(sys.argv[2] in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, str(root), module],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert run.stdout == "False\n"


def test_a_kind_speaks_for_its_tunables_that_say_nothing_else(root: Path) -> None:
    (root / "kb/kinds.yaml").write_text(
        "kinds:\n  - id: mount-option\n    scope: mount\n    sets: Write {text}.\n    verify: nfsstat -m\n"
        '    shows: "{text}"\n    undo: Remove it.\n    takes_effect: At mount.\n    persists: Yes.\n'
    )
    edit(root, "kb/tunables/mount.yaml", "title: NFS version\n", "title: NFS version\n    persists: In fstab.\n")
    tunables = load(str(root)).tunables
    assert (tunables["mount.nconnect"].takes_effect, tunables["mount.nconnect"].persists) == ("At mount.", "Yes.")
    assert (tunables["mount.vers"].takes_effect, tunables["mount.vers"].persists) == ("At mount.", "In fstab.")


NAME = st.text('ab",: }\\\n', max_size=4) | st.text(max_size=4)


@given(st.dictionaries(NAME, st.integers()), st.lists(NAME, max_size=5))
@example({f'a "{number}": {number}, "': number for number in range(2 * FEW)}, ['"0', "0"])
def test_a_table_finds_what_was_put_into_it(entries: dict[str, int], others: list[str]) -> None:
    lines = to_lines({"claims": entries, "engine": {name: {} for name in ENGINE_TABLES}})
    table = from_lines(lines)["claims"]
    for name in (*entries, *others):
        assert (name in table) is (name in entries)
    for name, value in entries.items():
        assert table[name] == value
    assert list(table) == list(entries)
