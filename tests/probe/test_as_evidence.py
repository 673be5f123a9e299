"""What a probe shows as evidence: for a diagnosis, and as facts for advice and checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.check.mount_outcomes import ANSWERS
from advisor.diagnose.diagnosis import ASK, Diagnosis
from advisor.diagnose.evidence import Reader, StatedFact
from advisor.probe.evidence import ask, known, proved
from advisor.probe.result import Attributes, PathStep, Probed, probed_data
from advisor.rulebase.base import load
from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.probe.fake import Fake, Shared
from tests.probe.test_answers import doors, lone
from tests.probe.test_questions import asked, serving

DENIED = "mount.nfs: access denied by server while mounting nas:/srv"
TIMED_OUT = "mount.nfs: Connection timed out"
REFUSED = "mount.nfs: Connection refused"
FOUND = Attributes("directory", "1777", "0", "0")
CASES: dict[str, tuple[str, Fake, str]] = {
    "others": (DENIED, Fake({"/srv": Shared(("192.0.2.0/24",), "NOENT")}), "export-other-clients"),
    "nothing": (DENIED, Fake({"/data": Shared()}), "path-not-exported"),
    "Kerberos": (DENIED, Fake({"/srv": Shared(status="WRONGSEC", flavours=("krb5",))}), "security-flavour-differs"),
    "root": ("mount.nfs: mounting nas:/export/srv failed, reason given by server: No such file or directory",
             Fake({"/srv": Shared()}), "v4-root-path"),
    "read-only": ("touch: cannot touch '/mnt/nas/x': Read-only file system\nnas:/srv is mounted there",
                  Fake({"/srv": Shared(mode=0o1777, rights="ro")}), "export-read-only"),
    "of root": ("touch: cannot touch '/mnt/nas/x': Permission denied\nnas:/srv is mounted there, rw",
                Fake({"/srv": Shared(mode=0o755, rights="ro")}), "directory-not-writable"),
    "another domain": ("All files on nas:/srv belong to nobody since I use NFSv4.",
                       Fake({"/srv": Shared(owner="root@other.example")}), "idmap-domain-differs"),
    "NFSv3 only": ("mount.nfs: Protocol not supported", Fake({"/srv": Shared()}, nfs_versions=(3,)), "server-v3-only"),
}


def confirmed(text: str, probed: Probed | None) -> tuple[list[str], list[str]]:
    """The causes that are confirmed, and those that stay possible."""
    base = load()
    evidence = base.ready(Reader).read(text)
    if probed:
        evidence.read += [StatedFact(name, value, 0) for name, value in known(base, probed).items()
                          if not name.startswith("mount.")]
    diagnosis = Diagnosis(base, evidence)
    return ([each.cause.id for each in diagnosis.confirmed()], [each.cause.id for each in diagnosis.possible()])


@pytest.mark.parametrize("name", CASES)
def test_several_that_are_possible_become_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text, fake, cause = CASES[name]
    export = "/export/srv" if name == "root" else "/srv"
    with serving(monkeypatch, fake):
        probed = asked(fake, export)
    before, after = confirmed(text, None), confirmed(text, probed)
    assert before[0] == []
    assert len(before[1]) > 1
    assert after[0] == [cause]


@pytest.mark.parametrize(("text", "probed", "cause"), [
    (TIMED_OUT, lone(doors=doors("dropped", "open")), "server-firewall"),
    (REFUSED, lone(doors=doors("refused", "open"), rpcbind=4), "nfsd-not-running"),
])
def test_a_connection_decides(text: str, probed: Probed, cause: str) -> None:
    assert cause in confirmed(text, probed)[0] or cause not in confirmed(text, None)[1]
    assert len(confirmed(text, probed)[1]) < len(confirmed(text, None)[1])


def test_what_is_well_is_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake({"/srv": Shared(mode=0o1777)})
    with serving(monkeypatch, fake):
        probed = asked(fake, "/srv")
    before, after = confirmed(DENIED, None)[1], confirmed(DENIED, probed)[1]
    gone = {*before} - {*after}
    assert {"path-not-exported", "export-other-clients", "exports-not-loaded", "security-flavour-differs"} <= gone
    assert after, "what is not about the lookup stays possible"


def test_what_no_client_sees_is_not_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that is mounted below an export and not exported looks like an empty directory of it."""
    text = "On the client all directories below the mount of nas:/srv are empty, on the server they are full."
    fake = Fake({"/srv": Shared()})
    with serving(monkeypatch, fake):
        probed = asked(fake, "/srv")
    assert known(load(), probed)["probe.below"] is False
    assert "export.has_mounts_below" not in known(load(), probed)
    assert "submount-not-exported" in confirmed(text, probed)[1]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    fake = Fake({"/srv": Shared(("192.0.2.0/24",), "NOENT")}, scope="nas_NFS", minors=(0, 1))
    with serving(monkeypatch, fake):
        probed = asked(fake, "/srv")._replace(server="nas", at="2999-01-01T00:00:00Z")
    (tmp_path / "nas.json").write_text(json.dumps(probed_data(probed)))
    return str(tmp_path / "nas.json")


def test_diagnose_takes_a_probe(advisor: Any, written: str) -> None:
    ran = advisor("diagnose", DENIED, "--from-probe", written, "--output-format", "json")
    assert next(each["status"] for each in json.loads(ran.out)["causes"]) == "confirmed"
    other = advisor("diagnose", DENIED.replace("nas:", "filer:"), "--from-probe", written)
    assert "--from-probe is about nas, and the text names filer" in other.err


def test_a_sitting_offers_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, where it decides, and only where somebody can ask."""
    fake = Fake({"/srv": Shared(("192.0.2.0/24",), "NOENT")})
    diagnosis = Diagnosis(load(), DENIED)
    step = diagnosis.step()
    assert step is not None
    assert ASK not in [value for value, _ in step.choices], "nobody is there to ask"
    diagnosis.ask_server = lambda _, path: proved(load(), asked(fake, path))
    step = diagnosis.step()
    assert step is not None
    assert dict(step.choices)[ASK] == "Ask nas over the network now (advisor probe nas:/srv); nothing is mounted"
    with serving(monkeypatch, fake):
        diagnosis.choose(step, ASK)
    assert [each.cause.id for each in diagnosis.confirmed()] == ["export-other-clients"]
    following = diagnosis.step()
    assert following is None or ASK not in [value for value, _ in following.choices]


def test_asking_needs_a_name_alone() -> None:
    assert ask(load(), "no-such-host.invalid", "/srv")["probe.nfs"] == "unresolved"


def test_diagnose_proposes_it_where_it_decides(advisor: Any, written: str) -> None:
    assert "advisor probe nas:/srv, which decides" in " ".join(advisor("diagnose", DENIED).out.split())
    assert "advisor probe SERVER:/PATH" in advisor("diagnose", TIMED_OUT).out
    assert "advisor probe" not in advisor("diagnose", DENIED, "--from-probe", written).out
    assert "advisor probe" not in advisor("diagnose", "mount.nfs: an incorrect mount option was specified for /mnt").out
    hostile = "mount.nfs: access denied by server while mounting nas:/srv;reboot"
    assert "reboot confirms" not in " ".join(advisor("diagnose", hostile).out.split())


def test_recommend_takes_its_facts(advisor: Any, written: str) -> None:
    told = json.loads(advisor("recommend", "--from-probe", written, "--output-format", "json").out)
    alone = json.loads(advisor("recommend", "--output-format", "json").out)
    assert told != alone
    assert "observed 2999-01-01 by advisor probe nas:/srv" in json.dumps(told)


def test_recommend_takes_small_sizes(advisor: Any, tmp_path: Path) -> None:
    """What is offered bounds what a mount gets."""
    found = FOUND._replace(maxread=65536, maxwrite=131072)
    steps = (PathStep("/", "OK"), PathStep("srv", "OK"))
    probed = lone(steps=steps, attributes=found)._replace(at="2999-01-01T00:00:00Z")
    (tmp_path / "small.json").write_text(json.dumps(probed_data(probed)))
    ran = advisor("recommend", "--from-probe", str(tmp_path / "small.json"), "--set", "storage.platform=knfsd")
    assert ran.code == 0, ran.err
    facts = " ".join(ran.out.split())
    assert "mount.rsize: <=65536" in facts
    assert "mount.wsize: <=131072" in facts


def test_facts_of_one_server_are_not_those_of_another(advisor: Any, written: str, tmp_path: Path) -> None:
    """NLM and versions of nas hold for its mounts alone."""
    (tmp_path / "fstab").write_text("nas:/srv /a nfs vers=4.2 0 0\nfiler:/srv /b nfs vers=4.2 0 0\n")
    with_ = advisor("lint", str(tmp_path / "fstab"), "--from-probe", written, "--output-format", "json")
    assert with_.code in (0, 1), with_.err
    assert with_.err == ""


@pytest.mark.parametrize(("export", "finds"), [("/srv", 1), ("/other", 0)])
def test_check_compares_it_with_the_files_of_both_sides(
    advisor: Any, written: str, tmp_path: Path, export: str, finds: int
) -> None:
    for name, path, text in (("nas", "exports", f"{export} *(rw,insecure)\n"),
                             ("web", "fstab", f"nas:{export} /a nfs hard 0 0\n")):
        (tmp_path / name / "etc").mkdir(parents=True)
        (tmp_path / name / "etc" / path).write_text(text)
    ran = advisor("check", "--server", f"nas={tmp_path}/nas", "--client", str(tmp_path / "web"),
                  "--from-probe", written, "--output-format", "json")
    found = [each["message"] for each in json.loads(ran.out)["findings"] if each["rule"] == "asked-otherwise"]
    says = "by its files nas admits this mount; asked on 2999-01-01, it refused it: the server does not export the " \
        "path to this host"
    assert found == [says] * finds


LINES = {
    "version-off-when-asked": ("nas:/srv /a nfs vers=4.2,hard 0 0", "nas:/srv /a nfs vers=4.1,hard 0 0"),
    "flavour-refused-when-asked": ("nas:/srv /a nfs sec=krb5:krb5i,hard 0 0", "nas:/srv /a nfs sec=krb5:sys,hard 0 0"),
    "read-only-when-asked": ("nas:/srv /a nfs vers=4.1,hard 0 0", "nas:/srv /a nfs vers=4.1,ro,hard 0 0"),
    "rsize-above-asked": ("nas:/srv /a nfs rsize=1048576,ro 0 0", "nas:/srv /a nfs rsize=131072,ro 0 0"),
}


@pytest.mark.parametrize("rule", LINES)
def test_a_mount_is_compared_with_what_its_server_answered(
    monkeypatch: pytest.MonkeyPatch, advisor: Any, tmp_path: Path, rule: str
) -> None:
    """By a host alone, and beside the server's files; for another export as far as it is about the server."""
    fake = Fake({"/srv": Shared(mode=0o1777, rights="ro")}, minors=(0, 1))
    with serving(monkeypatch, fake):
        probed = asked(fake, "/srv")._replace(server="NAS.", at="2999-01-01T00:00:00Z")
    assert probed.attributes
    probed = probed._replace(attributes=probed.attributes._replace(maxread=131072))
    (tmp_path / "probe.json").write_text(json.dumps(probed_data(probed)))
    (tmp_path / "nas/etc").mkdir(parents=True)
    (tmp_path / "nas/etc/exports").write_text("/srv *(rw,insecure,sec=sys:krb5:krb5i)\n/other *(rw,insecure)\n")
    (tmp_path / "web/etc").mkdir(parents=True)
    for line, finds in zip(LINES[rule], (True, False)):
        elsewhere = finds and rule in ("version-off-when-asked", "rsize-above-asked")
        for source, expected in (("nas:/srv", finds), ("nas:/other", elsewhere), ("filer:/srv", False)):
            (tmp_path / "web/etc/fstab").write_text(f"{line.replace('nas:/srv', source)}\n")
            both = ["--server", f"nas={tmp_path}/nas", "--client", f"{tmp_path}/web"]
            for words in (["--root", f"{tmp_path}/web"], both):
                ran = advisor("check", *words, "--from-probe", str(tmp_path / "probe.json"), "--output-format", "json")
                found = [each["rule"] for each in json.loads(ran.out)["findings"]]
                assert (rule in found) is expected, (line, source, words, found)


@pytest.fixture
def clients(advisor: Any, written: str, tmp_path: Path) -> list[str]:
    """Bundles of three clients, of which two were refused nas:/srv and one found it."""
    bundles = []
    for name in ("web1", "web2", "web3"):
        (tmp_path / name / "etc").mkdir(parents=True)
        (tmp_path / name / "etc/hostname").write_text(name)
        (tmp_path / name / "etc/fstab").write_text("nas:/srv /a nfs hard 0 0\n")
        answer = json.loads(Path(written).read_text())
        if name == "web3":
            answer["steps"][-1]["status"] = "OK"
        (tmp_path / f"{name}.probe").write_text(json.dumps(answer))
        bundles.append(str(tmp_path / f"{name}.json"))
        ran = advisor("facts", "--root", str(tmp_path / name), "--bundle", bundles[-1], "--from-probe",
                      str(tmp_path / f"{name}.probe"))
        assert ran.code == 0, ran.err
    return bundles


def test_a_bundle_holds_it(advisor: Any, clients: list[str], tmp_path: Path) -> None:
    def found(*words: str) -> list[tuple[str, str]]:
        ran = advisor("check", *words, "--output-format", "json")
        return [(each["rule"], each["message"]) for each in json.loads(ran.out)["findings"]]

    refused = ("refused-when-asked", "nas:/srv was refused to this host on 2999-01-01: the server does not export the "
               "path to this host")
    assert found("--root", clients[0]) == [refused]
    assert found("--root", clients[2]) == []
    kept = tmp_path / "web2/var/lib/nfs-advisor/probes"
    kept.mkdir(parents=True)
    (kept / "nas.json").write_text((tmp_path / "web2.probe").read_text())
    assert found("--root", str(tmp_path / "web2")) == [refused]
    answers = f"{ANSWERS}/nas.json"
    for source, at in (("nas:/srv/", "/etc/fstab"), ("nas:/other", answers), ("filer:/srv", answers)):
        (tmp_path / "web2/etc/fstab").write_text(f"{source} /a nfs hard 0 0\n")
        ran = advisor("check", "--root", str(tmp_path / "web2"), "--output-format", "json")
        files = [each["file"] for each in json.loads(ran.out)["findings"] if each["rule"] == "refused-when-asked"]
        assert files == [at], "at the mount, or else at the file with the answers"
    (tmp_path / "web2/etc/fstab").write_text("nas:/srv /a nfs hard 0 0\n")
    (kept / "nas.json").write_text("{}")
    assert "nas.json" in advisor("check", "--root", str(tmp_path / "web2")).out
    (tmp_path / "nas/etc").mkdir(parents=True)
    (tmp_path / "nas/etc/exports").write_text("/srv *(rw,insecure)\n")
    both = found("--server", f"nas={tmp_path}/nas", "--client", *clients)
    assert [rule for rule, _ in both if rule == "asked-otherwise"] == ["asked-otherwise"] * 2


def test_a_fleet_tells_who_is_refused_where(advisor: Any, clients: list[str]) -> None:
    lines = advisor("fleet", "report", *clients, "--output-format", "jsonl").out.splitlines()
    rows = [json.loads(line) for line in lines]
    assert len([row for row in rows if row["kind"] == "class"]) == 1, "the answers make no classes"
    told = [row for row in rows if row.get("rule") == "refused-when-asked"]
    assert [(row["about"], row["hosts"]) for row in told] == [("nas:/srv", ["web1", "web2"])]
    assert "was refused to 2 of the 3 hosts that asked" in told[0]["message"]


@pytest.mark.parametrize(("low_port", "status", "reply"), [
    (True, "PERM", "refused"), (False, "PERM", None), (False, "NOENT", "refused"), (True, "WRONGSEC", None),
    (False, "ACCES", None), (False, "OK", "admitted"),
])
def test_what_a_mount_would_hear(low_port: bool, status: str, reply: str | None) -> None:
    """Not what a user hears from a high port, nor what another flavour would."""
    base = load()
    probed = lone(steps=(PathStep("/", "OK"), PathStep("srv", status)))._replace(low_port=low_port)
    assert known(base, probed).get("probe.reply") == reply


def test_an_old_probe_is_not_used(advisor: Any, written: str) -> None:
    text = Path(written).read_text().replace("2999-01-01", "2020-01-01")
    Path(written).write_text(text)
    assert "observed too long ago" in advisor("recommend", "--from-probe", written).err
    assert advisor("recommend", "--from-probe", written, "--expired").err == ""


@pytest.mark.parametrize("text", ["{}", "[]", '{"schema": "advisor-probe/1"}', "no", ""])
def test_a_file_that_is_no_probe_is_refused(advisor: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    ran = advisor("recommend", "--from-probe", str(tmp_path / "x.json"))
    assert ran.code == 2
    assert ran.err.startswith(f"advisor: --from-probe {tmp_path}/x.json: not what advisor probe --write-to wrote: ")
    assert ran.err.count("x.json") == 1
    kept = tmp_path / "root/var/lib/nfs-advisor/probes"
    kept.mkdir(parents=True)
    (kept / "x.json").write_text(text)
    assert advisor("check", "--root", str(tmp_path / "root")).out.count("x.json") == 1
