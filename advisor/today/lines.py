"""The NFS lines of an fstab: the mounts that they name, and what the linter says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.advice.answers import bad_name
from advisor.lint.finding import Finding
from advisor.lint.line_facts import mount_of
from advisor.lint.run import lint_text
from advisor.rulebase.model import RuleBase
from advisor.sections import NAMES, Section

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def mount_sections(base: RuleBase, text: str, path: str) -> tuple[Section, ...]:
    """A section for each NFS line of an fstab that says what is mounted where. `path`: of the file, for messages.

    Of what the line says these are facts: what no advice is on (that it is read-only), what would be assumed otherwise
    (its security), and the platform that its type stands for."""
    result = lint_text(text, path, base, {})
    found = []
    for line, judged in result.judged.items():
        mount = mount_of(result, line)
        names = dict(zip(NAMES, (mount.server, mount.export or "/", mount.target)))
        if any(bad_name(name, one) for name, one in names.items()):
            continue
        index, fstype = judged.rule_index, judged.settings["fstab.type"].text
        facts = {
            fact: index.engine.answer(fact, mask) for fact, mask in judged.masks.items()
            if (setting := base.facts[fact].setting) and setting.tunable in judged.settings
            and (fact not in base.decisions or base.facts[fact].usual)
        }
        today = {name: one.text for name, one in judged.settings.items() if one.field == "options"}
        if fstype in index.type_platform:
            facts["storage.platform"] = index.type_platform[fstype]
            today["fstab.type"] = fstype
        found.append(Section(f"{path}:{line}:1", names, facts, {}, today))
    return tuple(found)


def objections(base: RuleBase, line: str, facts: Mapping[str, Values]) -> list[Finding]:
    """What the linter says of a line under these facts, but for matters of house policy."""
    return [one for one in lint_text(line, "fstab", base, facts).findings if not one.policy]
