"""Clients compared with their servers, and servers with each other: `advisor check --server … --client …`.

What is found is reported with the checks of the rule base that have `sides`, in the files of all hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from advisor.check import host_differences, mount_outcomes
from advisor.check.compared_host import ClientMount, ComparedHost, ValueInFile
from advisor.check.host import AREAS
from advisor.check.host_differences import Disagreement, FindingPlace, connections, disagreements_by_export, has_session
from advisor.check.mount_outcomes import MountOutcome, MountOutcomes
from advisor.files.export_lookup import Exported
from advisor.files.patterns import name_matches
from advisor.host.tree import tree_of
from advisor.lint.checks import worked_out
from advisor.lint.finding import Finding, placed, report
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.suppress import silence
from advisor.named_tuple import grouped
from advisor.probe.evidence import ServerAsked
from advisor.rulebase import values
from advisor.rulebase.model import Check, CheckExample, RuleBase, Sides, Value

SLOTS, ASKED_SLOTS = "module.nfs.max_session_slots", "sides.asked_slots"


class ComparedHosts(NamedTuple):
    """`results`: by area. `matched`: mounts and their servers; `fine`: mounts without a finding; `elsewhere`: those of
    other servers; `unclear`: (mount, why it was not judged)."""

    results: dict[str, list[Result]]
    matched: list[MountOutcomes]
    fine: list[str]
    elsewhere: list[ClientMount]
    unclear: list[tuple[str, str]]


def compare(
    base: RuleBase, servers: Sequence[ComparedHost], clients: Sequence[ComparedHost],
    asked: Sequence[ServerAsked] = (),
) -> ComparedHosts:
    """Compare clients with their servers, and servers with each other; and with what servers answered that were
    `asked`, or that a client asked itself."""
    done = ComparedHosts({}, [], [], [], [])
    findings = FindingsByFile(base)
    for client in clients:
        answers = [*asked, *mount_outcomes.asked_by(base, client.tree)]
        for mount in client.mounts:
            answer = mount_outcomes.answer_for(base, answers, mount.source.host, mount.source.export)
            _mount(findings, done, mount, servers, answer)
    for server in servers:
        _clients_of(findings, server, [mount for mount in done.matched if mount.server is server])
    for one, other in combinations(servers, 2):
        _nodes(findings, one, other)
    return done._replace(results=findings.by_area([*AREAS]))


def findings_between(base: RuleBase, example: CheckExample) -> list[Finding]:
    server = ComparedHost(base, tree_of(example.server or {}, "server"), "server", ("nas",))
    other = () if example.other is None else (ComparedHost(base, tree_of(example.other, "other"), "other"),)
    names = ["client", *(f"client{number}" for number in range(2, example.clients + 1))]
    client = example.client
    clients = () if client is None else (*(ComparedHost(base, tree_of(client, name), name) for name in names), *other)
    compared = compare(base, (server, *(() if clients else other)), clients)
    return [finding for area in compared.results.values() for result in area for finding in result.findings]


def _mount(
    findings: FindingsByFile, done: ComparedHosts, mount: ClientMount, servers: Sequence[ComparedHost],
    asked: ServerAsked | None,
) -> None:
    place = f"{mount.file}:{mount.entry.line_no} {mount.words}"
    answers = [(server, mount_outcomes.is_mount_of(mount, server)) for server in servers]
    certain = [server for server, answer in answers if answer]
    if not certain and any(answer is None for _, answer in answers):
        done.unclear.append((place, f"nothing shows whether {mount.source.host} is this server"))
    elif not certain:
        done.elsewhere.append(mount)
    for server in certain:
        outcomes = mount_outcomes.outcomes_of(mount, server)
        if asked:
            outcomes = outcomes._replace(outcomes=[_with_answer(outcome, asked) for outcome in outcomes.outcomes])
        done.matched.append(outcomes)
        if outcomes.unclear:
            done.unclear.append((place, outcomes.unclear))
        elif not findings.add_mount(outcomes):
            if len({outcome.reply for outcome in outcomes.outcomes}) == 1:
                done.fine.append(place)
            else:
                done.unclear.append((place, _why_uncertain(outcomes)))


def _with_answer(outcome: MountOutcome, asked: ServerAsked) -> MountOutcome:
    values = outcome.values
    flavour = str(values.get("sides.flavour", "refused"))
    version = str(values.get("mount.vers", ""))
    found, words = mount_outcomes.beside_mount(asked, values, version, () if flavour == "refused" else (flavour,))
    return outcome._replace(values={**values, **found}, words={**outcome.words, **words})


def _why_uncertain(mount: MountOutcomes) -> str:
    words = mount.outcomes[0].words
    if not words["address"]:
        return f"the address of {words['client']} is not known, and the export is not for all hosts"
    used = {outcome.words["address"]: None for outcome in mount.outcomes}
    if len(used) > 1:
        return f"nothing shows which of its addresses {words['client']} uses: {', '.join(used)}"
    return f"nothing shows whether {words['address']} is one of {words.get('clients', 'the clients')}"


def _clients_of(findings: FindingsByFile, server: ComparedHost, mounts: Sequence[MountOutcomes]) -> None:
    """Compare the clients of one server with it as hosts, and with each other."""
    by_client = grouped((mount.mount.client, mount) for mount in mounts)
    for client, own in by_client.items():
        _client_and_server(findings, client, server, own)
    for (one, its), (other, others) in combinations(by_client.items(), 2):
        _identities(findings, server, (one, its), (other, others))
    for export, disagreement, shown in disagreements_by_export(findings.base, [mount.mount for mount in mounts]):
        findings.add_disagreement(disagreement, server.title, export, _at_source(shown))
    threads = host_differences.threads_of(server)
    if threads is not None:
        setting = server.settings[host_differences.THREADS]
        total = sum(max(connections(mount.mount) for mount in own) for own in by_client.values())  # mounts share them
        place = FindingPlace(server, setting.file, setting.span)
        compared, words = host_differences.load(threads, total, len(by_client), server.title)
        findings.add("load", compared, words, place, server.as_server)


def _client_and_server(
    findings: FindingsByFile, client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> None:
    for tunable, one, other in host_differences.shared_settings(client, server, mounts):
        findings.add_difference("hosts", tunable, (client, one), (server, other))
    for kind, words, mount in host_differences.user_problems(client, server, mounts):
        findings.add("hosts", {"sides.users": kind}, words, _at_source(mount))
    slots = client.settings.get(SLOTS)
    titles = {"client": client.title, "server": server.title}
    if slots is not None and slots.number is not None and any(map(has_session, mounts)):
        place = FindingPlace(client, slots.file, slots.span)
        told = next((each.values[ASKED_SLOTS] for mount in mounts for each in mount.outcomes
                     if ASKED_SLOTS in each.values), None)
        words = {"slots": str(slots.value), "told_slots": str(told), **titles}
        findings.add("hosts", {SLOTS: slots.number, ASKED_SLOTS: told}, words, place, server.as_server)
    mapping = host_differences.one_sided_mapping(client, server, mounts)
    if mapping is not None:
        where, setting = mapping
        place = FindingPlace(client if where == "client" else server, setting.file, setting.span)
        findings.add("hosts", {"sides.mapping": where}, titles, place)


def _identities(
    findings: FindingsByFile, server: ComparedHost, *clients: tuple[ComparedHost, Sequence[MountOutcomes]]
) -> None:
    """Report two clients that the server takes for one."""
    (one, its), (other, others) = clients
    same = host_differences.identity(one)
    if same is None or same != host_differences.identity(other) or one.tree.root == other.tree.root:
        return
    first, second = (next((mount.mount for mount in mounts if has_session(mount)), None) for mounts in (its, others))
    if first is not None and second is not None:
        words = {
            "node": other.node, "server": server.title, "client": other.title, "other": one.title,
            "place": f"{first.file}:{first.entry.line_no}",
        }
        shared: dict[str, Value] = {"sides.identity": "same", "sides.unique": same[0] or None}
        findings.add("clients", shared, words, _at_source(second))


def _nodes(findings: FindingsByFile, one: ComparedHost, other: ComparedHost) -> None:
    """Report what differs between two nodes of a cluster."""
    patterns = [name for _, check in findings.checks.get("nodes", ()) for name in check.differ]
    for setting in host_differences.node_settings(one, other, patterns):
        findings.add_difference("nodes", *setting)
    for compared, words, place in host_differences.node_values(one, other):
        findings.add("nodes", compared, words, place)


def _at_source(mount: ClientMount) -> FindingPlace:
    return FindingPlace(mount.client, mount.file, mount.entry.source.span)


class FindingsByFile:
    """Collects the findings in all files of all hosts."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.index = RuleIndex(base, {}, kind="states")
        self.checks = base.ready(mount_outcomes.checks_between)
        self._results: dict[str, tuple[str, str, Result]] = {}
        """File → its area, its kind, and what is found there."""

    def add_mount(self, mount: MountOutcomes) -> bool:
        """Report what holds in every outcome; whether there was anything."""
        is_reported = False
        for check, wanted in self.checks.get("mount", ()):
            if all(mount_outcomes.fit(wanted.on, outcome.values) for outcome in mount.outcomes):
                is_reported = True
                outcome = mount.outcomes[0]
                if wanted.edit == "server" and outcome.export is not None:
                    self._at_export(check, mount.server, outcome.export, outcome.words)
                else:
                    self._at_mount(check, mount, outcome)
        return is_reported

    def _at_mount(self, check: Check, outcomes: MountOutcomes, outcome: MountOutcome) -> None:
        mount = outcomes.mount
        finding = mount_outcomes.finding_at_mount(check, mount.entry, mount.settings, mount.source.host, outcome.words)
        self._result(mount.client, mount.file).findings.append(placed(finding, mount.file, mount.entry))

    def _at_export(self, check: Check, server: ComparedHost, export: Exported, words: Mapping[str, str]) -> None:
        tunable = mount_outcomes.named_in(check, export.at)
        span = export.at[tunable] if tunable is not None else export.span
        result = self._result(server, export.file)
        text = result.line(span.line)[span.column - 1 : span.end_column - 1]
        finding = report(check, span, tunable=tunable, value=text, option=text, figures=words)
        if finding._replace(file=export.file) not in result.findings:
            result.findings.append(finding._replace(file=export.file))

    def add_difference(
        self, of: str, tunable: str, at: tuple[ComparedHost, ValueInFile | None],
        beside: tuple[ComparedHost, ValueInFile | None],
    ) -> None:
        """Report a setting at the first of two hosts, if both values are known and differ."""
        (host, one), (other_host, other) = at, beside
        if one is not None and other is not None and str(one.value) != str(other.value):
            words = {
                "setting": values.name(self.base.tunables[tunable]), "effect": str(other.value),
                "place": other.place, "client": host.title, "server": other_host.title,
            }
            self._add_setting(of, tunable, one.value, words, FindingPlace(host, one.file, one.span))

    def add_disagreement(self, disagreement: Disagreement, server: str, export: str, place: FindingPlace) -> None:
        """Report a setting in which the clients of an export do not agree, at one of the fewer."""
        words = disagreement.words(self.base, server, [export])
        self._add_setting("export", disagreement.tunable, disagreement.value, words, place)

    def _add_setting(self, of: str, tunable: str, value: Value, words: Mapping[str, str], place: FindingPlace) -> None:
        for check, wanted in self.checks.get(of, ()):
            if any(name_matches(tunable, pattern) for pattern in wanted.differ):
                self._add(place, report(check, place.span, tunable=tunable, value=value, figures=words))

    def add(
        self, of: str, compared: Mapping[str, Value], words: Mapping[str, str], place: FindingPlace,
        index: RuleIndex | None = None,
    ) -> None:
        """Report what comes of two hosts, with each check that it fits. `compared`: `sides.…` and settings, as checks
        name them; `words`: for messages. `index`: what is known of the host that a check's `when` is about; without it
        such a check finds nothing."""
        for check, wanted in self.checks.get(of, ()):
            figures = figures_of(check, wanted, compared) if applies(check, index) else None
            if figures is not None:
                self._add(place, report(check, place.span, figures={**words, **figures}))

    def _add(self, place: FindingPlace, finding: Finding) -> None:
        self._result(place.host, place.file).findings.append(finding._replace(file=place.file))

    def _result(self, host: ComparedHost, file: str) -> Result:
        if file not in self._results:
            area, kind, text = host.text_of(file)
            self._results[file] = area, kind, Result(file, text, self.index)
        return self._results[file][2]

    def by_area(self, areas: Sequence[str]) -> dict[str, list[Result]]:
        """The results of each area, with their findings in the order of the lines, and without those that comments in
        the files suppress."""
        by_area: dict[str, list[Result]] = {area: [] for area in areas}
        for area, kind, result in self._results.values():
            silence(result, kind)
            result.findings.sort(key=lambda finding: (finding.line, finding.column))
            by_area[area].append(result)
        return by_area


def applies(check: Check, index: RuleIndex | None) -> bool:
    """Whether a check is about a host. `index`: what is known of it; None if nothing is."""
    if index is None:
        return not check.when
    when = not check.when or index.holds(f"check:{check.check}", index.state)
    spared = bool(check.unless) and index.holds(f"unless:{check.check}", index.state) is not False
    return when is True and not spared and not (check.quiet_if and index.holds(f"quiet:{check.check}", index.state))


def figures_of(check: Check, wanted: Sides, compared_values: Mapping[str, Value]) -> dict[str, str] | None:
    """The figures of a check, in words, where it asks for what was found; else None."""
    known = {name: value for name, value in compared_values.items() if value is not None}
    if wanted.differ or not mount_outcomes.fit(wanted.on, known):
        return None
    numbers = {name: value for name, value in known.items() if isinstance(value, int)}
    return worked_out(check, numbers.get)
