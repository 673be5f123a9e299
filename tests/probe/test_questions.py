"""What is asked and understood, against a server in this process; and what is left there afterwards: nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.probe import evidence, questions
from advisor.probe.evidence import ask
from advisor.probe.questions import Request, own_domain, probe
from advisor.probe.result import Probed, ProbeFileError, from_data, from_text, probed_data
from advisor.probe.rpc import WORDS, Budget
from advisor.rulebase.base import load
from tests.each import each
from tests.probe.fake import Fake, Shared, running
from tests.schemas import validate
from tests.tiers import thorough

SHARES = {
    "/srv/open": Shared(mode=0o1777), "/srv/ro": Shared(mode=0o1777, rights="ro"),
    "/srv/krb": Shared(status="WRONGSEC", flavours=("krb5p",)), "/srv/port": Shared(status="PERM", v3="ACCES"),
    "/srv/other": Shared(clients=("192.0.2.0/24",), status="NOENT"),
    "/srv/tls": Shared(status="WRONGSEC"), "/home": Shared(owner="root@example.org", fsid=9),
}


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, fake: Fake, address: str = "127.0.0.1") -> Iterator[Fake]:
    """The server, with rpcbind and mountd on the one port that it has."""
    with running(fake, address):
        port = 1 if fake.heedless else fake.port
        monkeypatch.setattr(questions, "RPCBIND_PORT", port)
        monkeypatch.setattr(questions, "MOUNTD_PORT", port)
        monkeypatch.setattr(evidence, "_RPCBIND", port)
        monkeypatch.setattr(questions.os, "geteuid", lambda: 1000)
        monkeypatch.setattr(questions, "own_domain", lambda: "example.org")
        yield fake


def asked(fake: Fake, export: str = "", timeout: float = 3.0, **request: object) -> Probed:
    server = str(request.pop("server", "127.0.0.1"))
    found = probe(Request(server, export, port=fake.port, **request), Budget(timeout, 20.0))  # type: ignore[arg-type]
    assert not any(fake.clients), "a client record is left"
    assert not fake.mounts, "a line of rmtab is left"
    assert {each.outcome for each in found.asked} <= {"ok", *WORDS}
    validate(probed_data(found), "advisor-probe-1")
    assert from_data(json.loads(json.dumps(probed_data(found)))) == found
    return found


def test_an_export_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES), tls=True, implementation=("kernel.org", "Linux 6.15.0"))
    with serving(monkeypatch, fake):
        found = asked(fake, "/srv/open")
    assert [(step.name, step.status) for step in found.steps] == [("/", "OK"), ("srv", "OK"), ("open", "OK")]
    assert [each.version for each in found.minors if each.outcome == "on"] == ["4.0", "4.1", "4.2"]
    assert (found.version, found.tls, found.flavours) == ("4.2", "offered", ("sys",))
    assert found.root_names == ("home", "srv")
    assert found.identity is not None
    assert found.grant is not None
    assert found.attributes is not None
    assert (found.identity.scope, found.identity.implementation) == ("vm", "Linux 6.15.0")
    assert (found.grant.slots, found.grant.operations) == (30, 50)
    assert (found.attributes.lease, found.attributes.maxread, found.attributes.mode) == (90, 1 << 20, "1777")
    assert found.granted == ("read", "lookup", "modify", "extend", "delete", "execute")
    assert {(each.program, each.version, each.outcome) for each in found.answering} >= {
        ("nfs", 2, "versions"), ("nfs", 3, "ok"), ("nfs", 4, "ok"), ("mountd", 3, "ok"), ("rquotad", 1, "unregistered"),
    }
    assert found.exports is not None
    assert ("192.0.2.0/24",) in [each.clients for each in found.exports]
    assert not {"LOCK", "100005.3.1"} & {*fake.calls}, "no lock, no MNT"


class GSSError(Exception):
    """As gssapi raises it."""


def gssapi(token: bytes | None, trusts: bool = True) -> SimpleNamespace:
    """A module that gives this token, and then none; None: there is no ticket. `trusts`: it takes what is answered."""
    tokens = iter([token, None])

    def step(answer: object = None) -> bytes | None:
        if token is None or (answer and not trusts):
            raise GSSError("no credentials, or a token that is none")
        return next(tokens)

    context = SimpleNamespace(step=step, get_signature=lambda head: b"signed" + head[:4])
    return SimpleNamespace(
        Name=lambda name, _: name, NameType=SimpleNamespace(hostbased_service=1), MechType=SimpleNamespace(kerberos=1),
        SecurityContext=lambda **_: context, exceptions=SimpleNamespace(GSSError=GSSError),
    )


@pytest.mark.parametrize(("module", "outcome", "calls"), [
    (None, "no-gssapi", []), (gssapi(None), "no-ticket", []), (gssapi(b"wrong"), "denied", ["GSS 1 0"]),
    (gssapi(b"ticket", trusts=False), "gss-refused", ["GSS 1 0"]),
    (gssapi(b"ticket"), "ok", ["GSS 1 0", "GSS 2 0", "GSS 0 1", "GSS 3 2"]),
])
def test_kerberos_is_tried_where_it_is_demanded(
    monkeypatch: pytest.MonkeyPatch, module: SimpleNamespace | None, outcome: str, calls: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", module)
    with serving(monkeypatch, Fake(dict(SHARES))) as fake:
        assert not [each for each in asked(fake, "/srv/open").asked if each.question == "kerberos"]
        found = asked(fake, "/srv/krb")
    assert [each.outcome for each in found.asked if each.question == "kerberos"] == [outcome]
    assert [call for call in fake.calls if call.startswith("GSS")] == calls, "a context is made, used once and ended"


@pytest.mark.parametrize(("export", "status", "flavours"), [
    ("/srv/krb", "WRONGSEC", ("krb5p",)), ("/srv/port", "PERM", ("sys",)), ("/srv/nothing", "NOENT", ("sys",)),
    ("/srv/other", "NOENT", ("sys",)), ("/srv/tls", "WRONGSEC", ("sys",)),
])
def test_a_refusal_is_told(
    monkeypatch: pytest.MonkeyPatch, export: str, status: str, flavours: tuple[str, ...]
) -> None:
    fake = Fake(dict(SHARES))
    with serving(monkeypatch, fake):
        found = asked(fake, export)
    assert found.steps[-1].status == status
    assert found.flavours == flavours
    assert found.attributes is None


@pytest.mark.parametrize(("text", "domain"), [
    ("[General]\nVerbosity = 0\n  Domain= Other.example # ours\n", "Other.example"),
    ("[General]\n# Domain = localdomain\n", "lab.example"), (None, "lab.example"),
])
def test_the_domain_of_this_host(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, domain: str
) -> None:
    monkeypatch.setattr(questions, "IDMAPD", str(tmp_path / "idmapd.conf"))
    monkeypatch.setattr(questions.socket, "gethostname", lambda: "web1.lab.example")
    if text is not None:
        (tmp_path / "idmapd.conf").write_text(text)
    assert own_domain() == domain


def test_a_path_is_found_below_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES))
    with serving(monkeypatch, fake):
        assert asked(fake, "/export/home").elsewhere == "/home"
        assert asked(fake, "/export/nothing").elsewhere == ""


@pytest.mark.parametrize(("minors", "version", "slots"), [((0, 1, 2), "4.2", True), ((0, 2), "4.2", True),
                                                          ((1,), "4.1", True), ((0,), "4.0", False)])
def test_the_newest_version_that_is_on_is_spoken(
    monkeypatch: pytest.MonkeyPatch, minors: tuple[int, ...], version: str, slots: bool
) -> None:
    fake = Fake(dict(SHARES), minors=minors)
    with serving(monkeypatch, fake):
        found = asked(fake, "/srv/open")
    assert [int(each.version[2]) for each in found.minors if each.outcome == "on"] == [*minors]
    assert (found.version, found.grant is not None) == (version, slots)
    assert found.steps[-1].status == "OK"


def test_a_server_of_nfsv3_alone_is_asked_of_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES), nfs_versions=(3,))
    with serving(monkeypatch, fake):
        found = asked(fake, "/srv/open", mount=True)
    assert [each.outcome for each in found.minors] == ["off"] * 3
    assert found.version == ""
    assert found.mounted is not None
    assert (found.mounted.status, found.mounted.flavours, found.mounted.rtmax) == ("OK", ("sys",), 1 << 20)
    assert (found.mounted.mode, found.mounted.owner, found.mounted.name_max) == ("1777", "0", 255)


def test_a_refused_mount_leaves_nothing_to_unmount(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES))
    with serving(monkeypatch, fake):
        found = asked(fake, "/srv/port", mount=True)
    assert found.mounted is not None
    assert found.mounted.status == "ACCES"
    assert "100005.3.3" not in fake.calls


@pytest.mark.parametrize("grace", ["", "nfsv4", "lockd"])
def test_whose_grace_period_it_is(monkeypatch: pytest.MonkeyPatch, grace: str) -> None:
    fake = Fake(dict(SHARES), grace=grace)
    with serving(monkeypatch, fake):
        assert asked(fake, "/srv/open").grace == grace


def test_names_or_numbers_and_other_file_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake({**SHARES, "/home/else": Shared()})
    with serving(monkeypatch, fake):
        found = asked(fake, "/home")
    assert found.attributes is not None
    assert found.attributes.owner == "root@example.org"
    assert found.below is True


def test_over_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES))
    with serving(monkeypatch, fake, "::1"):
        found = asked(fake, "/srv/open", server="::1")
    assert (found.ip, found.own_ip, found.steps[-1].status) == ("::1", "::1", "OK")


def test_a_name_without_an_address() -> None:
    found = probe(Request("nothing.invalid", "/srv"), Budget(3.0, 20.0))
    assert [(each.question, each.outcome) for each in found.asked] == [("addresses", "unresolved")]
    assert found.doors == ()


def test_nothing_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake()
    with serving(monkeypatch, fake):
        pass
    found = asked(fake, "/srv/open")
    assert {door.outcome for door in found.doors} == {"refused"}
    assert {each.outcome for each in found.answering if each.program == "nfs"} == {"refused"}
    assert found.version == ""


BROKEN: dict[str, Callable[[bytes], bytes | None]] = {
    "never sent": lambda _: None, "closed": lambda _: b"", "cut short": lambda whole: whole[:-6],
    "another call's": lambda whole: whole[:4] + b"\0\0\0\0" + whole[8:],
    "a length of four gigabytes": lambda whole: b"\xff\xff\xff\xff" + whole[4:],
    "HTTP": lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n", "zeros": lambda whole: bytes(len(whole)),
    "an error": lambda whole: whole[:-4] + b"\0\0\0\5",
}


@thorough
@pytest.mark.parametrize("how", BROKEN)
def test_whichever_reply_is_broken_nothing_is_left(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Each reply of a whole probe in turn; the server is sound again afterwards."""
    fake = Fake(dict(SHARES))
    with serving(monkeypatch, fake):
        asked(fake, "/srv/open", mount=True)
        replies = fake._replies
        assert replies > 30
        for number in range(0, replies, 4 if how in ("never sent", "cut short") else 1):
            fake._replies = 0
            fake.broken = {number: BROKEN[how]}
            asked(fake, "/srv/open", timeout=0.05, mount=True)


@pytest.mark.parametrize("last", ["EXCHANGE_ID", "CREATE_SESSION", "LOOKUP", "READDIR", "100005.3.1", "100005.3.5"])
def test_stopped_at_any_time_nothing_is_left(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    """The reply under way is read, no further question is asked, and the server is left."""
    budget = Budget(3.0, 20.0)
    fake = Fake(dict(SHARES), on_call=lambda name: budget.stop() if name == last else None)
    with serving(monkeypatch, fake):
        found = probe(Request("127.0.0.1", "/srv/open", port=fake.port, mount=True), budget)
    assert last in fake.calls
    assert not any(fake.clients)
    assert not fake.mounts
    assert budget.stopped
    assert {"not-asked"} <= {each.outcome for each in found.asked} or last == "100005.3.5"


def test_a_slow_server_is_left_by_the_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that comes after the caller has given up may be that of CREATE_SESSION."""
    fake = Fake(dict(SHARES), on_call=lambda name: time.sleep(0.2 if "SESSION" in name or "DESTROY" in name else 0))
    with serving(monkeypatch, fake):
        late = probe(Request("127.0.0.1", "/srv/open", port=fake.port), Budget(0.1, 20.0))
    assert late.version == "4.0", "which has no session"
    assert not fake.clients


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_the_server_is_left(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    """Of the wizard and of diagnose --ask too, which then end as they would."""
    got = []
    fake = Fake(dict(SHARES), on_call=lambda name: os.kill(os.getpid(), number) if name == "LOOKUP" else None)
    before = signal.signal(number, lambda *_: got.append(not fake.clients))
    try:
        with serving(monkeypatch, fake):
            monkeypatch.setattr(questions, "Request", partial(Request, port=fake.port))
            ask(load(), "127.0.0.1", "/srv/open")
    finally:
        signal.signal(number, before)
    assert got == [True]


def test_no_more_than_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(dict(SHARES), on_call=lambda _: time.sleep(0.2))
    with serving(monkeypatch, fake):
        found = probe(Request("127.0.0.1", "/srv/open", port=fake.port), Budget(3.0, 0.03))
    assert "not-asked" in {each.outcome for each in found.asked}
    assert not any(fake.clients)


@each(lambda: [
    ({"schema": "advisor-probe/2"}, "schema"), ({"port": "2049"}, "port: is not a whole number"),
    ({"port": True}, "port: is not a whole number"), ({"port": -1}, "port: is not a whole number"),
    ({"low_port": 1}, "low_port: is neither true nor false"), ({"doors": {}}, "doors: is not a list"),
    ({"doors": [{"ip": "::1"}]}, "doors: port is missing"), ({"identity": 3}, "identity: is not an object"),
    ({"at": "yesterday"}, "isoformat"),
])
def test_what_is_no_result_is_refused(change: dict[str, object], says: str) -> None:
    data = {**probed_data(Probed("nas", "/srv", 2049, "2026-11-28T00:00:00Z", 0, True)), **change}
    with pytest.raises(ProbeFileError) as refused:
        from_text(json.dumps(data))
    assert says in str(refused.value)


def test_fields_of_a_later_version_are_skipped() -> None:
    probed = Probed("nas", "/srv", 2049, "2026-11-28T00:00:00Z", 0, True)
    assert from_text(json.dumps({**probed_data(probed), "answers": [], "more": 1})) == probed
