"""What the files of one advice have in common: their heads, what they say of it, their steps, and which are made."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.answers import Answers, Before, Now
from advisor.advice.model import Advice, Cost, Possible, Row, Steps, Supposition
from advisor.host.probe import probe
from advisor.host.tree import tree_of
from advisor.install import Artefact, build, context, host_changes, host_files, scripts
from advisor.install.context import FileContext, Unwritable, ansible_below, wrapped, yaml
from advisor.rulebase.base import load
from tests.host import trees

BASE = load()
NAMES = {"server": "nas", "export": "/srv/a b", "target": "/mnt/it's"}


def row(tunable: str = "mount.nconnect", text: str = "nconnect=8", **more: Any) -> Row:
    definition = BASE.tunables[tunable]
    told = {"kind": definition.kind, "strength": "should", "consequence": "performance", "why": "It is fast.",
            "value": text, "written": text, "text": text, **more}
    return Row(tunable, told.pop("kind"), definition.title, definition, **told)


def made(*rows: Row, server: bool = False, state: dict[str, int] | None = None, **answers: Any) -> FileContext:
    given = Answers(**{"names": NAMES, **answers})
    advice = Advice(given, state or {}, {}, rows, (), (), (), (), "abc", "1.0", {}, server)
    return FileContext(BASE, advice, "See the report.")


WAITING = row("mount.hard", "", value=None, written=None, strength="must", asks=("mount.ro",), possible=(
    Possible(True, "r", "must", "data-loss", ""), Possible("keep", "r", "may", None, "")))


def test_words_that_yaml_would_read_otherwise_are_quoted() -> None:
    plain = {True: "true", False: "false", 8: "8", "abc": "abc", "yes": '"yes"', "12": '"12"', "a: b": '"a: b"'}
    assert {value: yaml(value) for value in plain} == plain
    assert yaml('a"\\\x07\u2028\U0001f600') == '"a\\"\\\\\\x07\\u2028\U0001f600"'
    assert context.ansible("{{ x }}") == '!unsafe "{{ x }}"'
    assert [context.ansible(value) for value in ("{# x #}", "{% x %}", "{ x }", 8)] == [
        '!unsafe "{# x #}"', '!unsafe "{% x %}"', '"{ x }"', "8"]


@pytest.mark.parametrize(("text", "lines"), [
    ("x" * 90, 1),  # no quotes, so it need not be folded
    ("a: " + "b" * 20, 1), ("a: " + "word " * 30 + "end", 3), ("a:  " + "word " * 30 + "end", 1),
    (" a: " + "word " * 30 + "end", 1), ("a: \n" + "word " * 30 + "end", 1),
])
def test_long_text_is_folded_where_yaml_joins_it_again(text: str, lines: int) -> None:
    told = ansible_below(text, 4)
    head, *folded = told.split("\n")
    assert len(folded) == (lines if lines > 1 else 0)
    assert head == (" >-" if folded else f" {context.ansible(text)}")
    assert all(line.startswith("    ") and len(line) <= 80 for line in folded)
    assert not folded or " ".join(line.strip() for line in folded) == text


def test_text_of_half_a_line_is_folded_and_less_is_not() -> None:
    half = context._YAML_LINE // 2 - 2  # quotes are counted
    assert ansible_below("a: " + "b" * (half - 3), 2).startswith(" >-")
    assert ansible_below("a: " + "b" * (half - 4), 2) == f' "a: {"b" * (half - 4)}"'


def test_comments_are_wrapped_and_addresses_are_whole() -> None:
    lines = wrapped("word " * 30 + "https://nas.example/" + "x" * 90, "  ")
    assert max(map(len, lines[:-1])) <= 74
    assert lines[-1].strip() == "https://nas.example/" + "x" * 90
    assert (lines[0][:3], lines[1][:5]) == ("  w", "    w")


def test_a_fact_is_known_if_one_value_is_left() -> None:
    anf = BASE.engine.state({"storage.platform": "anf"})
    both = BASE.engine.state({"storage.platform": ["anf", "knfsd"]})
    assert made(state=anf).known("storage.platform") == "anf"
    assert made(state=both).known("storage.platform") is None
    assert made(facts={"storage.platform": ["anf", "knfsd"]}).known("storage.platform") is None
    assert made(facts={"client.count": ">=5"}).known("client.count") is None
    given = made(facts={"client.init": "other", "mount.ro": True})
    assert given.any_known({"client.init": "other", "client.distro": "alpine"})
    assert not given.any_known({"client.init": "systemd", "client.distro": "other"})


def test_which_options_are_mounted_and_which_mean_the_same_elsewhere() -> None:
    fast, early = row(), row("mount.nofail", "nofail")
    net = row("mount._netdev", "_netdev")
    given = made(fast, early, net)
    assert given.mounted == (fast, early, net)
    assert (given.portable(), given.portable(["mount._netdev"])) == ([fast], [fast, net])
    assert made(fast, server=True).mounted == ()
    needed = WAITING._replace(possible=(Possible(False, "r", "must", "data-loss", ""),))
    assert made(fast, needed).mounted == (), "a line that lacks what it needs is not written"
    assert made(fast, WAITING).mounted == (fast,)


def test_what_is_settled_of_a_kind() -> None:
    sysctl = row("sysctl.vm.dirty_ratio", "vm.dirty_ratio = 5")
    pinned = sysctl._replace(already=True, pinned=True)
    given = made(sysctl, pinned, sysctl._replace(already=True), sysctl._replace(written=None), row())
    assert given.settled("sysctl") == [sysctl, pinned]


def test_names_that_were_not_given_are_said_to_stand_for_some() -> None:
    head = made(row(), names={"server": "nas"}).head("A file", names=("server", "export"))
    assert head[:3] == ["A file.", "Made by advisor 1.0 from the rule base abc.", "See the report."]
    assert [line for line in head if "stand for" in line] == ["Names that stand for your own: export (/export)"]
    assert not [line for line in made(row()).head("A file", names=("server",)) if "stand for" in line]


def test_a_line_that_is_not_ready_says_so_in_the_files_of_its_options() -> None:
    refused: Any = SimpleNamespace(problem="too many")
    given = made(row(refused=refused))
    assert "NOT READY: too many." in given.head("A file", ["mount-option"])
    assert not [line for line in given.head("A file", ["sysctl"]) if "NOT READY" in line]


def test_what_is_known_is_said_for_lint() -> None:
    facts = {"storage.platform": "anf", "server.threads": "n/a", "mount.vers": "4.1"}
    said = [*made(facts=facts, pins={"mount.nconnect": 4}).statements()]
    assert said == ['advisor: facts {"storage.platform": "anf", "mount.vers": "4.1"}',
                    'advisor: pins {"mount.vers": "4.1", "mount.nconnect": 4}']
    many = dict.fromkeys(("storage.platform", "client.distro", "workload.kind"), "x" * 30)
    assert len([*made(facts=many).statements()]) > len([*made(facts=many).statements(short=False)]) == 1
    assert all(len(line) <= 76 for line in made(facts=many).statements())
    assert [*made().statements()] == []


def test_where_the_facts_are_from() -> None:
    given = made(facts={"client.kernel": "6.1", "mount.ro": True}, origin={"client.kernel": "uname", "x": "gone"},
                 pins={"mount.nconnect": 4}, unknown=frozenset({"network.rtt_us", "client.count"}))
    assert given.provenance(()) == [
        "Made by advisor 1.0 from the rule base abc.", "Given: mount.ro = yes", "Found: client.kernel = 6.1 (uname)",
        "Pinned: mount.nconnect = 4", "Not known: client.count; network.rtt_us"]
    release = made(facts={"client.release": "12"}, unknown=frozenset({"client.nfs_utils"}))
    assert not [line for line in release.provenance(()) if "Not known" in line], "the release tells its version"
    assert made(names={}).provenance(["target"])[1:] == [
        f"Names that stand for your own: target ({Answers().name('target')})"]


def test_the_number_of_threads_is_in_one_file_and_other_settings_in_nfs_conf() -> None:
    threads, udp = row(host_files.THREADS, "threads=16", written=16), row("nfs.conf.nfsd.udp", "udp=n", written="n")
    place, form = next(iter(context.data()["threads_lines"].items()))
    elsewhere = row("service.nfsd_threads_file", "", value=place, written=None)
    for rows, keys, told in (
        ((threads, udp), ["threads", "udp"], None), ((udp, elsewhere), ["udp"], None),
        ((threads, udp, elsewhere), ["udp"], (form.format(value=16), place.rpartition(" ")[0])),
    ):
        lines = host_files.nfs_conf(made(*rows))
        assert {section: [one.name for one in lines[section]] for section in lines} == {"nfsd": keys}
        assert host_files.threads_line(made(*rows)) == told


def test_what_is_open_and_what_settles_it() -> None:
    given = made(WAITING, row())
    (said,) = [" ".join(line.strip() for line in given.open_lines(["mount-option"]))]
    assert said == f"Open: hard, until you answer: {BASE.facts['mount.ro'].ask} (--set mount.ro=…)"
    assert given.open_lines(["sysctl"]) == []
    assert made(WAITING._replace(asks=())).open_lines(["mount-option"]) == ["Open: hard, see the report"]
    assert made(WAITING._replace(asks=(), strength="may")).open_lines(["mount-option"]) == []


def test_what_one_answer_settles_is_named_together() -> None:
    waiting = [row(f"nfs.conf.nfsd.{name}", "", value=None, written=None, strength="should", asks=("client.count",),
                   possible=WAITING.possible) for name in ("threads", "udp")]
    (said,) = [" ".join(line.strip() for line in made(*waiting).open_lines(["nfs.conf"]))]
    assert said == ("Open: nfsd.threads and nfsd.udp, until you answer: "
                    f"{BASE.facts['client.count'].ask} (--set client.count=…)")


def test_what_settings_rest_on_is_said_once() -> None:
    usual = Supposition("network.speed_gbps", 10, "Most are.", ())
    one, two = row(rests_on=(usual,)), row("mount.rsize", "rsize=1", presumes=(usual,), rests_on=(usual,))
    assumed = "Assumes network.speed_gbps = 10; otherwise say --set network.speed_gbps=…"
    given = made(one, two)
    first, *rest = given.about(one)
    assert (first, " ".join(line.strip() for line in rest)) == ("mount.nconnect: It is fast.", assumed)
    assert given.reasons([one, two]) == [
        "mount.nconnect: It is fast.", "mount.rsize: It is fast.", assumed,
        "Assumes network.speed_gbps = 10: Most are."]
    assert given.argued([row()]) == [["mount.nconnect: It is fast."]]


def test_a_file_has_its_steps_its_mode_and_what_was_there_before() -> None:
    given = made(row())
    plain = given.artefact("fstab", "x\n")
    assert (plain.path, plain.text, plain.mode, plain.title) == ("fstab", "x\n", 0o644, "Line for /etc/fstab")
    assert plain.apply[0] == "mkdir -p '/mnt/it'\"'\"'s'"
    assert given.artefact("fstab", "x\n", mode=0o755, more_verify=("look",)).mode == 0o755
    assert given.artefact("fstab", "x\n", more_verify=("look {x}",)).verify == (*plain.verify, "look {x}")
    assert made(row(), names={**NAMES, "target": "/"}).artefact("fstab", "x\n").undo == (
        "Write back the line that was there before, then reboot",)
    kept = given.artefact("sysctl", "x\n")
    assert any(".before" in step for step in kept.apply)
    seen = made(row(), before={kept.install: Before(None, "there")}).artefact("sysctl", "x\n")
    assert not any(".before" in step for step in (*seen.apply, *seen.undo))
    assert any(".before" in step for step in
               made(row(), before={kept.install: Before(True, "there")}).artefact("sysctl", "x\n").apply)


def test_a_mount_point_as_scripts_name_it() -> None:
    seen = row(steps=Steps(verify=BASE.kinds["mount-option"].verify, shows="nconnect=8 now", lacks="nconnect=1"))
    at = scripts.mount_point(made(seen, names={**NAMES, "target": "/mnt//a b/"}))
    assert (at.target, at.at, at.unit, at.helper) == ("/mnt//a b/", "/mnt/a\\040b", "mnt-a\\x20b.mount", "mount.nfs")
    assert (at.source, at.shows, at.lacks) == ("nas:/srv/a\\040b", ("nconnect=8",), ("nconnect=1",))
    helper = scripts.mount_point(made(seen, row("fstab.type", "efs", kind="fstab-field")))
    assert (helper.helper, helper.source) == ("mount.efs", ""), "a helper may go by another address"
    assert scripts.mount_point(made(row(steps=Steps(verify="cat x", shows="nconnect=8")))).shows == ()
    assert scripts.mount_point(made(seen, names={**NAMES, "target": "/a/../b"})).unit == ""


def paths(given: FileContext) -> list[str]:
    return [artefact.path for artefact in scripts.mounts(given)]


def test_the_ways_to_mount_it() -> None:
    plain = made(row(), names={**NAMES, "target": "/mnt/a"})
    assert "fstab" in paths(plain)
    assert any(path.endswith(".automount") for path in paths(plain))
    assert paths(made(row(), server=True)) == paths(made()) == []
    for value, steps in BASE.tunables["access.place"].by_value.items():
        elsewhere = paths(made(row(), row("access.place", value), names={**NAMES, "target": "/mnt/a"}))
        assert elsewhere == (paths(plain) if steps.line is None else []), value
    at_root = made(row(), names={**NAMES, "target": "/"})
    assert (paths(at_root), len(at_root.remarks)) == (["fstab"], 1)
    other = made(row(), names={**NAMES, "target": "/mnt/a"}, facts={"client.init": "other"})
    assert paths(other) == [path for path in paths(plain) if not path.endswith("mount")]
    odd = made(row(), names={**NAMES, "export": "/a\\"})
    assert [remark for remark in odd.remarks if "systemd" in remark] == []
    assert not any(path.endswith(".mount") for path in paths(odd))
    assert odd.remarks[0].startswith("No systemd units: ")


def test_the_line_of_fstab_depends_on_the_one_that_was_there() -> None:
    unseen = scripts._fstab(made(row()))
    absent = scripts._fstab(made(row(), before={host_changes.FSTAB: Before(None, "/etc/fstab")}))
    there = scripts._fstab(made(row(), before={host_changes.FSTAB: Before("old line", "/etc/fstab:3")}))
    assert any("has a line" in step for step in unseen.apply)
    assert not any("has a line" in step or "old line" in step for step in absent.apply)
    assert any("old line" in step for step in (*there.apply, *there.undo))


def test_manifests_are_made_where_pods_mount_it() -> None:
    pods = {"client.container": True, "client.kubernetes": True}
    (manifest,) = scripts.kubernetes(made(row(), row("mount.nofail", "nofail"), facts=pods))
    assert "nconnect=8" in manifest.text
    assert "nofail" not in manifest.lines
    for given in (made(row()), made(facts=pods), made(row(), server=True, facts=pods),
                  made(row(), row("fstab.type", "efs", kind="fstab-field"), facts=pods)):
        assert [*scripts.kubernetes(given)] == []


def test_what_is_installed_besides() -> None:
    nfs, efs = made(row()), made(row(), row("fstab.type", "efs", kind="fstab-field"))

    def packages(distro: str, *contexts: FileContext, server: bool = False) -> tuple[list[str], list[str]]:
        facts = {"server.distro" if server else "client.distro": distro}
        return scripts._packages(contexts, made(facts=facts, server=server))

    assert packages("debian", nfs) == (["nfs-common"], [])
    assert packages("debian", server=True) == (["nfs-kernel-server"], [])
    assert packages("amazon", efs, efs) == (["nfs-utils", "amazon-efs-utils"], [])
    assert packages("debian", efs) == (["nfs-common"], ["the package with mount.efs, as its maker says"])
    unknown = packages("other", nfs)
    assert unknown[0] == []
    assert "nfs-common (debian)" in unknown[1]
    assert "nfs-kernel-server (debian)" in packages("other", server=True)[1]


@pytest.mark.parametrize("path", ["/etc/a", "../a", "a/../../b", "", build.MANIFEST])
def test_a_file_outside_of_the_folder_is_not_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(build.WriteError, match="outside"):
        build._place(tmp_path, path)
    assert build._place(tmp_path, f"a/{build.MANIFEST}") == tmp_path / "a" / build.MANIFEST


def test_files_that_were_seen_before() -> None:
    tree = tree_of({"/etc/a": "x", "/etc/sub/b": "y", "/etc/link": "-> /etc/gone"})
    assert host_changes.files_before(["/etc/a"], tree) == {"/etc/a": Before(True, "/etc/a")}
    lacks: Any = SimpleNamespace(exists=lambda path: False)
    assert host_changes.files_before(["/etc/a"], lacks) == {"/etc/a": Before(None, "/etc/a")}
    assert host_changes.files_before(["/opt/other"], tree) == {}, "a copy may just lack it"


def test_a_value_that_a_unit_cannot_hold() -> None:
    assert context.unit("50%") == "50%%"
    with pytest.raises(Unwritable, match="backslash"):
        context.unit("a\\")


def test_the_reasons_are_beside_the_line_of_fstab_and_nowhere_else() -> None:
    texts = {artefact.path: artefact.text for artefact in scripts.mounts(made(row(), names={**NAMES, "target": "/a"}))}
    assert [path for path, text in texts.items() if "# mount.nconnect: It is fast." in text] == ["fstab"]


def test_what_terraform_would_expand_in_the_user_data_stays_as_it_is() -> None:
    efs: Any = made(row(), names={**NAMES, "export": "/a"}, facts={"storage.platform": "aws-efs"})
    files = {one.path: one.text for one in scripts._terraform(efs, "x ${HOME} %{if}\nsource=nas:/a \n")}
    assert any("x $${HOME} %%{if}\nsource=${source} " in text for text in files.values())
    assert len(files) == 2
    assert [*scripts._terraform(efs, "no source")] == []
    assert [*scripts._terraform(made(row(), names={**NAMES, "export": "/a"}), "source=nas:/a ")] == []


def test_what_is_set_and_in_effect_of_a_mount() -> None:
    line = "nas:/a  /a  nfs  timeo=100,vers=9  0 0"
    tree = tree_of({**trees.COMMON, "/etc/fstab": f"{line}\n/dev/sda /e ext4 rw 0 1\n",
                    "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/a", "/a"),
                    "/etc/sysctl.conf": "vm.dirty_ratio = 5\n", "/proc/sys/vm/dirty_ratio": "7\n"})
    probed = probe(BASE.facts, tree, BASE.tunables, {})
    here, bare, absent = host_changes.with_current_state(
        BASE, tree, probed, [Answers(names={"target": "/a"}), Answers(), Answers(names={"target": "/b"})])
    dirty = Now(Before("5", "/etc/sysctl.conf:1"), Before(7, "/proc/sys/vm/dirty_ratio"), "not collected")
    assert here.now["sysctl.vm.dirty_ratio"] == bare.now["sysctl.vm.dirty_ratio"] == dirty
    shown = Before(600, "/proc/self/mountinfo")
    assert here.now["mount.timeo"] == Now(Before(100, "/etc/fstab:1"), shown, "not collected")
    assert here.now["mount.vers"].set == Before(None, "/etc/fstab:1"), "it is no version"
    assert "mount.timeo" not in bare.now
    assert absent.now["mount.timeo"] == Now(Before(None, "/etc/fstab, which has no line for /b"),
                                            Before(None, "not mounted"), "not collected")

    def lines(target: str) -> dict[str, Before]:
        return host_changes._fstab_line(BASE, Answers(names={"target": target}), tree)

    assert lines("/e") == {host_changes.FSTAB: Before("/dev/sda /e ext4 rw 0 1", "/etc/fstab:2")}
    assert lines("/a")[host_changes.FSTAB] == Before(line, "/etc/fstab:1")
    assert host_changes._fstab_line(BASE, Answers(names={"target": "/a"}), tree_of({"/etc/fstab": "-> fstab"})) == {}


@pytest.mark.parametrize(("program", "facts", "package"), [
    ("awk", {}, "the package that has it"), ("mount.nfs", {"client.distro": "debian"}, "nfs-common"),
    ("mount.efs", {"client.distro": "amazon"}, "amazon-efs-utils"),
    ("exportfs", {"server.distro": "debian", "client.distro": "rhel"}, "nfs-kernel-server"),
])
def test_the_package_of_a_program(program: str, facts: dict[str, str], package: str) -> None:
    assert scripts._package(made(facts=facts), program) == package


def test_files_of_several_mounts_are_one_with_the_lines_of_both() -> None:
    one = Artefact("x", "#!/bin/sh\n# a\nsame\none\n", "X", apply=("p", "q"))
    other = Artefact("x", "#!/bin/sh\n# a\nsame\nother\n", "X", apply=("q", "r"), undo=("u",))
    both = build._merge_files(one, other)
    assert both.text == "#!/bin/sh\n# a\nsame\none\n\n# a\nother\n"
    assert (both.apply, both.undo) == (("p", "q", "r"), ("u",))
    assert [build._name(number, target) for number, target in ((1, "/"), (2, "/mnt/a b/"), (3, ""))] == [
        "1-root", "2-mnt-a-b", "3-root"]
    steps = [build._for_mount(Artefact(path, "", ""), "1-a").path for path in ("ad/STEPS.md", "krb5.conf")]
    assert steps == ["ad/STEPS-1-a.md", "krb5.conf"]


def test_a_manifest_that_cannot_be_read_says_that_nothing_is_ours(tmp_path: Path) -> None:
    place = tmp_path / build.MANIFEST
    assert build._manifest(tmp_path) == {}
    for text in ("", "{", "[]", '{"schema": "other", "files": {"a": ["1"]}}', json.dumps({"schema": build.SCHEMA})):
        place.write_text(text)
        assert build._manifest(tmp_path) == {}, text
    place.write_text(json.dumps({"schema": build.SCHEMA, "files": {"a": ["1", "2"]}}))
    assert build._manifest(tmp_path) == {"a": {"1", "2"}}


def test_steps_that_no_script_does() -> None:
    held, fstab = row(part="set", kind="service"), made().data["files"]["fstab"]
    at_root = made(names={**NAMES, "target": "/"})
    line = Artefact(fstab["path"], "x\n", "t")
    steps = [step.format(here=fstab["path"]) for step in fstab["at_root"]["apply"]]
    assert [*scripts._by_hand([], at_root, [line])][-len(steps):] == steps
    assert [*scripts._by_hand([], at_root, [])] == [*scripts._by_hand([], made(), [line])] == []
    (told,) = scripts._by_hand([made(held)], made(), [])
    assert told.endswith(f"({held.tunable}): see the report")


def test_what_a_setting_is_pinned_against(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = [Cost("a/b", 4, "must", None, "It is slow.", ()), Cost(None, 8, None, None, "", ()),
             Cost("a/c", "omit", "should", "performance", "Why.", ())]
    monkeypatch.setattr(context, "pin_costs", lambda *_: costs)
    assert [*made()._taken(row())] == [
        f"Pinned against rule a/b: {context.outcome(4)} (must). It is slow.",
        f"Pinned against rule a/c: {context.outcome('omit')} (should, performance). Why."]


def test_a_step_for_people_is_a_sentence() -> None:
    steps = ("Reboot.", "Write a=b into it", "reboot", "LC_ALL=C mount -a", "")
    assert [context.for_people(step) for step in steps] == [True, True, False, False, False]


@pytest.mark.parametrize(("script", "settings", "by_hand"), [
    ("", ["mount.nconnect"], ["mount.hard"]), ("(mount.hard): see", ["mount.nconnect"], ["mount.hard"]),
    ("does it", ["mount.nconnect", "mount.hard"], []),
])
def test_a_report_lists_by_hand_what_no_script_does(script: str, settings: list[str], by_hand: list[str]) -> None:
    given = made(row(part="set"), row("mount.hard", "hard", kind="service", part="set"),
                 row("mount.ro", "ro", kind="service", part="fine"))
    files = [Artefact("apply.sh", script, "")] if script else []
    told = {title: [one.tunable for one in rows] for title, rows in build._titled_rows(given, files)}
    assert {title: sorted(rows, reverse=True) for title, rows in told.items()} == {
        "Settings": settings, "To do by hand": by_hand}
