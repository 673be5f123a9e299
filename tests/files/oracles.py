"""The real programs, asked how they read an fstab: findmnt (libmount) and getmntent(3) of the C library."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from advisor.files.fstab import Columns
from tests import needs

COLUMNS = ("SOURCE", "TARGET", "FSTYPE", "OPTIONS", "FREQ", "PASSNO")
_PAIR = re.compile(rb'([A-Z]+)="([^"]*)"')
_HEX = re.compile(rb"\\x([0-9a-f]{2})")


def shared() -> Path:
    """The folder of material for tests that is not part of the project, or a skip."""
    if not (needs.OTHERS / "corpus").is_dir():
        pytest.skip(needs.SHARED)
    return needs.OTHERS


@contextmanager
def _file(data: bytes) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(prefix="advisor-", suffix=".fstab") as file:
        file.write(data)
        file.flush()
        yield file.name


def findmnt_version() -> str | None:
    """The version of libmount that findmnt uses, or None without findmnt."""
    if shutil.which("findmnt") is None:
        return None
    out = subprocess.run(["findmnt", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"util-linux (\d+\.\d+)", out)
    return found[1] if found else None


def findmnt(data: bytes) -> tuple[list[Columns], set[int]]:
    """The entries that libmount takes from a file, in order, and the lines that it reports as parse errors.

    findmnt prints targets without their trailing slashes, and an absent option field as an empty one.
    """
    with _file(data) as name:
        command = ["findmnt", "--fstab", "--tab-file", name, "--pairs", "--notruncate", "--output", ",".join(COLUMNS)]
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
    views = []
    for line in done.stdout.splitlines():
        pairs = {key.decode(): _text(value) for key, value in _PAIR.findall(line)}
        source, target, fstype, options = (pairs[name] for name in COLUMNS[:4])
        views.append(Columns(source, target, fstype, options, int(pairs["FREQ"]), int(pairs["PASSNO"])))
    return views, {int(number) for number in re.findall(rb"parse error at line (\d+)", done.stderr)}


def _text(value: bytes) -> str:
    return _HEX.sub(lambda found: bytes((int(found[1], 16),)), value).decode("utf-8", "surrogateescape")


class _Mntent(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_char_p) for name in ("fsname", "dir", "type", "opts")),
        *((name, ctypes.c_int) for name in ("freq", "passno")),
    ]


def glibc_version() -> str | None:
    """The version of glibc that this process runs on, or None on another C library."""
    try:
        version = ctypes.CDLL(None).gnu_get_libc_version
    except (AttributeError, OSError):
        return None
    version.restype = ctypes.c_char_p
    return str(version().decode())


def getmntent(data: bytes) -> list[Columns]:
    """What getmntent_r(3) returns for a file, call by call. The structure is cleared before each call."""
    libc = ctypes.CDLL(None)
    libc.setmntent.restype = ctypes.c_void_p
    libc.getmntent_r.restype = ctypes.c_void_p
    libc.getmntent_r.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    libc.endmntent.argtypes = [ctypes.c_void_p]
    views = []
    with _file(data) as name:
        stream = libc.setmntent(name.encode(), b"r")
        buffer = ctypes.create_string_buffer(4096)
        while True:
            entry = _Mntent()
            if not libc.getmntent_r(stream, ctypes.byref(entry), buffer, 4096):
                break
            columns = (entry.fsname, entry.dir, entry.type, entry.opts)
            texts = [(column or b"").decode("utf-8", "surrogateescape") for column in columns]
            views.append(Columns(texts[0], texts[1], texts[2], texts[3], entry.freq, entry.passno))
        libc.endmntent(stream)
    return views


def libmount_options(text: bytes) -> list[tuple[bytes, bytes | None]]:
    """The options that libmount finds in an option string, one after the other, as name and value. Skips without it."""
    try:
        step = ctypes.CDLL("libmount.so.1").mnt_optstr_next_option
    except OSError:
        pytest.skip("needs libmount.so.1")
    name, value = ctypes.c_void_p(), ctypes.c_void_p()
    name_size, value_size = ctypes.c_size_t(), ctypes.c_size_t()
    buffer = ctypes.create_string_buffer(text)
    rest = ctypes.c_void_p(ctypes.addressof(buffer))
    found = []
    while step(*(ctypes.byref(one) for one in (rest, name, name_size, value, value_size))) == 0:
        written = ctypes.string_at(value.value, value_size.value) if value.value else None
        found.append((ctypes.string_at(name.value or 0, name_size.value), written))
    return found
