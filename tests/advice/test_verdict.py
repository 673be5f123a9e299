"""Whether what is advised can be installed as it is."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Advice, Possible
from advisor.advice.rows import CLIENT
from advisor.advice.verdict import AdviceVerdict, verdict, warning, with_refusals
from advisor.pages.recommend import recommendation
from advisor.pages.recommend_json import document
from tests.advice.environments import base, fits
from tests.tiers import in_both, part, some


def advised(**facts: Any) -> Advice:
    told = Answers({name.replace("_", ".", 1): value for name, value in facts.items()})
    return with_refusals(base(), advise(base(), told))


def judged(**facts: Any) -> tuple[AdviceVerdict, str]:
    advice = advised(**facts)
    found = verdict(base(), [advice])
    assert found.title in str(recommendation(base(), advice, False))
    return found, warning(advice)


@pytest.mark.parametrize("facts", some([
    {"storage_platform": "synology", "mount_vers": "4.2"}, {"storage_platform": "azure-files", "mount_vers": "3"},
    {"storage_platform": "aws-efs", "mount_sec": "krb5p"}, {"workload_kind": "windows-profiles"},
    {"storage_platform": "aws-efs", "client_system": "freebsd", "storage_encrypted_transit": True},
    {"storage_platform": "cephfs-nfs", "mount_vers": "3"}, {"storage_platform": "qumulo", "mount_vers": "4.0"},
    {"storage_platform": "anf", "mount_vers": "3", "workload_kind": "sap-hana", "workload_hana_volume": "data"},
    {"storage_platform": "gcp-filestore", "mount_vers": "4.1", "storage_tier": "basic"},
    {"storage_platform": "anf", "mount_vers": "3", "storage_volume_protocol": "4.1"},
], 2))
def test_what_cannot_work_will_fail(facts: dict[str, Any]) -> None:
    found, beside = judged(**facts)
    assert found.state == "will-fail"
    assert found.reasons
    if "mount_vers" in facts:
        assert len([reason for reason in found.reasons if "vers=" in reason.casefold()]) == 1
    assert beside.startswith("NOT READY") or not {"workload_kind", "client_system"}.isdisjoint(facts)


@pytest.mark.parametrize(("server", "warned"), [
    ("nas", True), ("192.0.2.7", True), ("2001:db8::7", True), ("nas.example.com", False), ("", False),
])
def test_a_server_without_its_full_name_is_a_warning_with_kerberos(server: str, warned: bool) -> None:
    """Not a refusal: a reverse lookup may give the name."""
    facts = {"storage.platform": "ontap", "workload.kind": "home", "identity.directory": "ad"}
    for sec, says in (("krb5p", warned), ("sys", False)):
        told = Answers({**facts, "mount.sec": sec}, names={"server": server, "export": "/srv"} if server else {})
        found = verdict(base(), [with_refusals(base(), advise(base(), told))])
        assert found.state == "ready"
        assert ["lacks the server's full name" in reason for reason in found.reasons] == [True] * says
        assert ("1 warning" in found.beside) is says


@pytest.mark.parametrize(("depends_on", "state"), [(("network.transport",), "open"), ((), "ready")])
def test_an_answer_that_fits_no_possible_case_is_not_ready(depends_on: tuple[str, ...], state: str) -> None:
    facts = {"storage_platform": "knfsd", "workload_kind": "general"}
    slow = advised(**facts, mount_proto="udp").objections[0]._replace(
        severity="warning", consequence="performance", message="proto=udp is not right here", fix=None,
        depends_on=depends_on,
    )
    told = advised(**facts)._replace(objections=(slow,))
    found = verdict(base(), [told])
    assert found.state == state
    assert any(reason.startswith("proto=udp is not right here. ") for reason in found.reasons)
    assert warning(told) == ("NOT READY: proto=udp is not right here." if state == "open" else "")


@pytest.mark.parametrize("facts", [
    {"storage_platform": "azure-files", "mount_vers": "3"}, {"storage_platform": "knfsd", "identity_wire": "private"},
    {"storage_platform": "aws-s3-files", "mount_vers": "4.1"},
])
def test_json_says_the_same(facts: dict[str, Any]) -> None:
    advice = advised(**facts)
    found = verdict(base(), [advice])
    said = {"state": found.state, "open": found.open, "reasons": list(found.reasons)}
    assert document(base(), advice)["verdict"] == said


@pytest.mark.parametrize("facts", [
    {"storage_platform": "aws-s3-files", "mount_vers": "4.1"}, {"storage_platform": "cephfs-nfs", "mount_vers": "4.2"},
    {"storage_platform": "gcp-filestore", "mount_vers": "4.1"},
    {"storage_platform": "anf", "mount_vers": "3", "workload_kind": "sap-hana", "workload_hana_volume": "shared"},
])
def test_a_given_version_that_the_product_serves_does_not_fail(facts: dict[str, Any]) -> None:
    """Neither a rule for which it is as good, nor what is only presumed of the product, speaks against it."""
    assert judged(**facts)[0].state == "ready"


@in_both
def test_no_version_that_a_product_serves_fails() -> None:
    served = [(product.platform, version) for product in base().platforms for version in product.serves]
    served.remove(("cephfs-nfs", "3"))  # the program can, but Ceph does not support it
    for platform, version in part(served, 6):
        found = verdict(base(), [advised(storage_platform=platform, mount_vers=version, workload_kind="general")])
        assert found.state != "will-fail", (platform, version, found.reasons)


@pytest.mark.parametrize("facts", some([
    {}, {"storage_platform": "knfsd"}, {"storage_platform": "truenas"}, {"storage_platform": "azure-blob"},
    {"client_distro": "rhel", "client_release": "10"}, {"identity_directory": "local", "storage_platform": "knfsd"},
    {"storage_platform": "ibm-file-vpc"},
], 3))
def test_a_line_in_clear_text_is_not_ready_where_data_must_stay_private(facts: dict[str, Any]) -> None:
    found, beside = judged(identity_wire="private", **facts)
    assert found.state == "open"
    assert found.open >= len(found.reasons) > 0
    assert beside.startswith("NOT READY")


@pytest.mark.parametrize(("facts", "words"), [
    ({"storage_platform": "knfsd", "identity_wire": "private", "identity_directory": "local"},
     "xprtsec is open: xprtsec=mtls, unless an answer rules it out. TLS encrypts"),
    ({"storage_platform": "knfsd", "identity_wire": "private", "identity_directory": "local"},
     "TLS handshakes is open: tlshd of ktls-utils on both sides, certificate and key in"),
    ({"storage_platform": "alibaba-nas"}, "vers is open: vers=4.0 or vers=3. It depends on"),
])
def test_what_is_open_says_what_it_may_have_to_be(facts: dict[str, Any], words: str) -> None:
    assert words in " ".join(judged(**facts)[0].reasons)


def test_values_that_fill_lines_are_no_part_of_a_reason() -> None:
    """A table of them is for `advisor why`."""
    advice = advised(storage_platform="alibaba-nas")
    (vers,) = (row for row in advice.rows if row.tunable == "mount.vers")
    for length in (1, 30):
        values = tuple(Possible(str(one.value) * length, one.rule, one.strength, one.consequence, one.why)
                       for one in vers.possible)
        told = verdict(base(), [advice._replace(rows=(vers._replace(possible=values),))]).reasons[0]
        begins = "vers is open. It depends on: " if length > 1 else "vers is open: vers=4.0 or vers=3. "
        assert told.startswith(begins), told


def test_settings_are_counted_and_the_worst_harm_comes_first() -> None:
    """However many sentences tell of them."""
    advice = advised()
    rows = {row.tunable: row for row in advice.open}
    late = [rows[f"mount.{name}"]._replace(asks=("storage.platform",)) for name in ("retry", "vers", "mountproto")]
    first = rows["mount.sec"]._replace(asks=("identity.wire",))
    found = verdict(base(), [advice._replace(rows=(*late, first), objections=())])
    assert found.open == 4
    assert [reason.split("?")[0].split(" is ")[0] for reason in found.reasons] == ["sec", "Where does the data live"]
    assert found.reasons[1].endswith(" Until this is answered, retry, mountproto and vers stay open.")
    both = verdict(base(), [advice._replace(rows=tuple(late)), advice._replace(rows=tuple(late[:2]))])
    assert both.open == 3, "two mounts that wait for the same"


def test_what_no_question_settles_has_to_be_put_right() -> None:
    advice = advised(storage_platform="alibaba-nas")
    (vers,) = (row for row in advice.rows if row.tunable == "mount.vers")
    for asks, title in (vers.asks, "1 thing that must be right is open"), ((), "1 thing has to be put right first"):
        found = verdict(base(), [advice._replace(rows=(vers._replace(asks=asks),))])
        assert found.title == f"NOT READY: {title}."
        assert found.amiss is not bool(asks)


@pytest.mark.parametrize(("more", "sec", "tls"), some([
    ({}, "krb5p", None), ({"identity_root_trusted": False}, "krb5p", None),
    ({"client_has_xprtsec": True, "server_has_xprtsec": True}, "krb5p", None),
    ({"client_has_xprtsec": True, "server_has_xprtsec": True, "identity_directory": "local"}, None, "mtls"),
    ({"client_has_xprtsec": True, "server_has_xprtsec": True, "mount_sec": "sys"}, "sys", "mtls"),
], 2))
def test_a_realm_and_private_data_call_for_kerberos(more: dict[str, Any], sec: str | None, tls: str | None) -> None:
    """Whatever is known of TLS. Beside it, sys is as good where root is trusted."""
    facts = {"storage_platform": "knfsd", "identity_wire": "private", "identity_directory": "ipa", **more}
    advice = advise(base(), Answers({name.replace("_", ".", 1): value for name, value in facts.items()}))
    advised = {row.tunable: row.written for row in advice.advised}
    assert (advised.get("mount.sec"), advised.get("mount.xprtsec")) == (sec, tls)
    assert judged(**facts)[0].state in ("ready", "open")
    assert judged(**facts)[0].state == "ready" or "identity." in str(advice.part("set"))


@pytest.mark.parametrize("facts", [
    {"storage_platform": "ontap", "identity_directory": "ad", "workload_kind": "general"},
    {"storage_platform": "aws-efs"}, {"storage_platform": "azure-files"},
])
def test_a_line_that_encrypts_is_ready(facts: dict[str, Any]) -> None:
    told = Answers({"identity.wire": "private", **{name.replace("_", ".", 1): value for name, value in facts.items()}})
    line = warning(advise(base(), told))
    assert "security" not in line


@pytest.mark.parametrize(("clients", "squashed"), [("esxi", False), ("windows", True), ("macos", True)])
def test_exports_are_advised_whatever_system_mounts_them(clients: str, squashed: bool) -> None:
    facts = {"host.role": "nfs-server", "storage.platform": "knfsd", "client.system": clients}
    told = advise(base(), Answers(facts))
    assert verdict(base(), [with_refusals(base(), told)]).state == "ready"
    values = {row.tunable: row.value for row in told.advised if row.kind == "export-option"}
    assert values["exports.rw"] is True
    assert values["exports.root_squash"] is squashed


def test_what_is_missing_is_said_beside_the_line() -> None:
    found, beside = judged(storage_platform="anf")
    assert found.state == "open"
    assert "first decide NFS protocol version (mount.vers)" in beside
    ready, nothing = judged(storage_platform="anf", storage_volume_protocol="4.1", workload_kind="general")
    assert (ready, nothing) == (AdviceVerdict(unnamed=("server", "export")), "")


def test_the_question_about_security_comes_first() -> None:
    asked = advise(base(), Answers({"identity.wire": "private", "storage.platform": "truenas"})).questions
    assert asked[0].fact == "identity.directory"


@pytest.mark.parametrize("answer", some([
    {"server.ha": True}, {"server.init": "systemd"}, {"export.own_mount": True}, {"server.v3_clients": True},
], 4))
def test_advice_for_a_server_that_nobody_named_says_so_at_once(answer: dict[str, Any]) -> None:
    other = "storage-scale" if "server.ha" in answer else "vast"  # its nodes are no pair of Linux servers
    for platform in ({}, {"storage.platform": "knfsd"}, {"storage.platform": other}):
        told = advise(base(), Answers({**answer, **platform}))
        found = verdict(base(), [told])
        assert told.server
        assert found.reasons[0] == (
            f"This is for the server, since only servers have {next(iter(answer))}; for a client: "
            "--set host.role=nfs-client."), platform
        as_client = advise(base(), Answers({**answer, **platform, "host.role": "nfs-client"}))
        assert not as_client.server
        assert "for the server" not in str(verdict(base(), [as_client]).reasons)
    said = advise(base(), Answers({**answer, "host.role": "nfs-server"}))
    assert "for a client" not in str(verdict(base(), [said]).reasons)


@in_both
def test_nothing_to_set_is_not_called_ready() -> None:
    """No platform leaves whoever sets up its server without a word."""
    assert verdict(base(), []).title == "Nothing to set."
    for platform in {*part(base().facts["storage.platform"].values, 3), "freebsd-nfsd"}:
        facts = {"storage.platform": platform, "host.role": "nfs-server"}
        if fits(facts):
            told = advise(base(), Answers(facts))
            assert told.part("set", "open"), platform
            assert "Nothing" not in verdict(base(), [told]).title, platform


def test_a_server_has_no_open_setting_that_only_clients_have() -> None:
    """An unknown workload leaves much of the mount line open, for clients alone."""
    of_client, of_server = (
        {row.kind for row in advise(base(), Answers({"storage.platform": "ganesha", "host.role": role})).open}
        for role in ("nfs-client", "nfs-server"))
    assert "mount-option" in of_client & {*CLIENT}
    assert of_server.isdisjoint(CLIENT)
