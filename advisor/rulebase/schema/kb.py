"""What is: sources, claims, platforms, capabilities."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from advisor.rulebase.schema.base import ClaimId, Condition, DottedId, Scalar, Slug, SourceId, Strict, Text
from advisor.rulebase.schema.rules import Example

Grade = Literal["code", "observed", "manual", "vendor", "measurement", "report", "community"]
"""Grade of evidence, strongest first: read in the code; seen on a real kernel; a reference manual; the vendor's
own page; a vendor's measurement; a bug report or issue thread; a blog or forum."""


class Source(Strict):
    """kb/sources/<id>.yaml: one document."""

    source: SourceId
    title: Text
    publisher: Text
    language: Text
    date: Text | None = None
    """When it was written or last changed, ISO 8601 as far as known."""
    version: Text | None = None
    address: Text | None = None
    file: Text | None = None
    """A document's file name where it has no public address."""
    grade: Grade
    holds: dict[DottedId, Scalar | list[Scalar]] = {}
    """What it is about, in facts: its claims hold there, unless they say so for themselves."""
    sections: list[Text] = []
    """The document's sections in order, in English. Where they are given every claim of the source says which one it
    is from, and every section has a claim: `advisor kb coverage`."""
    note: Text | None = None


class Checked(Strict):
    """How a claim fared when it was held against its source, and when."""

    date: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    outcome: Literal["agrees", "corrected", "not-opened"]
    """`agrees`: it said what its source says. `corrected`: it does since then. `not-opened`: nobody could look."""
    against: Text | None = None
    """What was opened: an address, a repository's file at a commit or tag, a manual page of a package's version; and
    the part, where that is not the claim's own place."""
    because: Text | None = None
    """Why it could not be opened. Only with `not-opened`, which has no `against`."""


class Claim(Strict):
    """One paraphrased statement of one source."""

    id: ClaimId
    source: SourceId
    at: Text
    """Where in the document. Where the source lists its sections: a section, or a section, a comma and the place in it;
    several places are separated by "; "."""
    says: Text
    figures: dict[str, Any] | None = None
    """Its numbers, with the unit in the key: `{max_inflight_per_connection: 128}`."""
    row: dict[DottedId, Scalar | list[Scalar]] | None = None
    """The settings of one line or row of a table, as the source writes them: `{mount.vers: "4.1", mount.timeo: 600}`; a
    list where it offers several values. Each is taken by a rule or check that cites the claim, or stands in `left`."""
    left: dict[DottedId, Text] = {}
    """Setting of the row → why no rule takes it from here."""
    verdict: Literal["accepted", "dated", "typo", "disputed", "measured", "wrong"]
    """`wrong`: refuted by a better source. `measured`: true of that vendor's test, to be quoted as such."""
    disputed_by: list[ClaimId] = []
    better: list[ClaimId] = []
    """What to believe instead, for a claim that is dated, a typo, disputed or wrong."""
    about: list[DottedId] = []
    """Tunables that the claim speaks of: `advisor explain` and `kb disputes` find it by these."""
    scope: Text | None = None
    """Where it holds, in words: "NFSv3 on Azure NetApp Files"."""
    holds: dict[DottedId, Scalar | list[Scalar]] | None = None
    """The same in facts, as far as they can say it, where it is not that of the source: who asks about something else
    is not shown its figures."""
    note: Text | None = None
    checked: Checked | None = None
    """Absent: not yet. `advisor kb unchecked` lists the claims with figures for which it is."""
    unused: Text | None = None
    """Why nothing rests on it (a caveat, background, a measured result …). Only where nothing does."""


class ClaimsFile(Strict):
    """kb/claims/<source id>.yaml"""

    claims: list[Claim]


class ServerName(Strict):
    """A server name that gives the platform away. `pattern` is a shell glob over the lower-case host name."""

    pattern: Text
    cites: list[ClaimId]


class Platform(Strict):
    """kb/platforms/<id>.yaml: a place where NFS data lives, and how a line gives it away."""

    platform: Slug
    """The same as a value of the fact `storage.platform`."""
    title: Text
    says: Text
    server_names: list[ServerName] = []
    fstypes: list[Text] = []
    """Mount helper types of this platform, such as `efs`."""
    guidance: Literal["published", "partial", "none-found"] = "published"
    note: Text | None = None
    cites: list[ClaimId] = []


class Capability(Strict):
    """A derived yes/no fact: what a client or server is able to do, by upstream version or distribution backport."""

    id: DottedId
    says: Text
    when: Condition
    """Where it is known to be able."""
    unless: Condition | None = None
    """Where it is known not to be able. Where neither holds nobody knows: a distribution kernel may have a backport.
    Without `unless`, whatever `when` does not cover is unable."""
    cites: list[ClaimId]
    note: Text | None = None
    examples: list[Example]
    """`expect: true` and `expect: false`, at least one of each."""


class CapabilitiesFile(Strict):
    """kb/capabilities.yaml"""

    capabilities: list[Capability]
