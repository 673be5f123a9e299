"""A machine with a server of NFS and three hosts that mount from it, reached by ssh as a control node reaches hosts."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.kernel.vm.boot import Failed, command
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import Recipe, image, modules
from tests.kernel.vm.packages import TOOLS

CLIENTS = ("host1", "host2", "host3")
NAMES = ("server", *CLIENTS)
ADDRESS = "10.9.0.1"
"""Of the server, for the clients."""
_INIT = Path(__file__).with_name("hosts-init")
_WITHIN = 240
"""Seconds for a boot."""
_HOSTS = Recipe(
    "hosts",
    (*TOOLS, "bash", "coreutils", "dash", "dropbear-bin", "grep", "iproute2", "libpython3.11-stdlib",
     "python3.11-minimal", "sed", "util-linux", "zlib1g"),
    re.compile(
        r"(usr/)?(s?bin|libexec)/.+|etc/(netconfig|protocols|rpc|services)"
        r"|usr/lib/python3\.11/(?!test|pydoc|distutils|lib2to3|ensurepip|idlelib).+"
    ),
    modules("drivers/net/(veth|virtio_net|net_failover)", "drivers/virtio", "net/core/failover", "net/bridge/bridge",
            "net/802/stp", "net/llc/llc"),
    {"bin/python3": "python3.11", "bin/sh": "dash"},
)


class Reached(NamedTuple):
    """How the nodes are reached. `folder`: holds the key; `sockets`: those of ssh; `port`: of the first node."""

    folder: Path
    sockets: str
    port: int

    def inventory(self) -> str:
        settings = (
            "ansible_host=127.0.0.1 ansible_user=root ansible_become=false ansible_python_interpreter=/bin/python3 "
            f"ansible_ssh_transfer_method=piped ansible_ssh_args='{' '.join(self._options())}'"
        )
        lines = [f"{name} ansible_port={self.port + number} {settings}" for number, name in enumerate(NAMES)]
        return "\n".join(("[nfs_servers]", lines[0], "[nfs_clients]", *lines[1:], ""))

    def run(self, name: str, words: str) -> str:
        """What a command prints on one of them."""
        told = subprocess.run(
            ["ssh", *self._options(), "-p", str(self.port + NAMES.index(name)), "root@127.0.0.1", words],
            capture_output=True, text=True, timeout=60, check=False,
        )
        return told.stdout + told.stderr

    def _options(self) -> list[str]:
        return ["-i", f"{self.folder}/key", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no",
                "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "ControlMaster=auto",
                "-o", f"ControlPath={self.sockets}/%p", "-o", "ControlPersist=60"]


@contextmanager
def started(kernel: str, folder: Path) -> Iterator[Reached]:
    """The machine while it runs. `folder`: for keys and what it says. Raises Missing, Failed."""
    machine = image(kernel, _HOSTS)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/key"], check=True)
    archive = Archive()
    archive.file("init", _INIT.read_bytes(), 0o755)
    archive.file(".ssh/authorized_keys", (folder / "key.pub").read_text(), 0o600)
    archive.file("etc/os-release", "ID=debian\nVERSION_ID=12\n")
    archive.file("etc/shells", "/bin/sh\n")
    (folder / "initrd").write_bytes(machine.archive.read_bytes() + archive.packed())
    port = _free()
    forwarded = ",".join(f"hostfwd=tcp:127.0.0.1:{port + number}-:{2200 + number}" for number in range(len(NAMES)))
    with (
        tempfile.TemporaryDirectory(prefix="ssh-") as sockets,  # the path of a socket has to be short
        subprocess.Popen(command(machine, folder, f"user,model=virtio-net-pci,{forwarded}", cpus=2)) as process,
    ):
        try:
            _wait(folder, process)
            yield Reached(folder, sockets, port)
        finally:
            process.kill()


def missing() -> list[str]:
    return [name for name in ("ssh", "ssh-keygen") if not shutil.which(name)]


def _wait(folder: Path, process: subprocess.Popen[bytes]) -> None:
    data = folder / "data"
    for _ in range(_WITHIN):
        if data.exists() and "done" in data.read_text(errors="replace"):
            return
        if process.poll() is not None:
            break
        time.sleep(1)
    raise Failed((folder / "console").read_text(errors="replace")[-3000:])


def _free() -> int:
    """The first of four ports that nothing listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
