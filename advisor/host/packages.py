"""Versions of installed packages: dpkg's own list, a sosreport's list of packages, or rpm."""

from __future__ import annotations

import re

from advisor.host.tree import Tree, Unread

DPKG = "/var/lib/dpkg/status"
RPM_LIST = "/installed-rpms"
RPM = "/usr/bin/rpm"
RPM_DATABASES = ("/var/lib/rpm", "/usr/lib/sysimage/rpm")
SECONDS = 10
_WORD = re.compile(r"[a-z0-9_]+")


def dpkg(tree: Tree, name: str) -> tuple[str, str]:
    """(version as dpkg writes it, epoch included, where it was read) of a package. Raises Unread if it is not
    installed."""
    text, where = tree.read(DPKG, 1 << 26)
    # Blank lines separate stanzas; the first line of a stanza has its name.
    at = 0 if text.startswith(f"Package: {name}\n") else text.find(f"\n\nPackage: {name}\n")
    while at >= 0:
        end = text.find("\n\n", at + 2)
        stanza = text[at : end if end >= 0 else None]
        version = re.search(r"^Version: (\S+)$", stanza, re.MULTILINE)
        if version and re.search(r"^Status: \S+ \S+ installed$", stanza, re.MULTILINE):
            return version[1], f"{where}: {name}"
        at = text.find(f"\n\nPackage: {name}\n", at + 2)
    raise Unread(f"{name} is not installed ({where})")


def rpm(tree: Tree, name: str) -> tuple[str, str]:
    """(version-release without epoch, where it was read) of a package. Raises Unread if it is not installed.

    The database of rpm can be read by rpm only, so on this host that is run; of another host its list of packages, as
    a sosreport holds it, is read."""
    if not tree.runs:
        text, where = tree.read(RPM_LIST, 1 << 24)
        for line in text.split("\n"):
            build, _, architecture = line.partition(" ")[0].partition("\t")[0].rpartition(".")
            named, _, version = build.partition(f"{name}-")
            # name-version-release.architecture: neither version nor release has a hyphen
            if not named and all(version.split("-")) and version.count("-") == 1 and _WORD.fullmatch(architecture):
                return version, f"{where}: {name}"
        raise Unread(f"{name} is not installed ({where})")
    return tree.program(f"rpm -q {name}", lambda: _query_rpm(tree, name)), f"rpm -q {name}"


def _query_rpm(tree: Tree, name: str) -> str:
    if not tree.exists(RPM):
        raise Unread("there is no rpm")
    there = [tree.exists(path) for path in RPM_DATABASES]  # each is asked: one on a dead server must not be opened
    if True not in there:
        raise Unread("rpm has no database here")
    import subprocess  # noqa: PLC0415  only on hosts with rpm

    command = [RPM, "-q", "--qf", "%{VERSION}-%{RELEASE}\\n", "--", name]
    try:
        done = subprocess.run(  # noqa: S603  fixed arguments, no shell
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False, cwd="/",
            env={"LC_ALL": "C", "HOME": "/dev/null"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unread(f"rpm -q {name} failed ({type(error).__name__})") from error
    versions = done.stdout.decode("utf-8", "replace").split()
    if done.returncode:
        raise Unread(f"{name} is not installed (rpm -q {name})")
    if len(set(versions)) != 1:
        raise Unread(f"{len(versions)} builds of {name} are installed (rpm -q {name})")
    return versions[0]
