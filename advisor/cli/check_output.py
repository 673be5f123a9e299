"""What `advisor check` prints: for people a summary and the findings of each area, else what `lint` prints."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.host import AREAS, concerns
from advisor.cli import lint_output
from advisor.host.bundle import BundleTree
from advisor.lint.twins import together
from advisor.readers.kinds import BY_ID
from advisor.render.phrases import counted, first_of

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.check.files import Collected, HostText
    from advisor.host.tree import Tree
    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.render.formats import Render
    from advisor.render.formats.summary import NotJudged
    from advisor.rulebase.model import RuleBase


class CheckedHost(NamedTuple):
    """A host that was checked. `found`: by area each result with those of its findings that are told. `left`: files
    that are not judged; `seen`: what is known of the host."""

    tree: Tree
    found: dict[str, list[tuple[Result, list[Finding]]]]
    collected: Collected
    left: list[HostText]
    seen: HostFacts


def show(
    args: argparse.Namespace, base: RuleBase, checked: CheckedHost, config: str | None, accepted: Baseline | None
) -> None:
    """Print what was found, in the format that was asked for."""
    tree, found, collected, left, seen = checked
    results = [result for findings in found.values() for result, _ in findings]
    shown = {
        area: together(finding._replace(area=area) for _, findings in listed for finding in findings)
        for area, listed in found.items()
    }
    unseen = _unseen(collected, tree)
    passed: list[NotJudged] = [
        {"file": one.name, "kind": one.host_file.kind,
         "reason": f"not checked: advisor does not read {BY_ID[one.host_file.kind].title} yet"} for one in left
    ]
    render: Render | None = None
    if args.output_format == "text":
        from advisor.render.check import CheckReport, check_text

        with_findings = {finding.file for findings in shown.values() for finding in findings}
        fine = [name for name in _concerned(collected, results) if name not in with_findings]
        report = CheckReport(
            _title(tree), "; ".join(_about(seen, tree)),
            [(AREAS[area], findings) for area, findings in shown.items() if findings],
            [*_notes(fine, bool(with_findings), left, unseen)],
        )
        render = partial(check_text, report)
    lint_output.show(
        args, base, results, [finding for findings in shown.values() for finding in findings], passed=passed,
        config=config, render=render, fixing=False, unseen=unseen, accepted=accepted,
    )


def _concerned(collected: Collected, results: list[Result]) -> list[str]:
    named = {result.name: result for result in results}
    return [one.name for one in collected.texts if one.name in named and concerns(one, named[one.name])]


def _title(tree: Tree) -> str:
    if tree.live:
        return "This host"
    if isinstance(tree, BundleTree):
        return f"{tree.root}, the bundle of {tree.bundle.host or 'a host without a name'}, {tree.bundle.made}"
    layout = tree.layout
    return f"{tree.root}, {'a copy of the files of a host' if layout is None else layout.title}"


def _about(seen: HostFacts, tree: Tree) -> list[str]:
    """The host in short: what it runs, what it mounts."""
    facts = {name: str(one.value) for name, one in seen.facts.items()}
    lines: list[str] = []
    for prefix in ("client.", "server."):
        words = [
            f"{name} {facts[prefix + fact]}".strip() for name, fact in (
                ("", "distro"), ("", "release"), ("kernel", "kernel"), ("nfs-utils", "nfs_utils"),
            ) if prefix + fact in facts
        ]
        if words and not lines:
            lines.append(", ".join([" ".join(words[:2]), *words[2:]] if "kernel" not in words[0] else words))
    servers = list(dict.fromkeys(mount.server or "?" for mount in seen.probe.mounts))
    if servers:
        of = f" from {servers[0]}" if len(servers) == 1 else f" from {len(servers)} servers"
        lines.append(f"{counted(len(seen.probe.mounts), 'NFS mount')} in effect{of}")
    elif tree.unmounted:
        lines.append("which NFS mounts are in effect is not known")
    else:
        lines.append("no NFS mount in effect")
    return lines


def _notes(
    fine: Sequence[str], findings: bool, left: Iterable[HostText], unseen: Iterable[tuple[str, Sequence[str]]]
) -> Iterator[str]:
    """The sentences that end the summary: files that are fine (`findings`: others are not), and what was not judged or
    not seen."""
    if fine:
        yield f"fine: {first_of(fine)}"
    elif not findings:
        yield "nothing that was seen uses NFS: no mount, no export, no setting"
    kinds = list(dict.fromkeys(one.host_file.title for one in left))
    if kinds:
        yield f"not checked: {first_of(kinds)}, because advisor does not read them yet"
    for why, names in unseen:
        yield f"not seen: {first_of(names)} ({why})"


def _unseen(collected: Collected, tree: Tree) -> list[tuple[str, list[str]]]:
    """Why something could not be seen, and what: a thing of which no place could be looked at by its name, else the
    places. What one of several places holds tells enough of the thing."""
    read = {one.host_file.title for one in collected.texts}
    there = set(read)
    paths: dict[str, dict[str, None]] = {}
    denied = {path: None for path in tree.denied if not path.startswith("/proc/sys/")}  # those nobody may read
    if denied:
        paths["you may not read this; root may"] = denied
    for one in collected.unseen:
        if one.path in tree.denied:
            continue
        if one.there:
            paths.setdefault(one.why, {})[one.path] = None
        elif one.whole and one.title not in there:
            there.add(one.title)
            paths.setdefault(one.why, {})[one.title] = None
        elif one.why != "not collected" and (one.title not in there or (one.title in read and _further(one.path))):
            paths.setdefault(one.why, {})[one.path.partition("*")[0]] = None
    return [(why, list(whats)) for why, whats in paths.items()]


def _further(path: str) -> bool:
    """Whether a path is a folder of files that are read after the one of its name, and may set all anew."""
    return path.rpartition("/")[0].endswith(".d")
