"""What rows of advice come to: their state, their words, the mount line, the verdict, and what several mounts share."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice import several, verdict
from advisor.advice.answers import Answers, Now
from advisor.advice.model import Advice, Possible, RefusedPin, Row, Steps, Supposition
from advisor.advice.rows import (
    _is_single,
    _pass_on,
    _Weight,
    blocked_settings,
    bracketed_host,
    by_hand,
    field,
    forbids_mount,
    fstab_line,
    has_mount,
    is_idle,
    is_pointless,
    is_written,
    kept_options,
    one_of_two_units,
    option_list,
    stake,
    stays_at_default,
)
from advisor.engine import contenders
from advisor.files.libmount import escaped
from advisor.rulebase.base import load
from advisor.rulebase.counsel import speaking_rule
from advisor.rulebase.model import Tunable
from tests.each import each

BASE = load()
NCONNECT = BASE.tunables["mount.nconnect"]
USUAL = Supposition("network.speed_gbps", 10, "", ())
REFUSED = RefusedPin("mount.nconnect", "nconnect=99 is too many", "mount-fails", "", ())


def row(tunable: str = "mount.nconnect", **more: Any) -> Row:
    definition = BASE.tunables.get(tunable) or NCONNECT
    told = {"strength": "should", "consequence": "performance", "why": "", **more}
    return Row(tunable, told.pop("kind", definition.kind), definition.title, told.pop("definition", definition), **told)


def maybe(value: Any, strength: str | None = "must", consequence: str | None = "performance") -> Possible:
    return Possible(value, "r" if strength else None, strength, consequence, "")


def advice(*rows: Row, server: bool = False, given: dict[str, str] | None = None, **answers: Any) -> Advice:
    return Advice(Answers(**answers), {}, {}, rows, (), (), (), (), "", "", given or {}, server)


def test_what_nobody_said_is_not_said() -> None:
    assert Now(None, None).unread == "not read"
    assert {*Steps()} == {""}
    bare = row()
    assert (bare.value, bare.written, bare.text, bare.already, bare.pinned, bare.idle) == (None, None, "", *[False] * 3)
    assert (bare.possible, bare.asks, bare.part, bare.mounts, bare.otherwise, bare.rests_on) == ((), (), "", (), (), ())


@each(lambda: [
    ({"value": 8, "text": "nconnect=8"}, "settled", "nconnect=8", True),
    ({"value": "keep"}, "settled", "nothing to do", False),
    ({"value": "n/a"}, "settled", "nothing to do", False),
    ({"value": "n/a", "pinned": True}, "settled", "nothing to do", True),
    ({"value": "omit"}, "settled", "leave out nconnect", True),
    ({"value": 8, "text": "nconnect=8", "rests_on": (USUAL,)}, "assumed", "nconnect=8", True),
    ({"value": "keep", "otherwise": (maybe(8),)}, "assumed", "nothing to do", False),
    ({"possible": (maybe(8),), "refused": REFUSED}, "open", "nothing to do", False),
    ({"value": 99, "text": "nconnect=99", "pinned": True, "refused": REFUSED, "rests_on": (USUAL,)}, "refused",
     "nconnect=99", True),
    ({"value": 8, "text": "nconnect=8", "idle": True}, "settled", "nothing to do", False),
    ({"value": 8, "text": "nconnect=8", "idle": True, "pinned": True}, "settled", "nconnect=8", True),
])
def test_the_state_of_a_row_and_its_words(changes: Any, state: str, summary: str, recommends: bool) -> None:
    found = row(**changes)
    assert (found.state, found.summary, found.recommends) == (state, summary, recommends)


def test_an_advice_is_divided_by_what_can_be_done_now() -> None:
    settled, assumed = row("mount.rsize", value=1, part="set"), row("mount.wsize", value=1, rests_on=(USUAL,))
    left, waiting = row("mount.hard", value="keep", otherwise=(maybe(True),)), row(possible=(maybe(8),), part="open")
    pinned = row("mount.vers", value="n/a", part="fine")
    told = advice(settled, assumed, left, waiting, pinned, pins={"mount.vers": "4.2"})
    assert told.advised == (settled, assumed, left, pinned)
    assert told.open == (waiting,)
    assert told.settled == (settled, pinned)
    assert told.assumed == (assumed, left)
    assert told.part("set", "open") == [settled, waiting]
    assert told.unusable_pins == (pinned,)
    assert (told.find("mount.rsize"), told.find("mount.nconnect"), told.find("mount.ro")) == (settled, None, None)


@each(lambda: [
    ({"text": ""}, False), ({"text": "nconnect=8", "written": 8}, True),
    ({"text": "nconnect=1", "written": 1, "already": True, "strength": "may"}, False),
    ({"text": "nconnect=1", "written": 1, "already": True, "strength": "may", "pinned": True}, True),
    ({"text": "nconnect=1", "written": 1, "already": True, "strength": "should"}, True),
    ({"text": "nobg", "written": False, "already": True, "strength": "must"}, False),
    ({"text": "nobg", "written": False, "already": True, "strength": "must", "pinned": True}, True),
])
def test_an_option_that_is_the_default_is_written_only_on_purpose(changes: Any, written: bool) -> None:
    assert is_written(row(**changes)) is written


@pytest.mark.parametrize(("changes", "forbids"), [
    ({}, True), ({"kind": "mount-option"}, False), ({"strength": "should"}, False), ({"value": "keep"}, False),
    ({"pinned": True}, False),
])
def test_another_protocol_is_recommended_instead(changes: Any, forbids: bool) -> None:
    assert forbids_mount(row(**{"kind": "access", "strength": "must", "value": "smb", **changes})) is forbids


def test_a_setting_that_only_says_where_is_pointless_without_one_there() -> None:
    where = Tunable.from_data({"id": "x", "kind": "sysctl", "title": "X", "places": ["mount.nconnect", "mount.vers"]})
    told = {
        "written": row(value=8), "open": row(possible=(maybe(8),)), "default": row(value=1, already=True),
        "pinned": row(value=1, already=True, pinned=True), "omitted": row(value="omit"), "kept": row(value="keep"),
        "another": row("mount.rsize", value=8),
    }
    assert {name for name, one in told.items() if is_pointless(where, [one])} == {
        "default", "omitted", "kept", "another"}
    assert not is_pointless(NCONNECT, [])


@pytest.mark.parametrize(("possible", "idle", "stays"), [
    ((maybe("omit"), maybe("keep")), True, True),
    ((maybe(1), maybe("omit")), True, True),  # 1 is the default
    ((maybe(8, "should"), maybe("keep")), False, True),  # no must is against the default
    ((maybe(8), maybe("keep")), False, False),
    ((maybe("keep", None),), False, False),  # no rule says so
])
def test_whether_an_open_setting_may_be_left_alone(possible: Any, idle: bool, stays: bool) -> None:
    waiting = row(possible=possible)
    assert (is_idle(waiting), stays_at_default(waiting)) == (idle, stays)
    assert not stays_at_default(waiting._replace(strength=None))


def test_nobody_knows_whether_a_default_that_is_not_known_is_allowed() -> None:
    unknown = NCONNECT.replace(default=None, usual=())
    assert not stays_at_default(row(definition=unknown, possible=(maybe(8, "should"),)))
    assert stays_at_default(row(definition=unknown, possible=(maybe("keep"), maybe(8, "should"))))


@each(lambda: [
    ({}, 20), ({"strength": "must"}, 200), ({"strength": "may"}, 2), ({"strength": None}, 2),
    ({"consequence": "data-loss"}, 60), ({"kind": "sysctl"}, 10), ({"kind": "sysctl", "strength": "must"}, 100),
])
def test_what_is_at_stake(changes: Any, worth: float) -> None:
    assert stake(row(**changes)) == worth


def test_what_is_for_people_to_make() -> None:
    package, service = row("p", kind="package", part="set"), row("s", kind="service", part="set", strength="must")
    ahead, option = row("bdi.read_ahead_kb", part="set", value=8), row(part="set", value=8)
    rule = row("nfs.conf.nfsrahead.default", kind="nfs.conf", part="set", value=8)
    assert by_hand(advice(package, option, service)) == [service, package], "the more important first"
    assert by_hand(advice(ahead)) == [ahead]
    assert by_hand(advice(ahead, rule)) == [], "a file holds it"
    assert by_hand(advice(ahead, row("u", kind="sysctl", part="set", value="udev-rule"))) == []
    assert by_hand(advice(package._replace(part="fine"), service._replace(refused=REFUSED))) == []


def test_of_a_limit_in_two_units_one_is_written() -> None:
    share, whole = "sysctl.vm.dirty_ratio", "sysctl.vm.dirty_bytes"
    assert BASE.tunables[share].other_unit == whole
    low, high = BASE.layers[0].id, BASE.layers[-1].id
    of = {layer: SimpleNamespace(layer=layer, replace=lambda why: why) for layer in (low, high)}

    def kept(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
        rows = [row(name, text=name, value=1, **{"written": 1, **changes})
                for name, changes in ((share, one), (whole, other))]
        return [one.tunable for one in one_of_two_units(BASE, tuple(rows)) if one.written is not None]

    assert kept({"rule": of[low]}, {"rule": of[high]}) == [whole]
    assert kept({"rule": of[high]}, {"rule": of[low]}) == [share]
    assert kept({"rule": of[low], "pinned": True}, {"rule": of[high]}) == [share]
    assert len(kept({"rule": of[low]}, {"rule": of[low]})) == 1, "as high: one of them all the same"
    assert kept({"written": None}, {"rule": of[low]}) == [whole]
    assert kept({"already": True}, {"rule": of[low]}) == [share, whole], "what is so already takes nothing away"
    assert len(kept({"already": True, "pinned": True}, {"rule": of[high]})) == 1
    beaten = one_of_two_units(BASE, (row(share, written=1, value=1, text="a=1", rule=of[low]),
                                     row(whole, written=1, value=1, text="b=1", rule=of[high])))[0]
    assert (beaten.value, beaten.text, beaten.pinned) == ("n/a", "", False)
    assert beaten.why.startswith("b=1 is the same limit")


def test_the_mount_line() -> None:
    names = {"server": "fd00::1", "export": "/a b", "target": "/#x"}
    hard = row("mount.hard", value=True, written=True, text="hard")
    told = advice(row(value=8, written=8, text="nconnect=8"), hard, row("mount.ro", value="keep"),
                  given={"mount.vers": "vers=4.1", "mount.ro": "ro", "fstab.type": "nfs4"}, names=names)
    assert option_list(told) == "nconnect=8,hard,vers=4.1,ro"
    assert kept_options(told._replace(rows=(*told.rows, row("mount.vers", value="3")))) == ("ro",)
    assert fstab_line(told).split("  ")[:3] == ["[fd00::1]:/a\\040b", "/#x", "nfs"]
    typed = row("fstab.type", kind="fstab-field", written="nfs4")
    assert fstab_line(told._replace(rows=(typed,))).split("  ")[2] == "nfs4"
    assert [field(advice(*rows), "type", "nfs") for rows in ((), (typed,), (typed._replace(written=None),))] == [
        "nfs", "nfs4", "nfs"]
    assert has_mount(told)
    assert not has_mount(told._replace(server=True))
    assert not has_mount(advice())
    assert option_list(advice()) == "defaults"
    assert not has_mount(advice(hard, row("a", kind="access", value="smb", strength="must")))
    assert [bracketed_host(name) for name in ("nas", "fd00::1", "[fd00::1]")] == ["nas", "[fd00::1]", "[fd00::1]"]
    assert escaped("#a#\tb\\\n\r") == "\\043a#\\011b\\134\\012\\015"


def test_weights_of_questions() -> None:
    question: Any = SimpleNamespace(settles=2, chances={"a": 0.9, "b": 0.1}, decisions=("a", "b"))
    weight = _Weight()
    weight.add(question, 0.5, lambda name: {"a": 10, "b": 100}[name])
    assert (weight.settles, weight.impact, weight.bears) == (1.0, 59.0, ["a", "b"])  # a rare change counts half
    weight.needed_for("c")
    assert (round(weight.settles, 2), weight.bears) == (1.01, ["a", "b", "c"])
    weights = {"vers": _Weight(), "x": _Weight(), "y": _Weight(), "z": _Weight()}
    weights["vers"].settles, weights["vers"].impact, weights["vers"].bears = 4.0, 8.0, ["ro"]
    weights["x"].bears, weights["y"].bears = ["vers"], ["vers"]
    _pass_on("vers", weights)
    assert [(name, one.settles, one.impact, one.bears) for name, one in weights.items()] == [
        ("x", 2.0, 4.0, ["vers", "ro"]), ("y", 2.0, 4.0, ["vers", "ro"]), ("z", 0.0, 0.0, [])]
    weights["z"].bears = ["z"]
    _pass_on("z", weights)
    assert "z" in weights, "nothing else settles it"
    assert [_is_single(value) for value in ("5.14", 3, ["a"], ">=5", "<6", "!x")] == [True, True, *[False] * 4]


def test_the_open_settings_that_an_unknown_answer_bears_on() -> None:
    found = blocked_settings(BASE, advice(unknown=frozenset({"storage.platform"})), [row(possible=(maybe(8),))])
    assert found == {"storage.platform": ("mount.nconnect",)}
    assert blocked_settings(BASE, advice(), [row(possible=(maybe(8),))]) == {}


def test_the_rule_that_speaks_is_the_one_that_assumes_least() -> None:
    rules, won = BASE.decisions["mount.nconnect"].rules, contenders(BASE.engine, "mount.nconnect", {})
    omitting = [name for name, rule in rules.items() if rule.value == "omit" and name in won]
    assert len(omitting) > 1
    spoken = speaking_rule(BASE, "mount.nconnect", "omit", {})
    strengths = ("must", "should", "may")
    assert spoken.strength == max((rules[name].strength or "may" for name in omitting), key=strengths.index)
    layers = [layer.id for layer in BASE.layers]
    assert layers.index(spoken.layer) == min(layers.index(rules[name].layer) for name in omitting)
    counts = Counter(str(rule.value) for rule in rules.values())
    only = next(rule for rule in rules.values() if counts[str(rule.value)] == 1)
    assert speaking_rule(BASE, "mount.nconnect", only.value, {}) == only


def test_of_two_rules_that_apply_for_certain_the_stronger_speaks() -> None:
    told = {"host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "diskless-root",
            "identity.root_writes": True, "identity.root_trusted": True, "mount.sec": "sys"}
    spoken = speaking_rule(BASE, "exports.root_squash", False, BASE.engine.state(told))
    assert (spoken.id, spoken.strength) == ("export-root-squash/diskless", "must")


@pytest.mark.parametrize(("changes", "harm"), [
    ({"consequence": "boot"}, "boot"), ({"consequence": None}, ""),
    ({"possible": (maybe(8, "must", "performance"), maybe(16, "must", "data-loss"))}, "data-loss"),
    ({"possible": (maybe(8, "must", "security"), maybe(16, "should", "data-loss"))}, "security"),
    ({"possible": (maybe("omit", "must", "data-loss"), maybe(1, "must", "boot"))}, ""),  # the default does it
    ({"possible": (maybe("keep", "may", None),)}, ""),
])
def test_the_harm_of_an_open_setting(changes: Any, harm: str) -> None:
    assert verdict._harm(row(**changes)) == harm


def test_what_must_be_right_and_is_not_yet() -> None:
    slow, lost = (row(name, strength="must", possible=(maybe(8, "must", harm), maybe("keep", "may")), part="open")
                  for name, harm in (("mount.nconnect", "performance"), ("mount.rsize", "data-loss")))
    needed = row("mount.wsize", strength="must", possible=(maybe(8), maybe(16)), part="open")
    keys = row("k", kind="identity", strength="must", consequence="security", part="set", value="x")
    told = advice(slow, needed, keys, lost, keys._replace(tunable="l", part="fine"))
    assert [one.tunable for one in verdict.wanting(told)] == ["mount.rsize", "k", "mount.wsize"]
    assert verdict.missing_options(told) == [needed]
    assert verdict.missing_options(advice(needed._replace(strength="should"), needed._replace(kind="sysctl"))) == []
    export = row("e", kind="export-option", possible=(maybe(8),))
    assert verdict.missing_export_options(advice(export, needed)) == [export]
    assert verdict.missing_export_options(advice(export._replace(possible=(maybe(8, "should"), maybe("omit"))))) == []


@pytest.mark.parametrize(("rows", "said"), [
    ((row(value=8),), ""),
    ((row(value=8, refused=REFUSED), row("mount.wsize", strength="must", possible=(maybe(8),))),
     "NOT READY: nconnect=99 is too many."),
    ((row("s", kind="sysctl", refused=REFUSED),), ""),
    ((row(strength="must", possible=(maybe(8), maybe(16))),), "NOT READY: first decide "),
    ((row("mount.hard", strength="must", possible=(maybe(False, "must", "data-loss"), maybe("keep"))),), ""),
])
def test_what_stands_beside_a_line_that_is_not_ready(rows: tuple[Row, ...], said: str) -> None:
    found = verdict.warning(advice(*rows))
    assert found.startswith(said)
    assert bool(found) is bool(said)


@each(lambda: [
    (verdict.AdviceVerdict(), "Ready.", "READY", ""),
    (verdict.AdviceVerdict(reasons=("a",)), "Ready.", "READY", "1 warning"),
    (verdict.AdviceVerdict(unnamed=("server",)), "Ready, but names are missing.", "READY", "names missing"),
    (verdict.AdviceVerdict(unnamed=("server",), reasons=("a", "b")), "Ready, but names are missing.", "READY",
     "names missing, 2 warnings"),
    (verdict.AdviceVerdict(empty=True, reasons=("a",)), "Nothing to set.", "NOTHING TO SET", ""),
    (verdict.AdviceVerdict("open", 1, ("a",)), "NOT READY: 1 thing that must be right is open.", "OPEN", "1 must"),
    (verdict.AdviceVerdict("open", 2), "NOT READY: 2 things that must be right are open.", "OPEN", "2 musts"),
    (verdict.AdviceVerdict("open", 1, amiss=True), "NOT READY: 1 thing has to be put right first.", "OPEN", "1 must"),
    (verdict.AdviceVerdict("open", 3, amiss=True), "NOT READY: 3 things have to be put right first.", "OPEN",
     "3 musts"),
    (verdict.AdviceVerdict("will-fail", reasons=("a",)), "This will fail.", "WILL FAIL", ""),
])
def test_the_words_of_a_verdict(found: verdict.AdviceVerdict, title: str, badge: str, beside: str) -> None:
    assert (found.title, found.badge, found.beside) == (title, badge, beside)


def test_the_names_that_are_missing() -> None:
    client, server = advice(names={"server": "nas"}), advice(server=True, names={"server": "nas", "export": "/a"})
    assert verdict.unnamed([client]) == ["export", "target"]
    assert verdict.unnamed([server, client]) == ["clients", "export", "target"]
    assert verdict.naming(["target"]) == verdict.naming([]) == ""
    assert verdict.naming(["server", "target"]) == "give --server and --target, for which the files have placeholders"


def test_limits_in_two_units_that_two_mounts_want_are_a_conflict() -> None:
    share, whole = (row(f"sysctl.vm.dirty_{unit}", value=1, written=1) for unit in ("ratio", "bytes"))
    mounts = [advice(share, names={"target": "/a"}), advice(whole, names={"target": "/b"})]
    other = row("sysctl.vm.swappiness", value=1, written=1)
    kept, (conflict,) = several._without_twin_units([share, other, whole], mounts)
    assert kept == [other]
    assert [(side.target, side.tunable) for side in conflict.sides] == [
        ("/a", "sysctl.vm.dirty_ratio"), ("/b", "sysctl.vm.dirty_bytes")]
    for less in (whole._replace(written=None), whole._replace(already=True)):
        assert several._without_twin_units([share, less], mounts) == ([share, less], [])


def test_what_some_mounts_want_names_them() -> None:
    assert several._if_some(["/b", "/a"], 3) == ("/a", "/b")
    assert several._if_some(["/b", "/a"], 2) == ()
    assert [several.is_host_kind(BASE, kind) for kind in ("sysctl", "mount-option", "no-kind")] == [True, False, False]


def against(severity: str, consequence: str, tunable: str = "mount.ro") -> Any:
    return SimpleNamespace(
        severity=severity, consequence=consequence, tunable=tunable, message="it fails", why="It is.",
        remedy="Change it.", depends_on=(), fix=None,
    )


@each(lambda: [
    (against("error", "performance"), "will-fail", "NOT READY: it fails."),
    (against("warning", "security"), "open", "NOT READY: it fails."), (against("warning", "performance"), "ready", ""),
])
def test_what_the_linter_finds_in_a_line_is_part_of_the_verdict(one: Any, state: str, said: str) -> None:
    written = row(value=8, written=8, text="nconnect=8")
    told = advice(written)._replace(objections=(one,))
    found = verdict.verdict(BASE, [told])
    assert (found.state, verdict.warning(told)) == (state, said)
    assert found.reasons == ("it fails. It is. Change it.",)
    refused = advice(written._replace(refused=REFUSED))._replace(objections=(against("error", "boot", NCONNECT.id),))
    assert verdict.verdict(BASE, [refused]).reasons == ("nconnect=99 is too many.",), "it is said once"


@each(lambda: [
    ((maybe(8), maybe("keep", "may")), ("client.kernel",), "is open: nconnect=8, unless an answer rules it out. "),
    ((maybe(8), maybe(16)), ("client.kernel",), "is open: nconnect=8 or nconnect=16. It depends on: "),
    ((maybe(8),), (), "is open: nconnect=8. "), ((maybe(8),), (), "No question settles it: advisor why mount.nconnect"),
    (tuple(maybe(number) for number in range(10, 20)), (), "is open. No question settles it"),
])
def test_why_a_setting_is_open(possible: Any, asks: tuple[str, ...], said: str) -> None:
    told = verdict._reason(BASE, advice(), row(possible=possible, asks=asks), options=True)
    assert said in told.replace("  ", " "), told
    assert ("client.kernel" in told) is bool(asks)


@each(lambda: [
    ({}, "will-fail"), ({"strength": "should"}, "ready"), ({"consequence": "ignored"}, "ready"),
    ({"strength": "may"}, "ready"), ({"pinned": True}, "ready"),
])
def test_a_mount_fails_that_linux_must_not_make(changes: Any, state: str) -> None:
    smb = row(**{"kind": "access", "strength": "must", "consequence": "mount-fails", "value": "smb", **changes})
    assert verdict.verdict(BASE, [advice(smb)]).state == state


def test_what_is_wanted_besides_is_told_by_its_steps_or_else_its_value() -> None:
    told = [verdict._reason(BASE, advice(), row(why="So.", value="x", steps=steps), True)
            for steps in (Steps(apply="Do it."), Steps())]
    assert told == ["Do it. So.", "x. So."]


def test_an_advice_without_a_mount_and_without_work_is_empty() -> None:
    work = row("sysctl.vm.dirty_ratio", value=5, written=5, part="set")
    assert [verdict.verdict(BASE, [one]).empty for one in (advice(), advice(work), advice(row(), work))] == [
        True, False, False]
