"""What the machine boots: a kernel, and an archive of tools, libraries and modules from packages."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import lzma
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.packages import TOOLS, Missing, cache, download, kernel_package, members, with_libraries

_LIBRARIES = re.compile(r"(usr/)?lib(64)?/(x86_64-linux-gnu/)?(lib|ld-)[^/]+\.so[^/]*")
_PASSWD = "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nstatd:x:107:65534::/:/bin/false\n" \
    "_rpc:x:108:65534::/:/bin/false\n"
_SWITCH = "".join(f"{name}: files\n" for name in ("passwd", "group", "hosts", "services", "rpc", "protocols"))


class Recipe(NamedTuple):
    """What goes in: packages, which of their files, the kernel's modules, and links that packages leave to an installer
    (path → where it points). Libraries come along."""

    name: str
    packages: tuple[str, ...]
    files: re.Pattern[str]
    modules: re.Pattern[str]
    links: dict[str, str]


def modules(*paths: str) -> re.Pattern[str]:
    """The modules of the NFS client and server and below further paths ("fs/ext4", "drivers/net/veth")."""
    nfs = ("fs/(nfs|nfsd|lockd|nfs_common|netfs|fscache)", "net/(sunrpc|dns_resolver)")
    return re.compile(
        r"(usr/)?lib/modules/[^/]+/(modules\.(builtin|order)"
        rf"|kernel/({'|'.join((*nfs, *paths))})\b(?!.*rdma|.*/blocklayout).*\.ko(\.xz)?)"
    )


ALONE = Recipe(
    "alone", TOOLS, re.compile(r"(usr/)?(s?bin|libexec)/[^/]+|etc/(netconfig|protocols|rpc|services)"), modules(), {}
)
"""A client and a server on one machine."""


class Image(NamedTuple):
    """`kernel` and `archive` for qemu; `release` as uname gives it."""

    kernel: Path
    archive: Path
    release: str


def image(kernel: str, recipe: Recipe = ALONE) -> Image:
    """The image of a kernel ("6.12"), from the cache, or built. Raises Missing."""
    made_of = [Path(__file__).with_name(name).read_bytes() for name in ("cpio.py", "image.py", "packages.py")]
    asked = (recipe.packages, recipe.files.pattern, recipe.modules.pattern, recipe.links)
    stamp = hashlib.sha256(b"".join([*made_of, repr(asked).encode()])).hexdigest()[:12]
    folder = cache() / f"{recipe.name}-{kernel}-{stamp}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Missing(f"no folder to build in: {error}") from None
    with (cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests of several kernels build at the same time, from the same files
        if not folder.exists():
            _build(kernel, recipe, folder)
    release = (folder / "release").read_text()
    return Image(folder / "vmlinux", folder / "archive", release)


def _build(kernel: str, recipe: Recipe, folder: Path) -> None:
    package = kernel_package(kernel)
    tools = download(with_libraries(recipe.packages))
    linux = download([package])[0]
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    archive = Archive()
    archive.terminal("dev/console", 5, 1)
    archive.link("usr", ".")  # packages differ on whether a file is below /usr
    for path, to in recipe.links.items():
        archive.link(path, to)
    for deb in tools:
        for path, mode, data in members(
            deb, lambda path: bool(recipe.files.fullmatch(path) or _LIBRARIES.fullmatch(path))
        ):
            _put(archive, path, mode, data)
    for path, mode, data in members(linux, lambda path: bool(recipe.modules.fullmatch(path) or "vmlinuz" in path)):
        if "vmlinuz" not in path:
            _put(archive, path, mode, data)
        elif isinstance(data, bytes):
            (fresh / "vmlinux").write_bytes(unpacked(data))
            (fresh / "release").write_text(path.partition("vmlinuz-")[2])
    archive.file("etc/passwd", _PASSWD)
    archive.file("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    archive.file("etc/hosts", "127.0.0.1 localhost vm\n")
    archive.file("etc/nsswitch.conf", _SWITCH)
    (fresh / "archive").write_bytes(archive.packed())
    if not (fresh / "release").exists():
        raise Missing(f"{package} holds no kernel")
    for old in folder.parent.glob(f"{recipe.name}-{kernel}-*[0-9a-f]"):
        shutil.rmtree(old)  # built by other versions of these files
    fresh.rename(folder)


def _put(archive: Archive, path: str, mode: int, data: bytes | str) -> None:
    path = path.removeprefix("usr/")
    if isinstance(data, str):
        archive.link(path, data)
    else:
        archive.file(path, data, mode & 0o777)


def unpacked(packed: bytes) -> bytes:
    """The kernel inside a bzImage. Unpacking it here is quick; emulated, it would take longer than the rest of the
    boot. The offsets are those of the kernel's boot protocol; one that cannot be unpacked is booted as it is."""
    start = (packed[0x1F1] + 1) * 512 + int.from_bytes(packed[0x248:0x24C], "little")
    inner = packed[start:start + int.from_bytes(packed[0x24C:0x250], "little")]
    if inner.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor().decompress(inner)
    if inner.startswith(b"\x1f\x8b"):
        return gzip.decompress(inner[:-4])
    if inner.startswith(b"\x28\xb5\x2f\xfd") and shutil.which("zstd"):
        # Four bytes with the size stand at the end; zstd complains of them after it has written everything.
        got = subprocess.run(["zstd", "-dcq"], input=inner[:-4], capture_output=True, check=False).stdout
        return got or packed
    return packed
