"""Hosts of one class are judged alike, and what makes a host this one and no other makes no class of its own."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from advisor.fleet.fingerprint import HOST, Anonymizer, deserialize, digest, replace_name, serialize
from advisor.fleet.judge import JudgedClass, Knowledge, judge
from advisor.host.bundle import Bundle, read
from advisor.lint.finding import Finding
from tests.each import each
from tests.fleet.test_bundle import BASE, HOSTS, bundle_of
from tests.host import trees
from tests.tiers import examples, some

without_identity = Anonymizer(BASE).without_identity


def class_text(host: Bundle) -> str:
    return serialize(without_identity(host))


def made(files: dict[str, str]) -> Bundle:
    return read(bundle_of(files), "x.json")


def told(judged: JudgedClass) -> list[object]:
    """All that is judged. Where in the list of mounts something stands is the host's own, since lines move in it."""
    def key(one: Finding) -> tuple[object, ...]:
        line = 0 if one.file == "/proc/self/mountinfo" else one.line
        return one.rule, one.severity, one.consequence, one.tunable, str(one.value), str(one.expected), one.file, line

    return [judged.failed, judged.facts, Counter(map(key, judged.findings)), Counter(judged.mounts)]


@pytest.mark.parametrize("name", some(HOSTS, 8))
def test_a_host_without_identity_is_judged_as_it_was_with_it(name: str) -> None:
    whole = made(HOSTS[name])
    without = without_identity(whole)
    assert deserialize(serialize(without)) == without
    assert told(judge("", serialize(without), Knowledge())) == told(judge("", serialize(whole), Knowledge()))


@examples(6, 40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(HOSTS)), min_size=2, max_size=3), st.data())
def test_so_are_hosts_made_up_of_others(names: list[str], data: st.DataObject) -> None:
    files: dict[str, str] = {}
    for name in names:
        files |= HOSTS[name]
    gone = data.draw(st.sets(st.sampled_from(sorted(files)), max_size=5))
    whole = made({path: text for path, text in files.items() if path not in gone})
    assert told(judge("", class_text(whole), Knowledge())) == told(judge("", serialize(whole), Knowledge()))


@given(st.text("ab.-", min_size=1, max_size=4), st.text("ab.-: \n", max_size=30))
def test_a_name_is_found_as_a_word(name: str, text: str) -> None:
    as_word = rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"
    assert replace_name(name, text) == re.sub(as_word, HOST, text)


def node(name: str, address: str, device: int, disk: str, memory: int, *, use: int = 0) -> dict[str, str]:
    """A host of a kind of which there are many."""
    first = (
        f"{device + 5} 22 0:{device} / /b rw,relatime shared:{device} - nfs4 nas:/b rw,vers=4.2,hard,"
        f"clientaddr={address},addr=10.0.2.9\n"
    )
    second = f"{device + 7} 22 0:{device + 1} / /a rw - nfs4 nas:/a rw,vers=4.2,clientaddr={address},addr=10.0.2.9\n"
    user = f"{device + 9} 22 0:{device + 3} / /run/user/{device} rw - tmpfs tmpfs rw,size={memory}k\n"
    common = {path: text for path, text in trees.DEBIAN12.items() if path != "/proc/self/mountinfo"}
    return {
        **common, "/etc/hostname": f"{name}\n", "/proc/sys/kernel/hostname": f"{name}\n",
        "/proc/self": f"-> {device}", f"/proc/{device}/mountinfo": trees.ROOT_MOUNT + (
            first + second if use % 2 else second + user + first
        ),
        f"/sys/class/bdi/0:{device}/read_ahead_kb": "128\n", f"/sys/class/bdi/0:{device + 1}/read_ahead_kb": "15360\n",
        "/proc/meminfo": f"MemTotal:       {memory} kB\nMemFree:        {use} kB\n",
        "/etc/fstab": f"UUID={disk} / ext4 defaults 0 1\nnas:/a /a nfs vers=4.2 0 0\nnas:/b /b nfs vers=4.2 0 0\n",
        "/etc/modprobe.d/nfs.conf": f"# of {name}\noptions nfs nfs4_unique_id={name}-{disk}\n",
        "/sys/module/nfs/parameters/nfs4_unique_id": f"{name}-{disk}\n",
        "/etc/hosts": f"127.0.0.1 localhost\n{address} {name}\n",
        "/proc/net/route": trees.ROUTES.replace("0\t100", f"{use}\t100"),
        "/run/systemd/generator/boot.mount": f"[Mount]\nWhat=/dev/disk/by-uuid/{disk}\nWhere=/boot\nType=ext4\n",
    }


ONE = node("node-001", "10.1.0.1", 52, "11111111-2222-3333-4444-555555555555", 65_679_312)


def test_hosts_that_differ_in_identity_alone_are_one_class() -> None:
    other = node("node-417", "10.1.3.7", 61, "deadbeef-2222-3333-4444-0123456789ab", 65_675_000, use=7)
    one, two = without_identity(made(ONE)), without_identity(made(other))
    assert one.answers == two.answers
    assert digest(serialize(one)) == digest(serialize(two))
    assert "node-001" not in serialize(one)
    assert one.host == HOST


@each(lambda: [
    ("/etc/fstab", "nas:/a /a nfs vers=4.2", "nas:/a /a nfs vers=4.1"),
    ("/proc/52/mountinfo", "nas:/a rw,vers=4.2", "nas:/a rw,vers=4.1"),
    ("/proc/meminfo", "65679312", "32679312"),
    ("/sys/class/bdi/0:52/read_ahead_kb", "128", "256"),
    ("/proc/version", "6.1.0-48", "6.1.0-49"),
    ("/proc/net/route", "eth1\t0002000A", "eth0\t0002000A"),
    ("/etc/modprobe.d/nfs.conf", "options nfs nfs4_unique_id=", "options nfs max_session_slots=8 nfs4_unique_id="),
])
def test_what_is_judged_makes_a_class(path: str, old: str, new: str) -> None:
    assert old in ONE[path]
    other = {**ONE, path: ONE[path].replace(old, new)}
    assert digest(class_text(made(other))) != digest(class_text(made(ONE)))


def test_a_word_of_nfs_is_no_name_of_a_host() -> None:
    files = {**ONE, "/etc/hostname": "hard\n", "/proc/sys/kernel/hostname": "hard\n"}
    assert HOST not in class_text(made(files))


def test_below_an_export_every_file_system_counts() -> None:
    docker = "70 22 0:70 / /var/lib/docker/x rw - tmpfs tmpfs rw\n"
    files = {**ONE, "/proc/52/mountinfo": ONE["/proc/52/mountinfo"] + docker}
    assert digest(class_text(made(files))) == digest(class_text(made(ONE)))
    serving = {"/etc/exports": "/var *(rw)\n"}
    assert digest(class_text(made({**files, **serving}))) != digest(class_text(made({**ONE, **serving})))
