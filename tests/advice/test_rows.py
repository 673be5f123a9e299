"""What there is to do with each row of an advice, and how certain it is."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise, with_written_value
from advisor.advice.answers import Answers
from advisor.advice.model import PINNED, Possible, Row
from advisor.advice.rows import by_group, in_order, with_parts
from advisor.pages.why import with_refusals
from advisor.rulebase.counsel import CONSEQUENCES, STRENGTHS
from advisor.rulebase.model import Scalar
from tests.advice.environments import base

PLACE = "service.slot_table_file"
PLACED = "sysctl.sunrpc.tcp_max_slot_table_entries"


def row(tunable: str = "mount.nconnect", strength: str | None = "should", **changes: Any) -> Row:
    definition = base().tunables[tunable]
    return Row(tunable, definition.kind, definition.title, definition, strength, None, "Why.", **changes)


def part(*rows: Row, server: bool = False) -> str:
    """The part of the first."""
    return str(with_parts(rows, server=server)[0].part)


EIGHT: dict[str, Any] = {"value": 8, "written": 8, "text": "nconnect=8"}
DIRTY: dict[str, Any] = {"tunable": "sysctl.vm.dirty_ratio", "value": 5, "written": 5, "text": "vm.dirty_ratio = 5"}
OFF: dict[str, Any] = {"tunable": "mount.noac", "value": False, "written": False, "text": "ac"}


@pytest.mark.parametrize(("changes", "wanted"), [
    (EIGHT, "set"),
    ({**EIGHT, "strength": "may"}, "set"),
    ({**EIGHT, "strength": "may", "already": True}, "fine"),
    ({**EIGHT, "strength": "should", "already": True}, "set"),
    ({**EIGHT, "strength": "may", "already": True, "pinned": True}, "set"),
    ({**OFF, "already": True}, "fine"),
    ({"value": "omit"}, "leave out"),
    ({"value": "omit", "strength": "may"}, "fine"),
    ({"value": "omit", "pinned": True}, "set"),
    ({"value": "omit", "idle": True}, ""),
    ({"value": "keep"}, ""),
    ({"value": "n/a"}, ""),
    ({"possible": (Possible(8, None, "should", None, ""),)}, "open"),
    ({"possible": (Possible(8, None, None, None, ""),), "strength": None}, ""),
    ({**DIRTY, "already": True}, "fine"),
    ({**DIRTY, "strength": "may"}, "set"),
])
def test_what_there_is_to_do(changes: dict[str, Any], wanted: str) -> None:
    assert part(row(**changes)) == wanted


def test_nothing_is_to_do_on_a_server_for_what_only_clients_have() -> None:
    told = with_parts([row(**EIGHT), row(value="omit"), row(**DIRTY)], server=True)
    assert [one.part for one in told] == ["", "", "set"]


def test_where_to_write_something_is_to_do_only_if_it_is_written() -> None:
    where = row(PLACE, value="/etc/modprobe.d", written="/etc/modprobe.d", text="/etc/modprobe.d")
    what = row(PLACED, value=128, written=128, text="128")
    assert PLACED in where.definition.places
    assert part(where, what) == "set"
    assert part(where, what._replace(already=True)) == "fine"
    assert part(where, what._replace(value="omit", written=None, text="")) == "fine"
    assert part(where, row(PLACED, possible=(Possible(8, None, "should", None, ""),))) == "fine"


def test_states() -> None:
    answers = Answers({"storage.platform": "knfsd"}, pins={"mount.vers": "4.1", "mount.proto": "udp"})
    plain = advise(base(), answers)
    judged = with_refusals(base(), plain)
    states = {told.tunable: told.state for told in judged.rows}
    assert states["mount.proto"] == "refused"
    assert states["mount.vers"] == "settled"
    assert {told.state for told in plain.rows} == {"settled", "assumed", "open"}
    assert [told._replace(refused=None) for told in judged.rows] == list(plain.rows)
    assert plain.open == tuple(told for told in plain.rows if told.state == "open")
    assert {told.tunable for told in plain.assumed} == {name for name, state in states.items() if state == "assumed"}


def test_every_row_is_in_one_group_and_the_most_important_come_first() -> None:
    rows = advise(base(), Answers({"storage.platform": "knfsd", "workload.kind": "eda"})).rows
    groups = by_group(rows)
    grouped = [told for _, mine in groups for told in mine]
    assert len(grouped) == len(rows)
    assert {id(told) for told in grouped} == {id(told) for told in rows}
    for _, mine in groups:
        assert mine == in_order(mine)
        ranks = [(*STRENGTHS, None).index(told.strength) for told in mine]
        assert ranks == sorted(ranks)
    musts = [told for told in in_order(rows) if told.strength == "must" and told.kind == "mount-option"]
    harms = [CONSEQUENCES.index(told.consequence) for told in musts]
    assert len(set(harms)) > 1
    assert harms == sorted(harms)


def test_what_is_asked_after_an_unknown_answer_is_not_asked_and_the_rest_is() -> None:
    def asked(*unknown: str) -> set[str]:
        return {question.fact for question in advise(base(), Answers({}, unknown=frozenset(unknown))).questions}

    after = {"client.release", "client.nfs_utils"}  # the first after the distribution, the second after the first
    kernel = asked("client.kernel")
    assert after | {"client.distro"} <= kernel
    assert asked("client.kernel", "client.distro") == kernel - after - {"client.distro"}


def test_what_only_kerberos_needs_is_not_urgent_while_nobody_is_said_to_use_it() -> None:
    def urgent(strict: bool) -> dict[str, str | None]:
        found = advise(base(), Answers(), asking=True, strict=strict)
        return {one.tunable: one.strength for one in found.rows if one.possible}

    kerberos, firewall = "identity.client_key", "network.firewall"
    assert (urgent(False)[kerberos], urgent(True)[kerberos]) == (None, "must"), "strict assumes no sec=sys"
    assert urgent(True)[firewall] == urgent(False)[firewall] == "should"


def test_a_fact_that_is_a_setting_is_so_and_a_pin_is_a_choice() -> None:
    def why(answers: Answers) -> str:
        found = advise(base(), answers).find("mount.vers")
        assert found is not None
        assert found.pinned
        return str(found.why)

    fact = {"mount.vers": "4.1"}
    assert why(Answers(facts=fact)) == "You answered this."
    assert why(Answers(facts=fact, origin={"mount.vers": "fstab:3"})) == "Found in fstab:3."
    assert why(Answers(facts=fact, origin={"mount.vers": "observed today"})) == "Observed today."
    assert why(Answers(pins=fact)) == PINNED


def test_a_pin_has_effects_only_where_something_changes() -> None:
    facts = {"storage.platform": "anf", "workload.kind": "eda", "client.kernel": "6.1"}
    advice = advise(base(), Answers(facts=facts, pins={"mount.sec": "krb5p"}))
    found = {effect.tunable: effect for effect in advice.effects}
    assert (found["mount.nconnect"].before, found["mount.nconnect"].after) == ("8", "omit")
    assert all(effect.before != effect.after for effect in found.values())
    assert "mount.sec" not in found


def test_a_key_is_written_whole_whatever_is_in_its_name() -> None:
    dotted = [name for name, one in base().tunables.items() if one.kind == "nfs.conf" and name.count(".") > 3]
    assert "nfs.conf.nfsd.vers4.1" in dotted
    for name in dotted:
        told = with_written_value(base(), Answers(), row(name, value="y", written="y"), "n")
        assert told.text == f"{name.split('.', 3)[3]}=n"


def bugs_of(**facts: Scalar) -> list[str]:
    told = advise(base(), Answers(facts={name.replace("__", "."): value for name, value in facts.items()}))
    return [one.erratum for one in told.bugs]


def test_bugs_of_the_kernels_server_are_none_where_ganesha_serves() -> None:
    host: dict[str, Scalar] = {"host__role": "nfs-server", "server__distro": "debian", "server__release": "12"}
    assert "nfsd-confirm-expiring" in bugs_of(storage__platform="knfsd", **host)
    assert not [bug for bug in bugs_of(storage__platform="ganesha", **host) if bug.startswith("nfsd")]


def test_bugs_that_may_be_there_are_those_of_versions_that_something_is_known_of() -> None:
    assert not bugs_of(storage__platform="anf"), "that old kernels are presumed away says nothing of these clients"
    kernel = bugs_of(client__kernel="6.1")
    harms = [base().errata[bug].consequence for bug in (kernel[0], kernel[-1])]
    assert harms == ["data-loss", "performance"], "the worst first"
    assert not [bug for bug in bugs_of(host__role="nfs-server", server__kernel="6.1") if bug.startswith("client")]


def test_a_kernel_that_comes_with_the_distribution_has_no_bugs_of_other_builds() -> None:
    for release in ("8.10", "9.4"):
        for host, role in (("client", "nfs-client"), ("server", "nfs-server")):
            version = {f"{host}__distro": "rhel", f"{host}__release": release}
            found = bugs_of(storage__platform="knfsd", host__role=role, **version)
            assert not [bug for bug in found if bug.startswith(("client-", "nfsd-", "rpc-"))], (host, release, found)


def test_every_bug_of_the_kernels_server_says_who_runs_none() -> None:
    for slug, erratum in base().errata.items():
        if {*erratum.facts} <= {"server.kernel", "server.nfs_utils"} and "scheduler" not in slug:
            assert erratum.unless or "storage.platform" in erratum.when, slug


def test_what_nothing_is_assumed_of_is_asked_before_what_has_a_usual_answer() -> None:
    for kind in ("ai-training", "kafka"):
        advice = advise(base(), Answers({"storage.platform": "ontap", "workload.kind": kind}))
        asked = [question.fact for question in advice.questions]
        assert asked[0] != "workload.static_data"
        assert "workload.static_data" in asked
