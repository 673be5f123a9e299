"""Debian packages: which are needed, where they lie, and what is in them. They are unpacked, never installed."""

from __future__ import annotations

import lzma
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

TOOLS = ("busybox-static", "kmod", "mount", "netbase", "nfs-common", "nfs-kernel-server", "procps", "rpcbind")
"""What runs in the machine. The libraries that these depend on come along."""

PROGRAMS = ("apt-cache", "apt-get", "dpkg-deb", "qemu-system-x86_64")
"""What has to be installed here. Nothing is downloaded unless qemu is."""


class Missing(Exception):
    """Something that the machine needs is not to be had; the text says what."""


def cache() -> Path:
    """The folder for everything that is downloaded or built."""
    named = os.environ.get("ADVISOR_VM_CACHE")
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(folder) / "advisor-vm"


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if not shutil.which(name)]


def kernel_package(kernel: str) -> str:
    """The newest package with a kernel of this version ("6.12")."""
    shape = re.compile(rf"linux-image-{re.escape(kernel)}\.\d[\d.-]*(\+deb\d+)?-amd64")
    names = [name for name in _run("apt-cache", "pkgnames", f"linux-image-{kernel}.").split() if shape.fullmatch(name)]
    names.sort(key=lambda name: [int(part) for part in re.findall(r"\d+", name)])
    for name in reversed(names):
        if "Candidate: (none)" not in _run("apt-cache", "policy", name):
            return name
    raise Missing(f"apt knows no Linux {kernel} (is `apt-get update` to be run, or is this not Debian 12?)")


def with_libraries(tools: tuple[str, ...]) -> list[str]:
    """Packages with all the libraries below them; other dependencies (Python, debconf …) are for installing them."""
    found, fresh = set(tools), list(tools)
    while fresh:
        told = _run("apt-cache", "depends", "--important", *fresh)
        below = set(re.findall(r"^ +\|?(?:Pre)?Depends: (lib[^ \n]+)$", told, re.MULTILINE))
        fresh = sorted(below - found)
        found |= below
    return sorted(found)


def download(names: list[str]) -> list[Path]:
    """The packages' files, from the cache where they lie there already."""
    folder = cache() / "debs"
    folder.mkdir(parents=True, exist_ok=True)
    rows = re.findall(r"^'[^']+' (\S+) (\d+) ", _run("apt-get", "--print-uris", "download", *names), re.MULTILINE)
    files = {name: folder / file for file, _ in rows for name in [file.partition("_")[0]]}
    sizes = {file: int(size) for file, size in rows}
    if set(files) != set(names):
        raise Missing(f"apt has nowhere to download {', '.join(sorted(set(names) - set(files)))} from")
    absent = [
        name for name, path in files.items() if not path.exists() or path.stat().st_size != sizes[path.name]
    ]
    if absent:
        waits = ("-o", "Acquire::http::Timeout=15", "-o", "Acquire::https::Timeout=15")
        _run("apt-get", "-q", *waits, "download", *absent, within=300, folder=folder)
    return [files[name] for name in names]


def members(deb: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, int, bytes | str]]:
    """The files of a package whose path is wanted: path, mode, and the data or, for a link, where it points."""
    command = ["dpkg-deb", "--fsys-tarfile", str(deb)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as unpack,
        tarfile.open(fileobj=unpack.stdout, mode="r|") as tar,
    ):
        for one in tar:
            path = one.name.removeprefix("./")
            if not wanted(path):
                continue
            if one.issym():
                yield path, one.mode, one.linkname
            elif one.isfile():
                stream = tar.extractfile(one)
                assert stream is not None
                data = stream.read()
                packed = path.endswith(".ko.xz")
                yield path.removesuffix(".xz") if packed else path, one.mode, (
                    lzma.decompress(data) if packed else data
                )
    if unpack.returncode:
        raise Missing(f"{deb.name} cannot be unpacked")


def _run(*command: str, within: int = 60, folder: Path | None = None) -> str:
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=within, cwd=folder, check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{command[0]}: {error}") from None
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Missing(f"{command[0]}: {last}")
    return ran.stdout
