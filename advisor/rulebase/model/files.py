"""Files that hold several entries. Only who reads the YAML needs them."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from advisor.rulebase.model.diagnosis import Cause, ErrorTexts, Message, Phrase
    from advisor.rulebase.model.facts import Constraint, Fact, Layer
    from advisor.rulebase.model.host import HostFile, Layout
    from advisor.rulebase.model.kb import Capability, Claim
    from advisor.rulebase.model.observation import Conclusion
    from advisor.rulebase.model.steps import KindSteps
    from advisor.rulebase.model.tunables import Tunable
    from advisor.rulebase.model.types import Slug, SourceId, Text


class FactsFile(Record):
    """rules/facts/*.yaml"""

    section: Slug
    order: int | None = None
    """Where the section stands among the others when questions are asked, 1 first; without it at the end. Within a
    section the facts are asked in the order of the file."""
    title: Text
    facts: Sequence[Fact]


class LayersFile(Record):
    """rules/layers.yaml: weakest first."""

    layers: Sequence[Layer]


class ConstraintsFile(Record):
    """rules/constraints.yaml"""

    constraints: Sequence[Constraint]


class ClaimsFile(Record):
    """kb/claims/<source id>.yaml"""

    claims: Sequence[Claim]


class CapabilitiesFile(Record):
    """kb/capabilities.yaml"""

    capabilities: Sequence[Capability]


class KindsFile(Record):
    """kb/kinds.yaml"""

    kinds: Sequence[KindSteps]


class TunablesFile(Record):
    """kb/tunables/**.yaml"""

    tunables: Sequence[Tunable]


class HostFilesFile(Record):
    """kb/host-files.yaml"""

    host_files: Sequence[HostFile]


class LayoutsFile(Record):
    """kb/layouts.yaml: the first whose mark is there counts."""

    layouts: Sequence[Layout]


class MessagesFile(Record):
    """kb/messages/*.yaml: what one program prints, or the symptoms of one area."""

    program: Text
    """Whose messages these are, unless they say so for themselves: `mount.nfs`."""
    source: SourceId | None = None
    """Where `at` of the messages is to be found."""
    side: Literal["client", "server"] | None = None
    """On which host they are printed."""
    messages: Sequence[Message]


class CausesFile(Record):
    """rules/causes/*.yaml"""

    causes: Sequence[Cause]


class ObservationsFile(Record):
    """rules/observations/*.yaml: facts that only a diagnosis needs. No setting rests on them."""

    observations: Sequence[Fact]


class ConclusionsFile(Record):
    """rules/conclusions/*.yaml"""

    conclusions: Sequence[Conclusion]


class PhrasesFile(Record):
    """kb/phrases/*.yaml: words that state facts, and words that mean the same."""

    phrases: Sequence[Phrase] = ()
    synonyms: Sequence[Sequence[Text]] = ()
    """Words that mean the same, the one that entries use first. One of several words stands for these in a row."""


class ErrnoFile(Record):
    """kb/errno.yaml"""

    errno: Sequence[ErrorTexts]
