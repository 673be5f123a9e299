"""Whether the service can answer: a server that runs and starts at boot, exported directories that are there, access
lists of the programs beside it, users that idmapd needs, calls that were refused, and what it keeps of its clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from advisor.check.host import MAX_FILES, paths_like
from advisor.check.server import UNITS, is_known, wanted_units
from advisor.files.exports import folder_of, plain, read
from advisor.files.fstab import read as read_fstab
from advisor.files.kinds import read_settings
from advisor.files.mountinfo import parents
from advisor.files.placeholders import has_markup
from advisor.files.records import Span
from advisor.host.tree import Unread
from advisor.lint.finding import report

if TYPE_CHECKING:
    from advisor.check.host import HostText, WholeHost
    from advisor.files.exports import Export
    from advisor.rulebase.model import Check
    from advisor.rulebase.model.rules import Difference

THREADS, COUNTERS = "/proc/fs/nfsd/threads", "/proc/net/rpc/nfsd"
_ACCESS = ("/etc/hosts.deny", "/etc/hosts.allow")
UNIT_FILES = "/unit-files"
"""Of copies: units and whether each is enabled."""
_LOCAL = {"files", "compat", "systemd", "[NOTFOUND=return]", "[SUCCESS=merge]"}
"""Sources of users that are files of the host."""
_NAMED = 6
"""How many names a finding lists."""
_MADE_UP = ("root", "nobody", "nogroup")
"""Users and groups that systemd answers for if no file has them."""


def compare(host: WholeHost) -> None:
    """Report what keeps a server from answering although its files are right."""
    exports = [
        (text, export) for text in host.texts("exports") if folder_of(text.path) is not None
        for export in read(text.text) if is_known(export)
    ]
    if exports:
        if not host.texts("cib") and not host.texts("ganesha.conf"):
            _report_server(host, *exports[0])
        _report_directories(host, exports)
        _report_wrappers(host)
    _report_users(host)
    _report_counters(host)
    for check in host.checks.get("state", ()):
        if check.host is not None:
            _report_state(host, check, check.host)


def _report_server(host: WholeHost, text: HostText, export: Export) -> None:
    runs, starts = _runs(host), _starts(host)
    state = {(False, False): "not-served", (False, True): "not-running", (False, None): "not-running",
             (True, False): "not-enabled", (None, False): "not-enabled"}.get((runs, starts))
    if state is not None:
        unit = next(iter(host.about("not-enabled")), "")
        host.report(state, text.name, export.path.span, tunable=unit, option=export.path.text)


def _runs(host: WholeHost) -> bool | None:
    """Whether threads of the server run, None if that is not known."""
    lines = map(str.split, host.tree.optional_text(COUNTERS).split("\n"))
    numbers = host.tree.optional_text(THREADS).split() or next((line[1:] for line in lines if line[:1] == ["th"]), [])
    if numbers:
        return numbers[0] != "0"
    return False if host.tree.live and host.is_missing(COUNTERS) else None


def _starts(host: WholeHost) -> bool | None:
    """Whether a unit of the server starts at boot, None if that is not known."""
    names = {*host.about("not-enabled")}
    listed = [line.split() for line in host.tree.optional_text(UNIT_FILES).split("\n")]
    states = [words[1] for words in listed if words[1:] and words[0] in names]
    if states:
        return any(state.startswith(("enabled", "alias", "linked")) for state in states)
    try:
        wanted = {unit for _, unit in wanted_units(host.tree)}
    except Unread:
        return None
    return bool(names & wanted) if "multi-user.target.wants" in host.tree.names(UNITS) else None


def _report_directories(host: WholeHost, exports: list[tuple[HostText, Export]]) -> None:
    """Report exported directories that are not there, or whose file system is not mounted."""
    mounted = {mount.target for mount in host.tree.mounts}
    wanted = {
        entry.target.value.rstrip("/"): f"{text.name}:{entry.line_no}"
        for text in host.texts("fstab") if mounted for entry in read_fstab(text.text, text.name).entries
        if entry.libmount == "ok" and "noauto" not in entry.options.value.split(",")
    }
    reported: set[str] = set()
    for text, export in exports:
        path = plain(export.path.text)
        if path in reported or not path.startswith("/"):
            continue
        reported.add(path)
        gone = next((folder for folder in (path, *parents(path)) if folder in wanted or folder in mounted), "")
        if gone in wanted and gone not in mounted:
            host.report("export-not-mounted", text.name, export.path.span, option=path, effect=gone, place=wanted[gone])
        elif host.look_for(path):
            host.report("export-missing", text.name, export.path.span, option=path)


def _report_wrappers(host: WholeHost) -> None:
    """Report what hosts.deny refuses to everybody, unless hosts.allow has lines for it."""
    try:
        text, allow = (host.tree.text(path) if host.tree.exists(path) else "" for path in _ACCESS)
    except Unread:
        return
    allowed = {daemon for _, daemons, _ in _access(allow) for daemon in daemons}
    waiting = [] if "ALL" in allowed else [name for name in host.about("refused-by-wrappers") if name not in allowed]
    for number, daemons, clients in _access(text):
        refused = [daemon for daemon in waiting if {"ALL", daemon} & {*daemons}]
        if refused and "ALL" in clients and "EXCEPT" not in (*daemons, *clients):
            name, end = host.add_result("server", _ACCESS[0], text), len(text.split("\n")[number - 1]) + 1
            words = " and ".join(refused)
            host.report("refused-by-wrappers", name, Span(number, 1, end), tunable=refused[0], option=words)
            waiting = [daemon for daemon in waiting if daemon not in refused]


def _access(text: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """The number of each line of hosts_access(5), its daemons and its clients."""
    for number, line in enumerate(text.split("\n"), 1):
        fields = [field.replace(",", " ").split() for field in line.split(":")]
        if len(fields) > 1 and not line.lstrip().startswith("#"):
            yield number, fields[0], fields[1]


def _report_users(host: WholeHost) -> None:
    """Report users and groups in idmapd.conf that the host does not have."""
    for text in host.texts("idmapd.conf"):
        for one in read_settings("idmapd.conf", text.text, text.name).settings:
            tunable, name = f"idmapd.conf.{one.section.capitalize()}.{one.key.text.title()}", one.value.text
            if tunable in host.about("no-such-user") and name and not has_markup(name):
                file = "passwd" if tunable.endswith("User") else "group"
                if _has_no(host, file, name):
                    effect = f"/etc/{file}"
                    host.report("no-such-user", text.name, one.value.span, tunable=tunable, option=name, effect=effect)


def _has_no(host: WholeHost, file: str, name: str) -> bool:
    """Whether the host certainly has no such user (`file`: passwd) or group: no other source than its files has any."""
    try:
        names = {line.partition(":")[0] for line in host.tree.text(f"/etc/{file}").split("\n")}
        switch = host.tree.text("/etc/nsswitch.conf").split("\n")
    except Unread:
        return False
    sources = next((line.partition(":")[2].split() for line in switch if line.startswith(f"{file}:")), ["files"])
    return name not in names and _LOCAL.issuperset(sources) and not ("systemd" in sources and name in _MADE_UP)


def _report_counters(host: WholeHost) -> None:
    """Report that the server refuses a notable share of its calls."""
    text = host.tree.optional_text(COUNTERS)
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words[:1] == ["rpc"] and len(words) >= 6 and all(map(str.isdigit, words[1:6])):
            calls, bad, form, proof = map(int, words[1:5])
            if bad >= 100 and bad * 100 >= calls:
                name = host.add_result("server", COUNTERS, text)
                host.report("calls-refused", name, Span(number, 1, len(line) + 1), option=line, effect=str(bad),
                            value=calls, form=str(form), proof=str(proof))


def _report_state(host: WholeHost, check: Check, state: Difference) -> None:
    """Report all whom a state is about in one finding, at the first of them."""
    known = host.tree.optional_text(state.not_in).split("\n") if state.not_in else []
    firsts = {line.partition("\t")[0] for line in known if line}
    total, found = 0, list[tuple[str, int, str]]()
    paths = (path for pattern in state.of for path in islice(paths_like(host.tree, pattern), MAX_FILES))
    for path in paths if firsts or not state.not_in else ():
        text = host.tree.optional_text(path)
        counts = all(re.search(line, text, re.MULTILINE) for line in state.lines)
        for number, line in enumerate(text.split("\n"), 1):
            match = re.search(state.who or "$", line)
            total += match is not None
            if match and counts and firsts.isdisjoint((match[1], *parents(match[1]))):
                found.append((path, number, match[1]))
    names = [*dict.fromkeys(who for *_, who in found)]
    for path, number, who in found[:1]:
        name = host.add_result("server", path, host.tree.optional_text(path))
        span = Span(number, 1, len(host.results[name].line(number)) + 1)
        words = {"effect": str(len(found)), "names": ", ".join(names[:_NAMED]) + (" …" if names[_NAMED:] else "")}
        finding = report(check, span, option=who, value=total, figures=words)
        host.results[name].findings.append(finding._replace(file=name))
