"""A host as a server: what its files export, beside its file systems, its cluster and what is exported now; the units
that start at boot; and whether the service can answer: a server that runs, exported directories that are there, access
lists of the programs beside it, users that idmapd needs, calls that were refused, and what it keeps of its clients."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.check.host import ETAB, MAX_FILES, HostText, UnseenFile, WholeHost
from advisor.files.export_options import ExportGrammar
from advisor.files.exports import Export, KeptExport, cluster_exports, folder_of, kept, plain, read
from advisor.files.fstab import read as read_fstab
from advisor.files.kinds import read_settings
from advisor.files.mountinfo import mount_of, parents
from advisor.files.placeholders import has_markup
from advisor.files.records import Span
from advisor.host.network import LOCAL, sources_of
from advisor.host.tree import NotCollected, Tree, Unread, paths_like
from advisor.lint.finding import report
from advisor.regex import regex
from advisor.rulebase.model import Check, Difference

_NAMED = regex(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A client that exportfs may write otherwise than the file does: by its full name."""
UNITS = "/etc/systemd/system"
"""Where `systemctl enable` and `systemctl mask` leave their links."""
_WANTING = (".wants", ".requires")
THREADS, COUNTERS = "/proc/fs/nfsd/threads", "/proc/net/rpc/nfsd"
_ACCESS = ("/etc/hosts.deny", "/etc/hosts.allow")
UNIT_FILES = "/unit-files"
"""Of copies: units and whether each is enabled."""
_LISTED = 6
"""How many names a finding lists."""
_MADE_UP = ("root", "nobody", "nogroup")
"""Users and groups that systemd answers for if no file has them."""


def compare(host: WholeHost) -> None:
    """Report what cannot be exported, is not exported yet, is in no file, or is exported with other options; exports
    that a cluster makes too; units; and what keeps a server from answering although its files are right."""
    files = [file for file in host.texts("exports") if folder_of(file.path) is not None]
    exports = [(file, export) for file in files for export in read(file.text) if is_known(export)]
    for file, export in exports:
        _report_file_system(host, file.name, export)
    _report_mounts_below(host, exports)
    _compare_with_etab(host, files)
    _compare_with_cluster(host)
    if host.texts("exports") or host.texts("cib"):
        _masked_units(host)
    _starting_units(host)
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


def _report_file_system(host: WholeHost, name: str, export: Export) -> None:
    mount = mount_of(plain(export.path.text), host.tree.mounts)
    if mount is None:
        return
    fields = {
        "option": export.path.text, "fstype": mount.fstype, "effect": mount.fstype, "options": mount.super_options,
    }
    written = host.base.ready(ExportGrammar).read(export.options).written
    numbered = not written.keys().isdisjoint(("exports.fsid", "exports.reexport"))
    if not host.report("export-on", name, export.path.span, **fields) and not numbered:
        host.report("export-without-fsid", name, export.path.span, **fields)


def is_known(export: Export) -> bool:
    return export.bad is None and bool(export.path.text) and not has_markup(export.path.text)


def _report_mounts_below(host: WholeHost, exports: list[tuple[HostText, Export]]) -> None:
    """Report file systems mounted below an export that no export shows, each at the export nearest to it. In a copy
    without the mounts in effect, those of fstab."""
    paths: dict[str, tuple[HostText, Export]] = {}
    crossing: set[str] = set()
    for file, export in exports:
        path = plain(export.path.text)
        paths.setdefault(path, (file, export))
        if host.base.ready(ExportGrammar).read(export.options).values.get("exports.crossmnt"):
            crossing.add(path)
    mounts = {mount.target: mount.fstype for mount in host.tree.mounts}
    for target, fstype in (mounts or {target: fstype for target, (_, fstype) in _at_boot(host).items()}).items():
        above = [path for path in parents(target) if path in paths]
        if target in paths or not above or not crossing.isdisjoint(above):
            continue
        file, export = paths[above[0]]
        host.report(
            "mount-below-export", file.name, export.path.span, value=fstype, option=export.path.text, fstype=fstype,
            effect=target,
        )


def _at_boot(host: WholeHost) -> dict[str, tuple[str, str]]:
    """Mount point → the place of its line in fstab and the type, `bind` for a directory mounted again; of those that
    are mounted at boot."""
    lines = ((f"{text.name}:{entry.line_no}", entry) for text in host.texts("fstab")
             for entry in read_fstab(text.text, text.name).entries if entry.libmount == "ok")
    options = ((place, entry, entry.options.value.split(",")) for place, entry in lines)
    return {
        entry.target.value.rstrip("/"): (place, "bind" if {"bind", "rbind"} & {*words} else entry.fstype.value)
        for place, entry, words in options if "noauto" not in words
    }


def _compare_with_etab(host: WholeHost, files: list[HostText]) -> None:
    try:
        text, where = host.tree.read(ETAB)
    except Unread:
        return
    exported = {(made.path, made.client): made for made in kept(read(text))}
    if not exported:
        return  # the server is stopped
    paths: set[str] = set()
    for file in files:
        for made in kept(read(file.text), file.name):
            paths.add(made.path)
            now = exported.get((made.path, made.client))
            if now is not None:
                _compare_options(host, made, now.export)
            elif not _may_be_exported(made, exported.values()):
                export = made.export
                host.report(
                    "export-not-made", file.name, export.client.span, option=export.client.text or "*",
                    source=export.path.text,
                )
    if host.seen("exports"):
        name = host.add_result("server", where, text)
        for made in exported.values():
            if made.path not in paths:
                span = Span(made.export.line_no, made.export.path.span.column, made.export.path.span.end_column)
                host.report("export-in-no-file", name, span, option=made.path, source=made.export.client.text or "*")


def _may_be_exported(wanted: KeptExport, exported: Iterable[KeptExport]) -> bool:
    """Whether an export may be there under another name of its client."""
    return bool(_NAMED.fullmatch(wanted.client)) and any(
        made.path == wanted.path and _NAMED.fullmatch(made.client) for made in exported
    )


def _compare_options(host: WholeHost, made: KeptExport, exported: Export) -> None:
    """Report options whose values in effect differ from the file."""
    grammar = host.base.ready(ExportGrammar)
    written, now = grammar.read(made.export.options), grammar.read(exported.options)
    if written.several_flavours:
        return  # each flavour has options of its own
    for tunable, word in written.written.items():
        effect = [other for other in now.words if other.tunable == tunable and "=" not in other.text]
        if "=" not in word.text and effect and all(other.value != word.value for other in effect):
            span = made.export.options.at(word.start, word.start + len(word.text))
            host.report(
                "export-otherwise", made.file, span, tunable=tunable, value=word.text, option=word.text,
                effect=effect[0].text, source=made.export.path.text,
            )


def _compare_with_cluster(host: WholeHost) -> None:
    """Report each line of exports whose path a resource of the cluster exports too."""
    places = {
        plain(export.path.text): f"{file.name}:{export.line_no}"
        for file in host.texts("cib") for export in cluster_exports(read_settings("cib", file.text, file.name))
    }
    for file in host.texts("exports") if places else ():
        reported: set[tuple[str, int]] = set()
        for export in read(file.text):
            path = plain(export.path.text)
            if export.bad is None and path in places and (path, export.line_no) not in reported:
                reported.add((path, export.line_no))
                host.report(
                    "export-of-cluster", file.name, export.path.span, option=export.path.text, place=places[path],
                )


def _masked_units(host: WholeHost) -> None:
    for unit in {*host.about("masked-unit")}:
        path = f"{UNITS}/{unit}"
        try:
            masked = host.tree.masked(path)
        except Unread:
            continue  # nothing is reported of a unit that cannot be seen
        if masked:
            name = host.add_result("server", path, f"{unit}\n")
            host.report("masked-unit", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)


def _starting_units(host: WholeHost) -> None:
    wanted = host.about("starts")
    if not wanted:
        return
    try:
        for folder, unit in [*wanted_units(host.tree)]:
            if unit in wanted and not host.tree.masked(f"{UNITS}/{unit}"):
                name = host.add_result("server", f"{folder}/{unit}", f"{unit}\n")
                host.report("starts", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)
    except Unread as error:
        there = not isinstance(error, NotCollected)
        why = str(error) if there else "not collected"
        host.collected.unseen.insert(0, UnseenFile("units that start at boot", UNITS, why, there, not there))


def wanted_units(tree: Tree) -> Iterator[tuple[str, str]]:
    """The folder and the name of each unit that another one starts."""
    for name in tree.names(UNITS):
        if name.endswith(_WANTING):
            yield from ((f"{UNITS}/{name}", unit) for unit in tree.names(f"{UNITS}/{name}"))


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
    wanted = {target: place for target, (place, _) in (_at_boot(host) if mounted else {}).items()}
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
    sources = sources_of(host.tree, file)
    names = {line.partition(":")[0] for line in host.tree.optional_text(f"/etc/{file}").split("\n")}
    if not sources <= LOCAL or names == {""}:
        return False
    return bool(sources) and name not in names and not ("systemd" in sources and name in _MADE_UP)


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
    paths = (path for pattern in state.of for path in islice(paths_like(pattern, host.tree.names), MAX_FILES))
    for path in paths if firsts or not state.not_in else ():
        text = host.tree.optional_text(path)
        counts = all(re.search(line, text, re.MULTILINE) for line in state.lines)
        for number, line in enumerate(text.split("\n"), 1):
            match = re.search(state.who, line)
            total += match is not None
            if match and counts and firsts.isdisjoint((match[1], *parents(match[1]))):
                found.append((path, number, match[1]))
    names = [*dict.fromkeys(who for *_, who in found)]
    for path, number, who in found[:1]:
        name = host.add_result("server", path, host.tree.optional_text(path))
        span = Span(number, 1, len(host.results[name].line(number)) + 1)
        words = {"effect": str(len(found)), "names": ", ".join(names[:_LISTED]) + (" …" if names[_LISTED:] else "")}
        finding = report(check, span, option=who, value=total, figures=words)
        host.results[name].findings.append(finding._replace(file=name))
