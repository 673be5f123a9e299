"""What the recommended files promise, and whether a report of the machine keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from advisor.advice.model import Advice
from advisor.advice.rows import field, mount_options, option_list
from advisor.files.options import OptionList
from tests.kernel.cases import Case as Mounted
from tests.kernel.judge import problems, read
from tests.kernel.test_effects import ignored, shown, told
from tests.kernel.vm.boot import Case
from tests.kernel.vm.scenarios import connections, lines, parameters

_PLAIN = {"mount.sec": "sec", "mount.proto": "proto"}
"""Options that /proc/mounts always shows as they are written."""
_ELSEWHERE = ("mount.nofail", "mount._netdev", "mount.auto", "mount.noauto", "mount.bg", "mount.retry", "mount.x-")
"""Options that mount and systemd read and the kernel never sees (by what their names begin with)."""
_PARTS = ("mount.actimeo", "mount.noresvport")
"""Options that are looked at by what they stand for: the four times, and the ports of the connections."""
_RESERVED = 1024


class Promise(NamedTuple):
    """One thing that was promised, and whether it came about."""

    about: str
    kept: bool


def promises(case: Case, advice: Advice, report: dict[str, Any], kernel: str) -> Iterator[Promise]:
    """Everything that was promised of a scenario."""
    said = " / ".join(report["stderr"])
    yield Promise(f"the line is accepted ({said})", report["rc"] == 0 and len(report["mount"]) == 1)
    if len(report["mount"]) != 1:
        return
    yield Promise(f"files can be written and read ({said})", report["io"] == 0)
    yield from _options(case, advice, report["mount"][0], kernel)
    yield from _connections(advice, report["ports"])
    yield from _sysctls(case, advice, report)
    for name, value in parameters(case.files.get("modprobe.conf", "")).items():
        seen = report["module"].get(name)
        yield Promise(f"parameter {name}={value} (is {seen})", seen == value)
    yield from _server(case, report)
    if "read_ahead" in case.files:
        seen = report["read_ahead_set"]
        yield Promise(f"read_ahead_kb {case.files['read_ahead']} (is {seen})", str(seen) == case.files["read_ahead"])


def _options(case: Case, advice: Advice, mount: str, kernel: str) -> Iterator[Promise]:
    source, _, _, shown_options, *_ = mount.split()
    kind, words = field(advice, "type", "nfs"), shown_options.split(",")
    options = option_list(advice)
    line = read(options, kind, source)
    found = problems(options, kind, source, kernel)
    as_case = Mounted(case.name, options, kind, source, "mount", True, ",".join(words))
    for setting in (*line.effective.values(), *line.implied.values()):
        about = f"{setting.tunable} = {setting.value} (mounted with {','.join(words)})"
        if setting.tunable in _PLAIN:
            yield Promise(about, f"{_PLAIN[setting.tunable]}={setting.value}" in words)
        elif setting.tunable == "mount.fsc":
            yield Promise(about, ("fsc" in words) is bool(setting.value))
        elif told(setting.tunable, setting.value) is not None:
            yield Promise(about, shown(as_case, setting) or ignored(found, setting))
    for one in mount_options(advice):
        seen = told(one.tunable, line.value(one.tunable)) is not None
        if not (seen or one.tunable in (*_PLAIN, *_PARTS, "mount.fsc") or one.tunable.startswith(_ELSEWHERE)):
            yield Promise(f"nothing here looks at the effect of {one.text}", False)
    for one in advice.advised:
        # Left out of the line, another option may still bring it with it (noac brings sync).
        if one.kind == "mount-option" and one.value == "omit" and one.tunable not in line.implied:
            name = one.tunable.partition(".")[2]
            yield Promise(f"no {name}", not any(word.partition("=")[0] == name for word in words))


def _connections(advice: Advice, ports: list[str]) -> Iterator[Promise]:
    wanted = connections(advice)
    yield Promise(f"{wanted} connections (are {len(ports)})", len(ports) == wanted)
    reserved = not _line(advice).value("mount.noresvport")
    numbers = [int(port, 16) for port in ports]
    kind = "reserved" if reserved else "unreserved"
    yield Promise(f"{kind} ports (are {numbers})", all((port < _RESERVED) is reserved for port in numbers))


def _sysctls(case: Case, advice: Advice, report: dict[str, Any]) -> Iterator[Promise]:
    written = lines(case.files.get("sysctl.conf"))
    if written:
        yield Promise(f"sysctl -p takes the file ({' / '.join(report['stderr'])})", report["sysctl_rc"] == 0)
    settled = [one for one in advice.advised if one.kind == "sysctl" and one.written is not None]
    # What lasts only as a parameter of a module stands in modprobe.d; the sysctl shows it all the same.
    wanted = {one.tunable.removeprefix("sysctl."): str(one.written) for one in settled if not one.already}
    wanted |= {name.strip(): value for name, _, value in (line.partition("=") for line in written)}
    for name, value in wanted.items():
        seen = _blanks(report["sysctl"].get(name))
        yield Promise(f"{name} = {value.strip()} (is {seen})", seen == _blanks(value))
    for one in settled:
        # What is the default anyway is not written; then it has to be the default here.
        if one.already and not one.pinned:
            seen = _blanks(report["before"].get(one.tunable.removeprefix("sysctl.")))
            yield Promise(f"{one.text} without being set (is {seen})", seen == _blanks(one.written))


def _server(case: Case, report: dict[str, Any]) -> Iterator[Promise]:
    for line in lines(case.files.get("exports")):
        wanted = line.partition("(")[2].partition(")")[0].split(",")
        seen = "".join(report["exports"])
        exported = seen.partition("(")[2].partition(")")[0].split(",")
        for option in wanted:
            yield Promise(f"exported with {option} (is {seen})", option in exported)
    for line in lines(case.files.get("nfs.conf")):
        if line.startswith("threads="):
            yield Promise(f"{line} of nfsd (are {report['threads']})", line == f"threads={report['threads']}")
        elif line.startswith(f"{report['mount'][0].split()[2]}="):  # a section names the type as /proc/mounts does
            size = report["read_ahead_kb"]
            yield Promise(f"{line} KiB of read-ahead (are {size})", line.endswith(f"={size}"))


def _line(advice: Advice) -> OptionList:
    return read(option_list(advice), "nfs", "127.0.0.1:/srv")


def _blanks(value: Any) -> str:
    return " ".join(str(value).split())
