"""The mounts that files ask for, compared with those in effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from advisor.check.host import WholeHost
from advisor.check.mount_outcomes import answer_for, beside_mount, checks_between, finding_at_mount, fit
from advisor.files import kinds
from advisor.files.autofs import maps
from advisor.files.libmount import escaped
from advisor.files.mountinfo import parents
from advisor.files.option_reading import value_in_use
from advisor.files.patterns import name_matches
from advisor.files.placeholders import has_markup
from advisor.files.records import MountEntry, Setting, Span
from advisor.files.source import parse_source
from advisor.host.probe import HostMount, HostValue
from advisor.host.tree import MOUNTINFO, Tree, Unread
from advisor.lint.finding import placed
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.probe.evidence import ServerAsked
from advisor.rulebase import values
from advisor.rulebase.model import HostFile, RuleBase, Tunable, Value

DEEPEST = 100
"""Parent directories of a mount point that are looked at."""


class WantedMount(NamedTuple):
    """A mount that a file asks for. `settings`: as the linter found them; `at_boot`: it is mounted whenever the host
    boots."""

    result: Result
    entry: MountEntry
    settings: Mapping[str, Setting]
    at_boot: bool = True

    @property
    def source(self) -> str:
        return self.entry.source.value

    @property
    def target(self) -> str:
        return self.entry.target.value.rstrip("/") or "/"

    @property
    def place(self) -> tuple[str, int]:
        return self.result.name, self.entry.line_no

    @property
    def words(self) -> list[str]:
        return self.entry.options.text.split(",")


def compare(host: WholeHost) -> None:
    """Report what is wanted and not mounted, mounted and in no file, or mounted with other options."""
    wanted = [*_wanted_mounts(host)]
    _drop_repeated(host, wanted)
    said = {_report_answer(host, each) for each in (wanted if host.asked else ())}
    for asked in host.asked:
        if asked.reply == "refused" and asked.path and asked.source not in said:
            name = host.add_result("client-mounts", asked.path, host.tree.optional_text(asked.path))
            _report_refused(host, asked, name, Span(1, 1, 2))
    _missing_maps(host)
    tree, now = host.tree, host.probed.mounts
    if tree.unmounted or not tree.mounts:
        return
    by_target = {mount.target: mount for mount in now}
    automounts = {mount.target for mount in tree.mounts if mount.fstype == "autofs"}
    targets = {mount.target for mount in tree.mounts}
    failing = {
        (name, finding.line) for name in {each.result.name for each in wanted}
        for finding in host.results[name].findings
        if (finding.severity, finding.consequence) == ("error", "mount-fails")
    }
    shared = _shared(now)
    for each in wanted:
        mount = by_target.get(each.target)
        if mount is not None:
            _report_differences(host, each, mount, shared[mount.target])
        elif each.target not in targets and each.at_boot and each.place not in failing:
            host.report("not-mounted", each.result.name, each.entry.target.span, option=each.target, source=each.source)
    _stale_units(host, wanted)
    if host.seen("fstab", "mount-units", "autofs"):
        _in_no_file(host, {each.target for each in wanted}, automounts)


def _missing_maps(host: WholeHost) -> None:
    """Report maps that a master file names by a path at which there is nothing."""
    for text in host.texts("autofs"):
        for one in maps(text.text) if text.host_file.maps else ():
            if one.by_path and host.is_missing(one.path):
                host.report("map-missing", text.name, one.span, option=one.path, effect=one.point)


def _report_refused(host: WholeHost, asked: ServerAsked, name: str, span: Span) -> None:
    host.report("refused-when-asked", name, span, option=asked.source, source=asked.source, who="this host",
                day=asked.day, said=asked.says)


def _report_answer(host: WholeHost, mount: WantedMount) -> str:
    """Report what its server's answers contradict in a mount, by the checks that need no files of a server. The source
    that was asked for, "" if it was none of this mount."""
    source = parse_source(mount.source)
    answer = answer_for(host.base, host.asked, source.host, source.export)
    if answer is None:
        return ""
    if answer.reply == "refused":
        _report_refused(host, answer, mount.result.name, mount.entry.source.span)
    written = {name: setting.value for name, setting in mount.settings.items()}
    version, flavours = str(written.get("mount.vers", "")), str(written.get("mount.sec", ""))
    found, words = beside_mount(answer, written, version, [each for each in flavours.split(":") if each])
    words = {"vers": version, "flavour": flavours, "server": source.host, "source": mount.source, **words}
    for check, sides in host.base.ready(checks_between).get("mount", ()):
        if fit(sides.on, {**written, **found}):
            finding = finding_at_mount(check, mount.entry, mount.settings, source.host, words)
            mount.result.findings.append(placed(finding, mount.result.name, mount.entry))
    return answer.source if answer.reply else ""


def _drop_repeated(host: WholeHost, wanted: list[WantedMount]) -> None:
    """Leave out of the mounts in effect what is reported at the line that asks for them."""
    target_at = {each.place: each.target for each in wanted}
    reported = {
        (target_at[name, finding.line], finding.rule, finding.tunable)
        for name in {each.result.name for each in wanted}
        for finding in host.results[name].findings if (name, finding.line) in target_at
    }
    for text in host.texts("mountinfo"):
        result = host.results[text.name]
        mounted = kinds.read_mounts("mountinfo", text.text, text.name).mounts
        targets = {entry.line_no: entry.target.value for entry in mounted}
        places = {mount.target: f"Change it in {mount.result.name}:{mount.entry.line_no}." for mount in wanted}
        result.findings = [
            finding._replace(remedy=_where(finding.remedy, targets.get(finding.line, ""), places, text.host_file))
            for finding in result.findings
            if (targets.get(finding.line), finding.rule, finding.tunable) not in reported
        ]


def _where(remedy: str, target: str, places: Mapping[str, str], host_file: HostFile) -> str:
    """A remedy for a mount in effect, with the place where the mount is changed, as far as that shows."""
    folder = next((folder for folder in host_file.comes_from if target.startswith(f"{folder}/")), "")
    return f"{remedy} {places.get(target) or host_file.comes_from.get(folder, '')}".strip()


def _wanted_mounts(host: WholeHost) -> Iterator[WantedMount]:
    for text in (*host.texts("fstab"), *host.texts("systemd-mount")):
        result = host.results[text.name]
        kind, name = text.host_file.kind, text.name
        for entry in kinds.read_mounts(kind, text.text, name).mounts:
            judged = result.judged.get(entry.line_no)
            if judged is None or not entry.target.value.startswith("/"):
                continue
            if not has_markup(entry.source.value) and not has_markup(entry.target.value):
                # A unit that nothing wants is not mounted at boot.
                mount = WantedMount(result, entry, result.settings(entry.line_no))
                yield mount._replace(at_boot=kind == "fstab" and "noauto" not in mount.words)


def _report_differences(host: WholeHost, wanted: WantedMount, mount: HostMount, shared: Mapping[str, str]) -> None:
    source = parse_source(wanted.source)
    if (source.host, source.export.rstrip("/")) != (mount.server, mount.export.rstrip("/")):
        effect = f"{mount.server}:{mount.export}"
        host.report(
            "other-source", wanted.result.name, wanted.entry.target.span, option=wanted.source,
            value=wanted.source, effect=effect,
        )
        return
    shown = settings_in_effect(host.base, host.indexes[0], mount)
    for tunable, setting in wanted.settings.items():
        if setting.field != "options" or setting.value is None:
            continue
        value, now_value = setting.value, value_in_effect(host.base, tunable, shown)
        if now_value is None or _is_equivalent(host.base.tunables[tunable], value, now_value):
            continue
        span = wanted.entry.options.at(setting.start, setting.end)
        spelled = values.spell(host.base.tunables[tunable], now_value, setting.text) or str(now_value)
        for reason, other in _reasons(host.base.tunables[tunable], value, now_value, shared):
            if host.report(
                reason, wanted.result.name, span, tunable=tunable, value=value, option=setting.text,
                effect=now_value, other=other, target=wanted.target, shown=spelled,
            ):
                break


def settings_in_effect(base: RuleBase, index: RuleIndex, mount: HostMount) -> Mapping[str, Setting]:
    """The options in effect, read as a line of fstab would be. `index`: without facts of a line."""
    text = f"server:/export {escaped(mount.target)} {mount.fstype} {','.join(mount.options)} 0 0\n"
    result = lint_text(text, "mountinfo", base, {}, index)
    return result.settings(1) if 1 in result.judged else {}


def value_in_effect(base: RuleBase, tunable: str, shown: Mapping[str, Setting]) -> Value:
    """The value in effect; the default for what the kernel shows only where it is another one."""
    if tunable in shown:
        return shown[tunable].value
    shared = (check.host for check in base.checks.values() if check.host and check.host.found == "shared-connections")
    return 1 if any(name_matches(tunable, pattern) for host in shared for pattern in host.of) else None


def _is_equivalent(tunable: Tunable, value: Value, effect: Value) -> bool:
    if values.same(value, effect) or str(value) == str(effect):
        return True
    used, change = value_in_use(tunable, value)
    if change is not None:
        return used in (effect, value)  # or what it becomes is known in words only
    # vers=4 is any of its minor versions, tcp6 is TCP, and of several flavours one is taken.
    return str(effect).startswith((f"{value}.", f"{value}6")) or str(effect) in str(value).split(":")


def _shared(now: Iterable[HostMount]) -> dict[str, dict[str, str]]:
    """Target of each mount → the reasons for its options that lie in an earlier mount, each with the target of that."""
    first: dict[tuple[str, ...], str] = {}
    shared: dict[str, dict[str, str]] = {}
    for mount in now:
        keys = {"shared-connections": _connection(mount), "shared-file-system": ("device", mount.device)}
        shared[mount.target] = {why: first[key] for why, key in keys.items() if key in first}
        for key in keys.values():
            if key != ("device", "none"):
                first.setdefault(key, mount.target)
    return shared


def _reasons(
    tunable: Tunable, value: Value, effect: Value, shared: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Why they may differ, the likeliest reason first, each with the target of the mount that caused it. The check for
    a reason says which settings it explains."""
    if "shared-connections" in shared:
        yield "shared-connections", shared["shared-connections"]
    used, _ = value_in_use(tunable, value)
    if isinstance(used, int) and isinstance(effect, int) and effect < used:
        yield "size-reduced", ""
    if "shared-file-system" in shared:
        yield "shared-file-system", shared["shared-file-system"]
    yield "otherwise", ""


def _connection(mount: HostMount) -> tuple[str, ...]:
    """What mounts that share connections have in common."""
    options = dict(option.partition("=")[::2] for option in mount.options)
    return options.get("addr", mount.server), *(options.get(name, "") for name in ("vers", "proto", "xprtsec", "port"))


def _stale_units(host: WholeHost, wanted: list[WantedMount]) -> None:
    """Report units that systemd created from an older fstab."""
    folder = "/run/systemd/generator"
    try:
        names = [name for name in host.tree.names(folder) if name.endswith(".mount")]
    except Unread:
        return
    lines = {each.target: each for each in wanted if each.result.name.endswith("fstab")}
    for name in names:
        text = host.tree.optional_text(f"{folder}/{name}")
        for unit in kinds.read_mounts("systemd-mount", text, name).mounts:
            line = lines.get(unit.target.value.rstrip("/"))
            if line is None:
                continue
            extra = [word for word in unit.options.text.split(",") if word and word not in line.words]
            if extra or unit.source.value != line.source:
                was = extra[0] if extra else unit.source.value
                unit_file = f"{folder}/{name}"
                host.report(
                    "stale-unit", line.result.name, line.entry.target.span, option=line.target,
                    other=unit_file, was=was,
                )


def _in_no_file(host: WholeHost, wanted: set[str], automounts: set[str]) -> None:
    now = host.probed.mounts
    mounted = {(mount.server, mount.target) for mount in now}
    lines = _lines(host)
    for mount in now:
        above = [parent for parent in islice(parents(mount.target), DEEPEST) if parent != "/"]
        inside = any((mount.server, parent) in mounted for parent in above)
        by_automounter = not automounts.isdisjoint((mount.target, *above))
        if mount.target in wanted or mount.target == "/" or inside or by_automounter:
            continue
        for name, line in lines.get(mount.target, ()):
            length = len(host.results[name].line(line))
            host.report(
                "in-no-file", name, Span(line, 1, length + 1), option=mount.target, path=mount.target,
                source=f"{mount.server}:{mount.export}",
            )


def _lines(host: WholeHost) -> dict[str, list[tuple[str, int]]]:
    """Where the lists of mounts in effect show each target: the last line, which is what is seen there."""
    places: dict[str, dict[str, int]] = {}
    for text in host.texts("mountinfo"):
        for mount in kinds.read_mounts(text.host_file.kind, text.text, text.name).mounts:
            places.setdefault(mount.target.value, {})[text.name] = mount.line_no
    return {target: [*lines.items()] for target, lines in places.items()}


def current_options(
    base: RuleBase, tree: Tree, mounts: tuple[HostMount, ...], target: str
) -> Iterator[tuple[str, HostValue]]:
    """What is in effect of each option of the mount at `target`, and of the fields of its line; nothing if the
    mounts are not known."""
    options = [name for name, tunable in base.tunables.items() if tunable.kind in ("mount-option", "fstab-field")]
    if tree.unmounted:
        return
    mount = next((mount for mount in reversed(mounts) if mount.target == target), None)
    if mount is None:
        yield from ((name, HostValue(None, "not mounted")) for name in options)
        return
    index = RuleIndex(base, {}, kind="states")
    shown = settings_in_effect(base, index, mount)
    for name in options:
        value = value_in_effect(base, name, shown)
        yield name, HostValue(value, "not shown by the kernel" if value is None else MOUNTINFO)
    if mount.read_ahead_kb is not None:
        yield "bdi.read_ahead_kb", mount.read_ahead_kb
