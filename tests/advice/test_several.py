"""Several mounts of one host: a line for each, and settings of the host that suit all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.answers_file import AnswersFileError, answers_by_mount, answers_text, parse_answers, unused_sections
from advisor.advice.beside_fstab import mount_sections
from advisor.advice.model import Advice
from advisor.advice.rows import fstab_line, option_list
from advisor.advice.several import Several, _Setting, advise_several, is_host_kind
from advisor.advice.verdict import verdict, with_refusals
from advisor.rulebase.model import Tunable
from advisor.rulebase.values import inside, is_bound, same
from advisor.sections import Section, SectionError
from tests.advice.environments import base
from tests.each import each
from tests.tiers import examples
from tests.zipped import zip_equal

HOST = {"client.kernel": "6.1", "client.distro": "rhel", "client.release": "9.3", "host.role": "nfs-client",
        "network.cloud": "none"}
POOL: dict[str, dict[str, Any]] = {
    "/hana/data/HDB": {"storage.platform": "anf", "storage.volume_protocol": "4.1"},
    "/hana/log/HDB": {"storage.platform": "anf", "storage.volume_protocol": "4.1"},
    "/eda": {"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda",
             "workload.static_data": True, "mount.sec": "sys", "client.count": 100},
    "/efs": {"storage.platform": "aws-efs"},
    "/home": {"storage.platform": "ontap"},
    "/share": {"storage.platform": "azure-files", "storage.encrypted_transit": False},
    "/srv/db": {"storage.platform": "knfsd", "workload.kind": "postgresql", "network.speed_gbps": 10},
    "/mnt/x": {},
}


def section(target: str, facts: dict[str, Any]) -> Section:
    return Section("site.yaml:1:1", {"server": f"server{target.replace('/', '-')}", "export": "/v", "target": target},
                   facts, {})


def several(*targets: str, host: dict[str, Any] = HOST, **more: Any) -> Several:
    answers = Answers(dict(host), mounts=tuple(section(one, POOL[one]) for one in targets), **more)
    return advise_several(base(), answers, answers_by_mount(base(), answers))


def written(told: Several) -> dict[str, Any]:
    return {one.tunable: one.written for one in told.host if one.recommends}


def by_target(told: Several) -> dict[str, Advice]:
    return {one.answers.name("target"): one for one in told.mounts}


def allowed(told: Tunable, wanted: Any, value: Any) -> bool:
    """Whether advice allows a value, worked out anew."""
    if wanted in ("keep", "n/a"):
        return True
    if wanted == "omit" or value is None:
        default = told.default
        done = default if value is None else value
        return value is None if wanted == "omit" and default is None else done is None or fulfils(done, wanted, default)
    return fulfils(value, wanted, told.default)


def fulfils(value: Any, wanted: Any, default: Any) -> bool:
    if wanted == "omit":
        return same(value, default)
    if is_bound(wanted):
        return inside(value, wanted)
    parts = str(wanted).replace(">= ", ">=").replace("<= ", "<=").split()
    if len(parts) > 1:
        return all(
            part == "*" or (inside(int(one), part) if is_bound(part) else one == part)
            for one, part in zip_equal(str(value).split(), parts)
        )
    return same(value, wanted)


TARGETS = st.lists(st.sampled_from(sorted(POOL)), min_size=2, max_size=4, unique=True)


@examples(3, 15)
@given(TARGETS)
def test_a_setting_of_the_host_is_allowed_by_the_advice_for_each_mount_or_named(targets: list[str]) -> None:
    told = several(*targets)
    alone = {one.answers.name("target"): advise(base(), one.answers) for one in told.mounts}
    for one in told.host:
        for target, advice in alone.items():
            theirs = advice.find(one.tunable)
            values = [theirs.value] if theirs is not None else [
                possible.value for waiting in advice.open if waiting.tunable == one.tunable
                for possible in waiting.possible
            ]
            for value in values if one.recommends else ():
                assert allowed(one.definition, value, one.written), (target, one.tunable, one.written, value)
    mine = [one.tunable for one in (*told.host, *told.open, *told.conflicts)]
    of_all = [
        name for name, decision in base().decisions.items()
        if is_host_kind(base(), base().tunables[name].kind) and decision.hit != "collect"
    ]
    assert {name: mine.count(name) for name in of_all} == dict.fromkeys(of_all, 1)
    for conflict in told.conflicts:
        assert len({str((side.tunable, side.value)) for side in conflict.sides}) > 1
        assert len({side.target for side in conflict.sides}) > 1
        assert all(side.rule for side in conflict.sides)


@examples(3, 15)
@given(TARGETS, st.data())
def test_the_order_of_mounts_changes_nothing(targets: list[str], data: st.DataObject) -> None:
    one, other = several(*targets), several(*data.draw(st.permutations(targets)))
    assert written(one) == written(other)
    assert {conflict.tunable for conflict in one.conflicts} == {conflict.tunable for conflict in other.conflicts}
    assert sorted(open_.tunable for open_ in one.open) == sorted(open_.tunable for open_ in other.open)
    assert sorted(map(fstab_line, one.mounts)) == sorted(map(fstab_line, other.mounts))


@examples(3, 15)
@given(TARGETS)
def test_a_mount_more_changes_no_other_line(targets: list[str]) -> None:
    more, fewer = by_target(several(*targets)), by_target(several(*targets[1:]))
    for target, advice in fewer.items():
        assert fstab_line(more[target]) == fstab_line(advice)


def hana(*volumes: str, second: dict[str, Any] | None = None, **more: Any) -> Several:
    """The advice for HANA's volumes at one address of ONTAP. `second`: facts of the last of them alone."""
    facts = {"storage.platform": "ontap", "workload.kind": "sap-hana", "mount.vers": "3",
             "workload.hana_scale_out": False}
    each: list[dict[str, Any]] = [{**facts, "workload.hana_volume": volume} for volume in volumes]
    each[-1] |= second or {}
    sections = tuple(
        Section("site.yaml:1:1", {"server": "10.0.0.4", "export": f"/{volume}", "target": f"/{volume}"}, mine, {})
        for volume, mine in zip_equal(volumes, each)
    )
    answers = Answers(dict(HOST), mounts=sections, **more)
    return advise_several(base(), answers, answers_by_mount(base(), answers))


def connections(told: Several) -> dict[str, str]:
    return {one.answers.name("target"): row.text for one in told.mounts if (row := one.find("mount.nconnect"))}


def test_mounts_that_share_connections_get_one_number_of_them() -> None:
    shared = hana("data", "shared")
    assert connections(shared) == {"/data": "nconnect=4", "/shared": "nconnect=4"}
    assert not [one for one in shared.conflicts if one.tunable == "mount.nconnect"]
    other_version = hana("data", "shared", second={"mount.vers": "4.1"})
    assert connections(other_version) == {"/data": "nconnect=4", "/shared": "nconnect=2"}


def test_mounts_that_share_connections_and_need_different_numbers_of_them_are_named() -> None:
    told = hana("data", "log")
    assert connections(told) == {"/data": "nconnect=4", "/log": "nconnect=4"}
    (conflict,) = [one for one in told.conflicts if one.tunable == "mount.nconnect"]
    assert {(side.target, side.value) for side in conflict.sides} == {("/data", ">=4 <=8"), ("/log", 2)}
    assert "all have nconnect=4" in conflict.says
    judged = verdict(base(), [with_refusals(base(), one) for one in told.mounts], told.conflicts)
    assert judged.state == "ready"
    assert [reason for reason in judged.reasons if "nconnect" in reason] == [f"{conflict.says}."]
    assert connections(hana("data", "log", pins={"mount.nconnect": 2})) == {"/data": "nconnect=2", "/log": "nconnect=2"}
    given = hana("data", "log", second={"mount.nconnect": 3})
    assert connections(given) == {"/data": "nconnect=3", "/log": "nconnect=3"}


def test_a_conflict_is_named_with_mounts_and_rules_and_a_pin_ends_it() -> None:
    told = several("/hana/data/HDB", "/eda")
    (conflict,) = [one for one in told.conflicts if one.tunable == "tuned.profile"]
    assert {(side.target, side.value, side.rule) for side in conflict.sides} == {
        ("/hana/data/HDB", "sap-hana", "tuned-profile/hana"), ("/eda", "latency-performance", "tuned-profile/anf"),
    }
    assert "tuned.profile" not in {one.tunable for advice in told.mounts for one in advice.advised}
    held = several("/hana/data/HDB", "/eda", pins={"tuned.profile": "sap-hana"})
    assert written(held)["tuned.profile"] == "sap-hana"
    assert "tuned.profile" not in {one.tunable for one in held.conflicts}


def test_bounds_of_several_mounts_meet() -> None:
    told = several("/hana/data/HDB", "/eda", "/efs")
    assert written(told)["sysctl.sunrpc.tcp_max_slot_table_entries"] == 12, "HANA's 128, and 10000 for 100 clients by 8"
    assert written(told)["sysctl.net.core.rmem_max"] == 16777216
    assert set(told.wanted["sysctl.net.core.rmem_max"]) == {"/hana/data/HDB", "/eda"}


@pytest.mark.parametrize(("wanted", "begun", "met"), [
    (["<=128", "<=12"], 128, 12), ([">=16", "<=128"], 8, 16), ([">=16", "<=12"], 16, 12), (["keep", "<=128"], 64, 64),
    ([], 7, 7), ([32, "<=128"], 8, 32),
])
def test_a_value_moves_to_the_nearest_that_all_allow(wanted: list[Any], begun: int, met: int) -> None:
    setting: Any = _Setting.__new__(_Setting)
    setting.definition = base().tunables["sysctl.sunrpc.tcp_max_slot_table_entries"]
    setting.asking = [(None, SimpleNamespace(value=each)) for each in wanted]
    assert setting._value(begun) == met


def test_one_host_is_not_assumed_to_be_in_two_clouds() -> None:
    host = {name: value for name, value in HOST.items() if name != "network.cloud"}
    told = several("/share", "/efs", host=host)
    taken = {taken.fact for advice in told.mounts for one in advice.assumed for taken in one.rests_on}
    assert "network.cloud" not in taken
    assert [one.targets for one in told.questions if one.ask.fact == "network.cloud"] == [("/efs", "/share")]


def test_a_question_of_the_host_is_asked_once_and_others_for_each_mount() -> None:
    told = several("/hana/data/HDB", "/hana/log/HDB", host={})
    asked = [(one.ask.fact, one.targets) for one in told.questions]
    assert [targets for fact, targets in asked if fact == "client.kernel"] == [("/hana/data/HDB", "/hana/log/HDB")]
    assert {one for one in asked if one[0] == "workload.static_data"} == {
        ("workload.static_data", ("/hana/data/HDB",)), ("workload.static_data", ("/hana/log/HDB",)),
    }


TEXT = """\
schema: advisor-answers/1
facts: {client.kernel: "6.1"}
mounts:
- {server: 10.0.0.4, export: /data, target: /hana/data/HDB}
- {server: 10.0.0.*, storage.platform: anf}
- server: fs-0123abcd.efs.eu-west-1.amazonaws.com
  export: /
  target: /efs
- {target: /nosuch/*, workload.kind: eda}
"""


def test_answers_name_mounts_and_say_things_of_some() -> None:
    answers = parse_answers(base(), TEXT, "a.yaml")
    data, efs = answers_by_mount(base(), answers)
    assert data.names == {"server": "10.0.0.4", "export": "/data", "target": "/hana/data/HDB"}
    assert data.facts == {"client.kernel": "6.1", "storage.platform": "anf", "workload.kind": "sap-hana",
                          "workload.hana_volume": "data"}
    assert set(data.origin) == {"workload.kind", "workload.hana_volume"}, "what names give away is marked"
    assert efs.facts == {"client.kernel": "6.1", "storage.platform": "aws-efs"}
    assert [one.place for one in unused_sections(answers, (data, efs))] == ["a.yaml:9:3"]
    assert answers_by_mount(base(), answers._replace(names={"target": "/efs/"})) == (efs._replace(names={**efs.names}),)
    assert parse_answers(base(), answers_text(answers), "b.yaml").mounts[0].names == answers.mounts[0].names
    assert answers_text(parse_answers(base(), answers_text(answers), "b.yaml")) == answers_text(answers)


def test_an_explicit_fact_goes_before_a_name() -> None:
    answers = Answers(mounts=(section("/hana/data", {"workload.kind": "general"}), section("/home", {})))
    one, other = answers_by_mount(base(), answers)
    assert one.facts == {"workload.kind": "general"}
    assert other.facts == {"workload.kind": "home"}


def test_sections_go_for_the_one_mount_that_the_answers_name() -> None:
    answers = Answers({}, names={"target": "/srv/a"}, mounts=(Section("f:1:1", {"target": "/srv/*"},
                                                                      {"workload.kind": "eda"}, {}),))
    (one,) = answers_by_mount(base(), answers)
    assert one.facts == {"workload.kind": "eda"}


@pytest.mark.parametrize(("entry", "said"), [
    ("- {server: a, export: /b, target: /c, client.kernel: '6.1'}", "a.yaml:3:39: client.kernel is a fact of the host"),
    ("- {server: a, export: /b, target: c*}", "a.yaml:3:27: target is 'c*'"),
    ("- {server: 'a b', export: /b, target: /c}", "a.yaml:3:4: server is 'a b'"),
    ("- {target: /c, workload.kind: home}\n- {target: /*}", "a.yaml:4:3: a section needs a fact"),
])
def test_mistakes_have_a_place(entry: str, said: str) -> None:
    with pytest.raises(AnswersFileError) as caught:
        parse_answers(base(), f"schema: advisor-answers/1\nmounts:\n{entry}\n", "a.yaml")
    assert said in str(caught.value)


def test_a_contradiction_names_both_places() -> None:
    text = TEXT + "- {server: '*', target: /hana/*, storage.platform: ontap}\n"
    with pytest.raises(SectionError, match=r"a\.yaml:10:34: storage\.platform is ontap .* anf by a\.yaml:5:22"):
        answers_by_mount(base(), parse_answers(base(), text, "a.yaml"))


FSTAB = """\
nas:/home  /home  nfs  vers=4.2,ro,sec=krb5p,soft,intr,x-systemd.automount  0 0
fs-01234567:/  /efs  efs  _netdev,tls  0 0
UUID=1  /  ext4  defaults  0 0
<server>:/x  /x  nfs  hard  0 0
"""


def test_lines_of_an_fstab() -> None:
    home, efs = mount_sections(base(), FSTAB, "fstab")
    assert home.facts == {"mount.ro": True, "mount.sec": "krb5p"}
    assert efs.facts == {"storage.platform": "aws-efs"}
    answers = Answers({}, mounts=(home, efs))
    told = by_target(advise_several(base(), answers, answers_by_mount(base(), answers)))
    options = option_list(told["/home"]).split(",")
    assert {"ro", "sec=krb5p", "x-systemd.automount"} <= set(options), "what no advice speaks against is kept"
    assert fstab_line(told["/efs"]).split()[2] == "efs"


@pytest.mark.parametrize("how", [{}, {"strict": True}, {"asking": True}])
def test_the_advice_for_one_of_several_is_that_for_it_alone(how: dict[str, bool]) -> None:
    mount = Answers({"storage.platform": "anf"}, names={"target": "/a"})
    (one,), alone = advise_several(base(), Answers(), [mount], **how).mounts, advise(base(), mount, **how)
    assert {row.tunable for row in one.assumed} == {row.tunable for row in alone.assumed}
    assert {asked.fact for asked in one.questions} == {asked.fact for asked in alone.questions}


def test_only_settings_of_the_host_are_shared() -> None:
    told = several("/eda", "/home")
    assert told.wanted
    assert {name for name in told.wanted if not is_host_kind(base(), base().tunables[name].kind)} == set()
    assert [conflict.says for conflict in told.conflicts if conflict.sides[0].tunable.startswith("mount.")] == []


@each(lambda: [
    ("keep", 7, True), ("n/a", None, True), ("omit", None, True), ("omit", 2, True), ("omit", 8, False),
    (8, None, False), (2, None, True), (">=4", 8, True), (">=4", 3, False), (8, 8, True), (8, 16, False),
])
def test_what_the_advice_for_one_mount_allows(wanted: Any, value: int | None, allowed: bool) -> None:
    setting: Any = _Setting.__new__(_Setting)
    setting.definition = base().tunables["sysctl.sunrpc.tcp_slot_table_entries"]
    assert setting.definition.default == 2
    assert setting._allows(wanted, value) is allowed
