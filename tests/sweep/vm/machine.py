"""The machine: Debian's fio, Python and tools, and this program with its compiled rule base."""

from __future__ import annotations

import re
from pathlib import Path

import ruamel.yaml

import advisor
from advisor.rulebase.base import compiled
from tests.kernel.failover import recipe as failover
from tests.kernel.vm.boot import run
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import Image, Recipe, modules

_PACKAGE = Path(advisor.__file__).parent
_HERE = Path(__file__).parent
_PROGRAMS = ("init", "scene", "hold.py")
_MINUTES = 8
_PACKAGES = (
    "bash", "busybox-static", "coreutils", "dash", "fio", "gawk", "grep", "hostname", "iproute2", "kmod",
    "libpython3.11-stdlib", "mount", "netbase", "nfs-common", "nfs-kernel-server", "procps", "python3.11-minimal",
    "rpcbind", "sed", "util-linux", "zlib1g",
)
_COMPILED = "_bisect|_ctypes|_datetime|_hashlib|_posixsubprocess|_socket|_struct|"
_FILES = re.compile(
    failover.PAIR.files.pattern.replace("_bisect|", _COMPILED) + "|(usr/)?lib/x86_64-linux-gnu/ceph/libceph-common.+"
)
_MODULES = ("drivers/net/(veth|ipvlan/ipvlan|macvlan)", "net/bridge/bridge", "net/802/stp", "net/llc/llc", "net/l3mdev")

SWEEP = Recipe(
    "sweep", _PACKAGES, _FILES, modules(*_MODULES), {"bin/awk": "gawk", "bin/python3": "python3.11", "bin/sh": "dash"}
)
"""A Debian with a server, a client, fio and Python."""



def told(image: Image, steps: str, plans: dict[str, str], minutes: int = _MINUTES) -> str:
    """What the machine said. `steps`: bash, after the functions of `scene`; `plans`: name → text, in /plans."""
    archive = Archive()
    for name in _PROGRAMS:
        archive.file(name, (_HERE / name).read_bytes(), 0o755)
    archive.file("steps", steps)
    for name, text in plans.items():
        archive.file(f"plans/{name}", text)
    for package, name in ((_PACKAGE, "advisor"), (Path(ruamel.yaml.__file__).parent, "ruamel/yaml")):
        for path in package.rglob("*.py"):
            archive.file(f"program/{name}/{path.relative_to(package)}", path.read_bytes())
    archive.file("program/advisor/_base.jsonl", compiled(str(_PACKAGE.parent)))
    archive.file("bin/advisor", "#!/bin/sh\nPYTHONPATH=/program exec python3 -m advisor \"$@\"\n", 0o755)
    return run(image, archive, limit=60 * minutes)
