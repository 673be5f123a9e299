"""What programs print, people see and counters show; and what can explain it."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import (
        Added,
        Cites,
        ConclusionId,
        Condition,
        FactId,
        Filled,
        FindingId,
        MessageId,
        Slug,
        SourceId,
        Text,
        TunableId,
        Values,
        WordGroups,
    )

FIELDS = ("server", "source", "path", "address", "number", "version", "errno", "name", "option", "any")
"""What a field of a message's text can be; a digit may follow."""


class Message(Record):
    """Something that a program prints, or that people see and describe: a message has `text`, a symptom `words`.

    In a text, `{field}` stands for what varies. Its name says what it can be: `{server}` (a name without a slash),
    `{source}` (server:/path), `{path}`, `{address}`, `{number}`, `{version}`, `{errno}` (a system error, in any
    language), `{name}` and `{option}` (anything without a blank), `{any}` (anything). A digit may follow where a name
    is needed twice: `{path2}`. `{{` is a brace."""

    id: MessageId
    """`<program or area>.<what it says>`: `mount-nfs.access-denied`."""
    text: Text | None = None
    """As it is printed, without the timestamp and the program's name that a log puts before it. Capitals, quotation
    marks and the number of spaces make no difference."""
    also: Sequence[Text] = ()
    """Other forms of the same message: of older and newer versions, as other programs pass it on."""
    words: WordGroups = ()
    """Of a symptom: groups of words. All words of one group are in one sentence, in any order; "read only" stands for
    two words that follow each other, `files|folders` for either. Synonyms of kb/phrases count."""
    program: Text = ""
    """Who prints it, if that is not the file's program."""
    source: SourceId | None = None
    """Where `at` is to be found, if that is not the file's source."""
    at: Text | None = None
    """File and function that print it."""
    errno: Text | None = None
    """The system error behind it: `EACCES`."""
    printed: Text | None = None
    """Under which condition it is printed."""
    means: Text
    side: Literal["client", "server"] | None = None
    """On which host it is printed, if that is not the file's side."""
    kind: Literal["error", "transient", "information"] = "error"
    """`transient`: it goes away by itself if all is well. `information`: nothing is wrong, but it tells facts
    (`holds`), such as a line of rpcinfo's output; alone it has no cause."""
    generic: bool = False
    """It has too few words of its own to be known by: it counts only where the text names NFS."""
    legacy: bool = False
    """No current release prints it."""
    since: Text | None = None
    """The first release that prints this text: `nfs-utils 2.6.3`."""
    until: Text | None = None
    """The last one."""
    same_text: Sequence[MessageId] = ()
    """Messages that some text fits as well as this one."""
    holds: Mapping[FactId, Filled] = {}
    """Facts that are known where it is read: fact → value, or `"{field}"` for what stood there."""
    note: Text | None = None


class CauseCheck(Record):
    """How to tell this cause from the others."""

    on: Literal["client", "server", "network"]
    do: Text
    """A command, or what to look at. Causes that say the same here are distinguished by the same check."""
    tells: Text
    """What the outcome means: "unmatched host: this cause; authenticated: another one"."""
    cost: Literal["low", "medium", "high"] = "low"
    """`low`: a minute. `medium`: needs preparation, a second host or a colleague. `high`: a maintenance window."""
    risk: Literal["none", "low", "high"] = "none"
    """Of harm to what is running. `low`: it may stall one command. `high`: users notice."""


class Remedy(Record):
    """How to fix it."""

    do: Text
    risk: Text | None = None
    undo: Text | None = None


class Weight(Record):
    """Something that makes a cause likelier, or less likely."""

    when: Condition
    times: float | int
    """How many times as likely where `when` holds; below 1, less likely. What is only stated moves it less."""


class CauseExample(Record):
    """A text as people send it, and what becomes of this cause. `given`: facts known besides."""

    text: Text
    given: Mapping[FactId, Values] = {}
    expect: Literal["first", "confirmed", "possible", "ruled-out", "absent"]
    """`first`: before all others, whether possible or confirmed. `possible`: neither confirmed nor ruled out. `absent`:
    not named at all."""
    note: Text | None = None


class Cause(Record):
    """What can be behind a message or symptom."""

    id: Slug
    title: Text
    """A sentence without a full stop, which an expert would accept as the answer."""
    side: Literal["client", "server", "network", "any"] = "any"
    """The side where it is fixed."""
    explains: Mapping[MessageId, int]
    """Message or symptom → in how many counted reports this was the cause; 0: possible, never counted."""
    proved_by: Sequence[MessageId] = ()
    """Messages that nothing else explains."""
    findings: Sequence[FindingId] = ()
    """Checks of rules/checks whose findings in a pasted configuration line confirm it."""
    proof: Condition = {}
    """Confirmed where this holds by what was read in output; what was only stated makes it likelier."""
    when: Condition = {}
    """Without this it cannot be: ruled out where it is certainly false by what was read."""
    likelier: Sequence[Weight] = ()
    why: Text
    """One or two sentences that a colleague would say."""
    check: CauseCheck
    remedy: Remedy
    cites: Cites
    note: Text | None = None
    file: Added[Text] = ""
    examples: Sequence[CauseExample]
    """At least one in which it is first, confirmed or possible, and one near miss in which it is ruled out, absent or
    not the first."""


class Phrase(Record):
    """Words in which people state a fact about their systems."""

    id: Slug
    words: WordGroups
    """As in a symptom."""
    unless: WordGroups = ()
    """Groups whose words, in the same sentence, keep it from counting."""
    holds: Mapping[FactId, Values]
    opposite: Mapping[FactId, Values] = {}
    """What holds where the sentence negates it ("no firewall"); without this, a negated phrase tells nothing."""


class ErrorTexts(Record):
    """An error number of the system, and its texts."""

    id: Text
    """Its name: `EACCES`."""
    texts: Mapping[Slug, Sequence[Text]]
    """Language → its texts in glibc and older libraries; `en` is what patterns are written in."""


class ConclusionExample(Record):
    """Quantities of a window, and whether they lead to the conclusion."""

    given: Mapping[FactId, Values]
    expect: bool
    note: Text | None = None


PROBED = (
    "address", "clients", "dead", "domain", "elsewhere", "entry", "flavours", "lease", "mode", "others", "own", "owner",
    "part", "path", "port", "ports", "server", "status", "uid", "versions",
)
"""Words that the sentence of a conclusion `of: probe` may have besides quantities: `{path}`."""


class Conclusion(Record):
    """What the counters of a window, or the answers of a server, show."""

    id: ConclusionId
    title: Text
    """What it means to the reader, in a few words without a full stop."""
    kind: Literal["limit", "trouble", "work", "verdict", "note"]
    """`limit`: what the work waits for. `trouble`: something that goes wrong. `work`: what the work is like. `verdict`:
    where nothing here is to be tuned. `note`: what is certain besides and limits nothing."""
    of: Literal["mount", "server", "probe"] = "mount"
    when: Condition
    """Only where this is certainly true, by what was counted, is anything concluded."""
    says: Text
    """The evidence, a sentence with quantities in it: `{observed.rtt}`; of a probe also with words of PROBED."""
    means: Text
    """What follows: one to three sentences that a colleague would say."""
    helps: Sequence[TunableId] = ()
    """Tunables of the host that was looked at that can change it."""
    helps_server: Sequence[TunableId] = ()
    """Those of the server that it mounts from."""
    at_most: Mapping[TunableId, FactId] = {}
    """Tunable → the quantity that it can save, all of it at most."""
    useless: Sequence[TunableId] = ()
    """Tunables that people turn for it and that change nothing."""
    holds: Mapping[FactId, Values] = {}
    """Facts of the mount that are so for the work of the window."""
    measures: Mapping[FactId, Text] = {}
    """Facts whose value, or bound, is a quantity: `{observed.rtt}`, `>={observed.in_flight}`."""
    cites: Cites
    note: Text | None = None
    examples: Sequence[ConclusionExample]
    """At least one in which it is concluded, and one in which it is not."""


def message_pieces(text: str) -> list[tuple[str, str]]:
    """Each literal piece of a message's text with the field before it: "" for the first. A literal may be empty.

    Raises ValueError for a brace that is not closed."""
    pieces: list[tuple[str, str]] = []
    literal, field, at = "", "", 0
    while True:
        opened = text.find("{", at)
        if opened < 0:
            return [*pieces, (literal + text[at:].replace("}}", "}"), field)]
        literal += text[at:opened].replace("}}", "}")
        if text.startswith("{{", opened):
            literal += "{"
            at = opened + 2
            continue
        closed = text.find("}", opened)
        if closed < 0:
            raise ValueError("a field is not closed")
        pieces.append((literal, field))
        literal, field, at = "", text[opened + 1 : closed], closed + 1


def count_letters(pieces: list[tuple[str, str]]) -> int:
    """Letters and digits of a message outside its fields: "error -512" says more than "error"."""
    return sum(character.isalnum() for literal, _ in pieces for character in literal)
