"""`advisor rules test DIR`: a site's own rules, verified together with those that came with the program."""

from __future__ import annotations

from advisor.rulebase import base, load, packs, tree
from advisor.rulebase.audit.names import entries
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.compile import assemble
from advisor.rulebase.model import RuleBase
from advisor.rulebase.problems import either, merged
from advisor.verify.accepted import unaccepted
from advisor.verify.check_examples import check_examples
from advisor.verify.report import Report


def verify_pack(folder: str) -> Report:
    """Everything that is wrong with a pack, near misses too; `size` counts what is in it, examples included.

    Raises RuleBaseError when there are no rules in the folder."""
    files = base.pack_files(folder)
    folder = folder.rstrip("/") or "/"
    root = base.authored()
    checked = load.check(root, tree.files(root), thorough=True, added={folder: files})
    own = _own(checked.catalogue)
    problems = [*checked.problems, *checked.near_misses]
    notes = []
    if checked.problems or checked.base is None:
        if own.checks:
            notes.append("the examples of checks were not tried: they need rules without problems")
    else:
        compiled = assemble(checked.catalogue, checked.base.to_json(), "")
        told = [*check_examples(own, compiled), *unaccepted(checked.catalogue, RuleBase(compiled), own.rules)]
        problems += [packs.renamed(problem, [folder]) for problem in told]
    return Report(merged(problems), notes, _size(own))


def _own(catalogue: Catalogue) -> Catalogue:
    """What is in packs alone. A decision that was there before is not; the rules that were added to it are."""
    own = Catalogue()
    for name in ("rules", "checks", "errata", "decisions", "claims"):
        items: dict[str, Authored] = getattr(catalogue, name)
        setattr(own, name, {item.id: item for item in items.values() if packs.own(item.problem((), "", "", "").file)})
    return own


def _size(own: Catalogue) -> str:
    owners = [*own.rules.values(), *own.checks.values(), *own.errata.values(), *own.decisions.values()]
    counts = {
        "rule": len(own.rules),
        "check": len(own.checks),
        "erratum": len(own.errata),
        "claim": len(own.claims),
        "example": sum(len(entries(item.data.get("examples"))) for item in owners),
    }
    words = {"erratum": "errata"}
    told = [f"{count} {name if count == 1 else words.get(name, name + 's')}" for name, count in counts.items() if count]
    return either(told, "and")
