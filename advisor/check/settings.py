"""The settings that files make, in the order in which they are applied, included files among them; and those settings
compared with what is in effect."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.check.facts import with_platform
from advisor.check.host import GivenFacts, HostText, WholeHost, collect, is_same
from advisor.files import kinds
from advisor.files.patterns import name_matches
from advisor.files.read_together import INCLUDING, MAX_INCLUDED, included
from advisor.files.records import Assignment, Span
from advisor.files.settings_grammar import SettingsGrammar, read
from advisor.host.probe import HostValue, ProbedHost
from advisor.host.tree import Tree
from advisor.lint.finding import at_least
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase import values
from advisor.rulebase.model import RuleBase, Values

_OF_CLIENTS = ("sysctl", "modprobe", "udev")
"""Kinds of files that make settings of a client."""


class SetValue(NamedTuple):
    """A tunable's value in a file. `meaning`: the value in the rule base's word for it. `beside_folder`: the file is
    alone beside a folder of such files, as /etc/sysctl.conf is."""

    tunable: str
    value: str
    meaning: str
    file: HostText
    span: Span
    text: str
    beside_folder: bool

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def place(self) -> str:
        return f"{self.file.name}:{self.span.line}"


def set_values(base: RuleBase, texts: Sequence[HostText]) -> Iterator[SetValue]:
    """Every setting of these files that has a tunable; of several values of one the last applies."""
    for kind in kinds.SETTINGS:
        grammar = base.ready(SettingsGrammar, kind)
        if not grammar.files or grammar.files[-1].inherits:
            continue  # each block has its own settings
        drop_ins = grammar.files[-1].folder
        of_kind = [text for text in texts if text.host_file.kind == kind]
        included_paths = {path for text in of_kind for _, path, _ in includes(text)}
        for text in in_order(of_kind):
            if text.path in included_paths:
                continue  # it is read where another file includes it
            folder, _, name = text.path.rpartition("/")
            ending = drop_ins.ending if drop_ins and folder.endswith(".d") else ""
            if not name.endswith(ending) or name.startswith("."):
                continue  # nothing reads it, which the linter reports
            alone = text.host_file.same_name == "hides" and not folder.endswith(".d")
            for place, assignment in _with_included(text, of_kind):
                known, written = grammar.find(assignment.section, assignment.key.text), assignment.value.text
                if known is None or known.key == "*" or not written:
                    continue
                value, wrong = read(known, written)
                yield SetValue(
                    known.tunable.id, written, written if wrong or value is None else str(value), place,
                    Span(assignment.key.span.line, assignment.key.span.column, assignment.value.span.end_column),
                    f"{assignment.key.text}={written}", alone,
                )


def in_order(texts: Sequence[HostText]) -> list[HostText]:
    """Files of one kind in the order in which they are applied. Those that hide one another go by their names, whatever
    their folders; others in the order of their patterns. A file beside such folders is applied after all of them."""

    def place(text: HostText) -> tuple[bool, str]:
        folder, _, name = text.path.rpartition("/")
        return (False, "") if text.host_file.same_name == "both" else (not folder.endswith(".d"), name)

    return sorted(texts, key=place)


def _with_included(text: HostText, texts: Sequence[HostText]) -> Iterator[tuple[HostText, Assignment]]:
    """The settings of a file, with those of the files among `texts` that it includes in their places."""
    others = {other.path: other for other in texts} if text.host_file.kind in INCLUDING else {}

    def all_of(file: HostText, begins: str | None, above: tuple[str, ...]) -> Iterator[tuple[HostText, Assignment]]:
        assignments = kinds.read_settings(file.host_file.kind, file.text, file.name, begins)
        including = {directive.key.span for directive in assignments.includes}
        for assignment in sorted(
            (*assignments.settings, *assignments.includes), key=lambda assignment: assignment.key.span
        ):
            if assignment.key.span not in including:
                yield file, assignment
                continue
            other = others.get(os.path.normpath(included(file.path, assignment.value.text)[0]))
            if other is not None and other.path not in above and len(above) < MAX_INCLUDED:
                yield from all_of(other, assignment.section, (*above, other.path))

    yield from all_of(text, None, (text.path,))


def includes(text: HostText) -> Iterator[tuple[Assignment, str, bool]]:
    """Each line that includes one file, the path of that file, and whether it may be missing."""
    if text.host_file.kind in INCLUDING and "include" in text.text.lower():
        for directive in kinds.read_settings(text.host_file.kind, text.text, text.name, "").includes:
            if directive.key.text.lower() == "include":
                path, optional = included(text.path, directive.value.text)
                yield directive, os.path.normpath(path), optional


def settings_of(host: WholeHost) -> Iterator[SetValue]:
    """Every setting of a file that is read, in the order in which they are applied."""
    for setting in set_values(host.base, host.collected.texts):
        if setting.name in host.not_read:
            continue
        host.add_result(setting.file.host_file.area, setting.name, setting.file.text)
        if setting.beside_folder and host.report(
            "not-read", setting.name, setting.span, tunable=setting.tunable, option=setting.file.path,
        ):
            host.not_read.add(setting.name)
            continue
        yield setting


def compare(host: WholeHost) -> dict[str, SetValue]:
    """Report what is overridden, not in effect, set in no file, or includes what is missing. Returns the last setting
    of each tunable."""
    placed = [*settings_of(host)]
    last = {setting.tunable: setting for setting in placed}
    _overridden(host, placed, last)
    _not_in_effect(host, last)
    _set_nowhere(host, last)
    _missing_includes(host)
    return last


def _overridden(host: WholeHost, placed: list[SetValue], last: Mapping[str, SetValue]) -> None:
    for setting in placed:
        winner = last[setting.tunable]
        if winner.name != setting.name and not is_same(setting.meaning, winner.meaning):
            host.report(
                "overridden", setting.name, setting.span, tunable=setting.tunable, value=setting.value,
                option=setting.text, other=winner.value, place=winner.place,
            )


def _not_in_effect(host: WholeHost, last: Mapping[str, SetValue]) -> None:
    for tunable, setting in last.items():
        definition, now = host.base.tunables[tunable], host.probed.settings.get(tunable)
        if now is None or is_same(setting.meaning, now.value) or definition.other_unit in last:
            continue
        if definition.kind == "nfs.conf" and now.value == 0:
            continue  # the server is stopped
        if _is_numeric(setting.value) != _is_numeric(str(now.value)):
            continue  # the linter has judged what a file says instead of a number
        if definition.kind == "module-parameter" and f"sysctl.{tunable.partition('.')[2]}" in last:
            continue  # it is set again once the module is loaded, and that is what is reported
        host.report(
            "not-in-effect", setting.name, setting.span, tunable=tunable, value=setting.value, option=setting.text,
            effect=now.value, place=now.where, setting=values.name(definition),
        )


def _set_nowhere(host: WholeHost, last: Mapping[str, SetValue]) -> None:
    """Settings in effect that differ from the default and are in no file."""
    patterns = host.about("set-nowhere")
    if not host.seen("sysctl", "modprobe", "udev", "cmdline"):
        return
    for tunable, now in host.probed.settings.items():
        definition = host.base.tunables[tunable]
        parameter = f"module.{tunable.partition('.')[2]}"
        if tunable in last or parameter in last or not any(name_matches(tunable, pattern) for pattern in patterns):
            continue
        if definition.default is None or definition.default_when or is_same(str(definition.default), now.value):
            continue
        if any(tunable.rpartition(".")[2] in text.text for text in host.collected.texts):
            continue  # a udev rule or the command line has it
        name = host.add_result("kernel", now.where, f"{now.value}\n")
        host.report(
            "set-nowhere", name, Span(1, 1, len(str(now.value)) + 1), tunable=tunable, value=now.value,
            setting=values.name(definition), default=definition.default,
        )


def _missing_includes(host: WholeHost) -> None:
    for kind in INCLUDING:
        texts = host.texts(kind)
        there = {text.path for text in texts}
        for text in texts:
            for directive, path, optional in includes(text):
                if path in there or optional or not host.is_missing(path):
                    continue
                span = Span(directive.key.span.line, directive.key.span.column, directive.value.span.end_column)
                host.report(
                    "include-missing", text.name, span, tunable=f"{kind}.include", option=directive.value.text,
                    path=path,
                )


def against_advice(host: WholeHost, last: Mapping[str, SetValue]) -> None:
    """Settings in effect that no file makes, and that certainly ought to be otherwise: each is judged as if a file
    had set it."""
    if not host.probed.mounts:
        return
    facts = with_platform(host.base, host.indexes[0], host.probed.mounts, host.known("", False))
    files = {steps.id: steps.file for steps in host.base.kinds.values()}
    for tunable, now in host.probed.settings.items():
        file = files.get(host.base.tunables[tunable].kind)
        decision = host.base.decisions.get(tunable)
        if tunable in last or decision is None or file is None or file.kinds[0] not in _OF_CLIENTS:
            continue
        kind, name = file.kinds[0], tunable[len(file.prefix):]
        section, _, key = name.partition(".") if file.sections else ("", "", name)
        text = file.written.format(section=section, key=key, value=now.value)
        index = RuleIndex.kept(host.base, facts, kind)
        result = lint_text(f"{text}\n", now.where, host.base, facts, index, kind=kind)
        findings = [
            finding for finding in result.findings
            if finding.rule in decision.rules and at_least(finding.severity, "warning")
        ]
        if findings:
            shown = host.add_result("kernel", now.where, f"{text}\n")
            host.results[shown].findings += [finding._replace(fix=None) for finding in findings]


def current_settings(
    base: RuleBase, tree: Tree, probed: ProbedHost, known: Mapping[str, Values]
) -> dict[str, tuple[HostValue | None, HostValue | None]]:
    """Tunable → what files set for the whole host, and what is in effect; None if that was not read. A value of None:
    it is not set, or not in effect, and `where` says why. `known`: facts."""
    entries = {
        name: [host_file for host_file in base.host_files.values() if host_file.kind in steps.file.kinds]
        for name, steps in base.kinds.items() if steps.file
    }
    wanted = {host_file.id for several in entries.values() for host_file in several}
    given = GivenFacts(known)
    host = WholeHost(base, tree, lambda _: given)
    host.collected = collect(tree, [host_file for name, host_file in base.host_files.items() if name in wanted])
    host.indexes = (RuleIndex(base, known, kind="states"),)  # a second look at the host would add nothing
    last = {setting.tunable: HostValue(setting.value, setting.place) for setting in settings_of(host)}
    same = {tunable.same_as: last[name] for name, tunable in base.tunables.items() if tunable.same_as and name in last}
    seen = {name for name, several in entries.items() if several and host.seen(*(entry.id for entry in several))}
    probed_kinds = {base.tunables[name].kind for name in (*probed.settings, *probed.unset)}
    found = {}
    for tunable, definition in base.tunables.items():
        now = probed.settings.get(tunable)
        own = last.get(tunable) or same.get(tunable)
        if own is None and now is None and definition.kind in probed_kinds and tunable not in probed.unset:
            continue  # it is the same as a setting of another kind
        if own is None and definition.kind in seen:
            own = HostValue(None, "")
        if own is not None or now is not None:
            found[tunable] = own, now
    return found


def _is_numeric(text: str) -> bool:
    return all(part.lstrip("-").isdigit() for part in text.split())
