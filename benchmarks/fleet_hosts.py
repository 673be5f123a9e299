"""A made-up fleet: bundles of hosts of some hundred classes, large and small as in life (Zipf), each host with a name,
addresses, identifiers, counters and memory of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import accumulate, product

from advisor.check.check_host import record
from advisor.host.tree import FilesInMemory, Link, Tree
from advisor.pages.host import bundle
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase

SYSTEMS = (
    ("rhel", "8.10", "4.18.0-553.16.1.el8_10.x86_64", "nfs-utils-2.3.3-59.el8.x86_64"),
    ("rhel", "9.5", "5.14.0-503.14.1.el9_5.x86_64", "nfs-utils-2.5.4-26.el9.x86_64"),
    ("rhel", "9.6", "5.14.0-570.12.1.el9_6.x86_64", "nfs-utils-2.5.4-34.el9.x86_64"),
    ("ubuntu", "22.04", "5.15.0-112-generic", "1:2.6.1-1ubuntu1.2"),
    ("ubuntu", "24.04", "6.8.0-49-generic", "1:2.6.4-3ubuntu5.1"),
    ("debian", "12", "6.1.0-28-amd64", "1:2.6.2-4+deb12u1"),
)
OPTIONS = (
    "vers=4.2,hard,nconnect=8", "vers=4.2,hard", "vers=3,hard,proto=tcp", "vers=4.1,soft,timeo=50,retrans=2",
    "vers=4.1,hard,noresvport", "vers=3,soft,nolock", "vers=4.2,hard,sec=krb5p",
)
SYSCTLS = ("", "net.core.rmem_max = 16777216\n", "sunrpc.tcp_slot_table_entries = 128\n", "vm.dirty_ratio = 5\n")
READ_AHEAD = ("128", "15360")
EXPORTS = ("home", "scratch", "data")
_UUID = "5a1c0de0-0000-4000-8000-{number:012x}"


def hosts(number: int, classes: int = 400, seed: int = 7) -> Iterator[str]:
    """Bundles, each a line with its end; the same for the same arguments."""
    chosen = random.Random(seed)
    kinds = [*product(SYSTEMS, OPTIONS, SYSCTLS, READ_AHEAD, (1, 2, 3))]
    chosen.shuffle(kinds)
    base = load()
    made = [_template(base, kind) for kind in kinds[:classes]]
    weights = [*accumulate(1 / rank for rank in range(1, len(made) + 1))]
    for one in range(number):
        yield _host(chosen.choices(made, cum_weights=weights)[0], one, chosen)


def _template(base: RuleBase, kind: tuple[tuple[str, str, str, str], str, str, str, int]) -> str:
    (distro, release, kernel, package), options, sysctl, ahead, mounts = kind
    exports = EXPORTS[:mounts]
    fstab = "".join(f"filer:/export/{name} /{name} nfs {options} 0 0\n" for name in exports)
    now = "rw,{},rsize=1048576,wsize=1048576,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=@ADDRESS@,addr=10.9.0.1"
    lines = "".join(
        f"@ID{at}@ 22 0:@DEV{at}@ / /{name} rw,relatime shared:@ID{at}@ - nfs4 filer:/export/{name} "
        f"{now.format(options)}\n"
        for at, name in enumerate(exports)
    )
    files = {
        "/etc/os-release": f'ID={distro}\nVERSION_ID="{release}"\n', "/etc/hostname": "@HOST@\n",
        "/proc/sys/kernel/hostname": "@HOST@\n", "/proc/sys/kernel/osrelease": f"{kernel}\n",
        "/proc/version": f"Linux version {kernel} (build@host) (gcc 12) #1 SMP PREEMPT_DYNAMIC\n",
        "/proc/1/comm": "systemd\n", "/run/systemd/system/x.conf": "\n",
        "/proc/meminfo": "MemTotal:       @MEMORY@ kB\nMemFree:        @FREE@ kB\nCached: @FREE@ kB\n",
        "/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme sse2\ncpu MHz : @FREE@\n",
        "/proc/self/mountinfo": (
            "22 1 8:1 / / rw,relatime shared:1 - xfs /dev/mapper/root rw\n23 22 0:21 / /proc rw - proc proc rw\n"
            "24 22 0:@DEV9@ / /run rw - tmpfs tmpfs rw,size=@FREE@k\n" + lines
        ),
        **{f"/sys/class/bdi/0:@DEV{at}@/read_ahead_kb": f"{ahead}\n" for at in range(mounts)},
        "/etc/fstab": f"UUID=@UUID@ / xfs defaults 0 0\n{fstab}", "/etc/sysctl.d/90-site.conf": sysctl or "# none\n",
        "/proc/net/route": (
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
            "eth0\t00000000\t0100000A\t0003\t0\t@USE@\t100\t00000000\t0\t0\t0\n"
        ),
        "/sys/class/net/eth0/speed": "25000\n", "/sys/class/net/eth0/mtu": "9000\n",
        "/proc/net/fib_trie": "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- @ADDRESS@\n        /32 host LOCAL\n",
        "/etc/hosts": "127.0.0.1 localhost\n@ADDRESS@ @HOST@.example.com @HOST@\n",
        "/etc/modprobe.d/nfs.conf": "options nfs nfs4_unique_id=@UUID@\n",
        **{f"/proc/sys/{name}": f"{value}\n" for name, value in _KERNEL.items()},
        **{f"/usr/lib/udev/rules.d/{at}-own.rules": f'ACTION=="add", ENV{{N}}="{at}"\n' for at in range(40, 80)},
    }
    if distro == "rhel":
        files["/installed-rpms"] = f"{package}   Thu Jan  1 00:00:00 2026\n"
    else:
        files["/var/lib/dpkg/status"] = f"Package: nfs-common\nStatus: install ok installed\nVersion: {package}\n"
    entries = {path: text.encode() for path, text in files.items()}
    tree = Tree("/copy", False, (), FilesInMemory({**entries, "/usr/lib/os-release": Link("/etc/os-release")}))
    found = record(base, tree)
    return bundle(found, "@MADE@", "0.1.0", "", False).line


_KERNEL = {
    "net/core/rmem_max": 212992, "net/core/wmem_max": 212992, "net/core/somaxconn": 4096, "vm/dirty_ratio": 20,
    "net/ipv4/tcp_rmem": "4096 131072 6291456", "net/ipv4/tcp_wmem": "4096 16384 4194304", "vm/dirty_bytes": 0,
    "sunrpc/tcp_slot_table_entries": 2, "sunrpc/tcp_max_slot_table_entries": 65536, "vm/swappiness": 60,
}


def _host(template: str, number: int, chosen: random.Random) -> str:
    free = chosen.randrange(100_000, 60_000_000)
    words = {
        "HOST": f"node{number:06}", "ADDRESS": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "UUID": _UUID.format(number=number), "MEMORY": str(65_679_312 - chosen.randrange(0, 4000)), "FREE": str(free),
        "USE": str(free % 1000), "MADE": f"2026-01-{1 + number % 28:02}T06:00:00Z",
    }
    first = chosen.randrange(40, 90)
    words |= {f"DEV{at}": str(first + at) for at in range(10)} | {f"ID{at}": str(2 * first + at) for at in range(3)}
    for name, value in words.items():
        template = template.replace(f"@{name}@", value)
    return template


def check(line: str) -> None:
    """Raises ValueError if a bundle still has a mark of its template."""
    if "@" in json.loads(line)["host"]:
        raise ValueError(line[:200])
