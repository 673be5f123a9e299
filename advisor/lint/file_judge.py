"""The mounts of one file, judged one after the other and then together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.lint import structure
from advisor.lint.between import MountLine, check_pairs, check_stacked, check_targets
from advisor.lint.finding import SEVERITY_OF, Finding, placed
from advisor.lint.judge import judge
from advisor.named_tuple import NamedTuple
from advisor.readers.fstab.entry import is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.lint.run import Result
    from advisor.readers.fstab.entry import Entry, Whole
    from advisor.readers.tables import MountEntry


class OpenItem(NamedTuple):
    """A setting that was not judged: where it stands, and the facts that could settle it."""

    line: int
    tunable: str
    facts: tuple[str, ...]


class FileJudge:
    """The lines of one file, judged one after the other and then together."""

    def __init__(self, index: RuleIndex, result: Result) -> None:
        self.rule_index, self.result = index, result
        self.whole: list[Whole] = []
        """Entries that mount(8) does not ignore."""
        self.nfs: set[int] = set()
        self.mounted: list[MountLine] = []
        self.errata: set[str] = set()
        self.seen: set[int] = set()
        self.carriage_returns = False

    def look_at(self, written: Entry) -> None:
        index = self.rule_index
        # What stands in one piece of a template is one word, whatever blanks are in it.
        entry = written.joined() if written.libmount != "ok" and written.template else written
        is_nfs = is_whole(entry) and index.is_nfs(entry)
        said = tuple(structure.check(index, entry, is_nfs, self.carriage_returns))
        if is_nfs and entry is not written and entry.libmount == "ok":
            said += tuple(structure.blanks(index, written))
        self.tell(said, entry)
        if entry.libmount != "ok" or not is_whole(entry):
            return
        self.carriage_returns = self.carriage_returns or entry.raw.endswith("\r")
        self.whole.append(entry)
        if is_nfs:
            self.nfs.add(entry.line_no)
            self.judge(entry, said)

    def judge(self, entry: Whole | MountEntry, said: Sequence[Finding]) -> None:
        """Judge one NFS mount; `said`: what is wrong with how it is written."""
        index, result = self.rule_index, self.result
        result.nfs_lines += 1
        judged, settings = judge(index, entry, result.name)
        result.judged[entry.line_no] = judged
        self.tell(judged.findings, entry)
        for tunable, facts in judged.open:
            result.open.append(OpenItem(entry.line_no, tunable, facts))
            for fact in facts:
                result.votes[fact] = result.votes.get(fact, 0) + 1
        if not any(d.severity == "error" and d.consequence == "mount-fails" for d in (*said, *judged.findings)):
            # What fails to mount shares nothing, and what has no effect makes no difference.
            settings = {t: found for t, found in {**judged.brought, **settings}.items() if t not in judged.ignored}
            self.mounted.append(MountLine(entry, settings, frozenset(judged.brought), judged.masks, judged.state))
        if id(judged) not in self.seen:  # an erratum is told once a file, and like lines share what they were judged
            self.seen.add(id(judged))
            self.tell(errata(index, judged.state, self.errata), entry)
        entry.release()

    def share(self) -> None:
        """What mounts have to do with one another."""
        for line, finding in check_pairs(self.rule_index, self.mounted):
            self.tell((finding,), line.entry)
        self.mounted.clear()  # most of what a large file takes

    def compare(self) -> None:
        self.share()
        for between in (check_targets, check_stacked):
            for entry, finding in between(self.rule_index, self.whole, frozenset(self.nfs)):
                self.tell((finding,), entry)

    def tell(self, findings: Iterable[Finding], entry: Entry | MountEntry) -> None:
        self.result.findings.extend(placed(finding, self.result.name, entry) for finding in findings)


def errata(index: RuleIndex, state: dict[str, int], seen: set[str]) -> list[Finding]:
    """Known bugs of the client that certainly apply; each is told once a file."""
    findings = []
    for fact, slugs in index.rulebase.lint["errata"].items():
        if not fact.startswith("client.") or fact not in state:
            continue
        for slug in slugs:
            erratum = index.rulebase.errata[slug]
            if slug not in seen and index.holds(f"erratum:{slug}:{fact}", state):
                seen.add(slug)
                findings.append(
                    Finding(
                        slug, SEVERITY_OF[erratum.strength], erratum.consequence, "high", "", 0, 1, 1,
                        f"package.{erratum.package}", None, None, f"{erratum.title}: {erratum.symptom}", erratum.why,
                        erratum.workaround or "", tuple(erratum.cites), None, field="source",
                    )
                )
    return findings
