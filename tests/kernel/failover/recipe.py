"""What the machine of the pair consists of: the tools of a Debian cluster node, and ClusterLabs' resource agents."""

from __future__ import annotations

import re

from tests.kernel.vm.image import Recipe, modules
from tests.kernel.vm.packages import TOOLS

_PACKAGES = (
    *TOOLS, "bash", "coreutils", "dash", "debianutils", "e2fsprogs", "findutils", "gawk", "grep", "hostname",
    "corosync", "iproute2", "libpython3.11-stdlib", "pacemaker", "pacemaker-cli-utils", "pacemaker-common", "psmisc",
    "python3.11-minimal", "resource-agents", "sed", "sqlite3", "util-linux", "zlib1g",
)
_FILES = re.compile(
    r"(usr/)?(s?bin|libexec)/.+|etc/(netconfig|protocols|rpc|services)|usr/lib/ocf/.+|usr/(lib|share)/pacemaker/.+"
    r"|usr/lib/python3\.11/((?!lib-dynload|test|pydoc|distutils|lib2to3|ensurepip|idlelib).+"
    r"|lib-dynload/(_bisect|_json|_random|array|fcntl|math|select|_signal)\..+)"
)

PAIR = Recipe(
    "pair", _PACKAGES, _FILES,
    modules(
        "drivers/net/veth", "drivers/block/brd", "drivers/dax", "net/bridge/bridge", "net/802/stp", "net/llc/llc",
        "fs/(ext4|jbd2|mbcache)", "crypto/crc32c_generic", "lib/(crc16|libcrc32c)",
    ),
    {"bin/awk": "gawk", "bin/python3": "python3.11", "bin/sh": "dash", "bin/which": "which.debianutils"},
)
