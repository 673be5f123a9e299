"""The RPM package, by rpmbuild."""

from __future__ import annotations

import subprocess
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import single_file
from deb import MAINTAINER

SPEC = """\
Name: {name}
Version: {version}
Release: 1
Summary: {summary}
License: {licence}
Packager: {maintainer}
BuildArch: noarch
AutoReqProv: no
{needs}{bundled}
%description
{description}
%install
mkdir -p %{{buildroot}}
cp -a {tree}/. %{{buildroot}}/
%post
{after}
%preun
if [ "$1" = 0 ]; then {before}; fi
%postun
{after}
%files
{files}
%changelog
* {day} {maintainer} - {version}-1
- See CHANGELOG.md.
"""
SETTINGS = {
    "_buildhost": "localhost", "use_source_date_epoch_as_buildtime": "1", "clamp_mtime_to_source_date_epoch": "1",
    "source_date_epoch_from_changelog": "0", "_build_id_links": "none", "__os_install_post": "%{nil}",
    "_binary_payload": "w19.zstdio",
}


def build(recipe: dict[str, Any], version: str, tree: Path, work: Path, target: Path) -> Path:
    """Make the package of what lies below `tree`."""
    paths = sorted(path for path in tree.rglob("*") if path.is_file())
    spec = work / "nfs-advisor.spec"
    day = time.strftime("%a %b %d %Y", time.gmtime(int(tree.stat().st_mtime)))
    spec.write_text(SPEC.format(
        name=recipe["name"], version=version, summary=recipe["summary"][0].upper() + recipe["summary"][1:],
        maintainer=MAINTAINER, bundled="".join(
            f"Provides: bundled(python3dist({name})) = {distribution(name).version}\n" for name in single_file.BUNDLED),
        licence=recipe["licence"], description=recipe["description"], tree=tree, day=day,
        needs="".join(f"Requires: {name} >= {least}\n" for name, least in recipe["needs"].items()),
        after=_where_systemd_runs(recipe["after_install"]), before=_where_systemd_runs(recipe["before_remove"]),
        files="\n".join([*(_line(f"/{path.relative_to(tree)}") for path in paths),
                         *(f"%dir {name}" for name in recipe["folders"]),
                         *(f"%dir /{path.relative_to(tree)}" for path in tree.rglob(f"{recipe['name']}/**"))]),
    ), encoding="utf-8")
    settings = [f"--define={name} {value}" for name, value in
                {**SETTINGS, "_topdir": work / "rpmbuild", "_rpmdir": work / "rpms"}.items()]
    subprocess.run(["rpmbuild", "-bb", "--quiet", *settings, spec], check=True, capture_output=True)  # noqa: S603, S607
    made = next((work / "rpms").rglob("*.rpm"))
    place = target / made.name
    place.write_bytes(made.read_bytes())
    return place


def _line(path: str) -> str:
    if path.startswith("/usr/share/licenses/"):
        return f"%license {path}"
    return f"%doc {path}" if path.startswith(("/usr/share/doc/", "/usr/share/man/")) else path


def _where_systemd_runs(does: str) -> str:
    return f"if [ -d /run/systemd/system ]; then {does} || :; fi"
