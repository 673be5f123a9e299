"""A kernel's own server of NFS in a virtual machine, and the network namespace of a client that reaches it.

Nothing but that namespace is connected to it. Needs root, for the namespace; qemu; and a second or ten for a boot."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kernel.vm.boot import Failed, command
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import Recipe, image, modules
from tests.kernel.vm.packages import TOOLS

SERVER, SERVER6, CLIENT, CLIENT6 = "10.9.0.1", "fd09::1", "10.9.0.2", "fd09::2"
_INIT = Path(__file__).with_name("machine-init")
_WITHIN = 120
_RECIPE = Recipe(
    "probed", (*TOOLS, "iproute2", "zlib1g"),
    re.compile(r"(usr/)?(s?bin|libexec)/[^/]+|etc/(netconfig|protocols|rpc|services)"),
    modules("drivers/net/(virtio_net|net_failover)", "drivers/virtio", "net/core/failover", "crypto/(cts|ecb)"), {},
)


def why_not() -> str:
    """Why no such machine can run here; "" if one can."""
    if os.geteuid() != 0:
        return "a network namespace needs root"
    if not os.access("/dev/net/tun", os.W_OK):
        return "there is no /dev/net/tun"
    return ", ".join(f"{name} is not installed" for name in ("ip", "qemu-system-x86_64") if not shutil.which(name))


class Machine:
    """`namespace`: that of the client; `run` executes a line of shell in the machine."""

    def __init__(self, namespace: str, shell: socket.socket) -> None:
        self.namespace = namespace
        self._shell = shell.makefile("rw", encoding="utf-8", newline="\n")
        self._until("@ready")

    def run(self, line: str) -> str:
        self._shell.write(line.replace("\n", "; ") + "\n")
        self._shell.flush()
        return self._until("@")

    def _until(self, mark: str) -> str:
        lines = []
        for line in self._shell:
            if line.startswith(mark):
                return "".join(lines)
            lines.append(line.replace("\r", ""))
        raise Failed("the machine went away")


@contextmanager
def started(kernel: str, folder: Path) -> Iterator[Machine]:
    """The machine while it runs. Raises Missing, Failed."""
    built = image(kernel, _RECIPE)
    archive = Archive()
    archive.file("init", _INIT.read_bytes(), 0o755)
    (folder / "initrd").write_bytes(built.archive.read_bytes() + archive.packed())
    with network(f"advisor-{kernel}-{os.getpid()}") as namespace:
        _ip("-n", namespace, "tuntap", "add", "t0", "mode", "tap")
        _ip("-n", namespace, "link", "set", "t0", "up")
        _ip("-n", namespace, "addr", "add", f"{CLIENT}/24", "dev", "t0")
        _ip("-n", namespace, "-6", "addr", "add", f"{CLIENT6}/64", "dev", "t0", "nodad")
        words = command(built, folder, "tap,ifname=t0,script=no,downscript=no,model=virtio-net-pci")
        words += ["-serial", f"unix:{folder}/shell,server=on,wait=off"]
        with subprocess.Popen(["ip", "netns", "exec", namespace, *words]) as process, socket.socket(
            socket.AF_UNIX
        ) as shell:
            try:
                _connect(shell, f"{folder}/shell", process)
                shell.settimeout(_WITHIN)
                yield Machine(namespace, shell)
            finally:
                process.kill()


@contextmanager
def network(name: str) -> Iterator[str]:
    """A network namespace with nothing but its loopback."""
    _ip("netns", "add", name)
    try:
        _ip("-n", name, "link", "set", "lo", "up")
        yield name
    finally:
        _ip("netns", "del", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _connect(shell: socket.socket, path: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _WITHIN
    while time.monotonic() < end and process.poll() is None:
        try:
            shell.connect(path)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Failed("qemu did not start")
