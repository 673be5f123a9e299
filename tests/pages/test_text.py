"""Findings for people."""

import re

from hypothesis import given
from hypothesis import strategies as st

from advisor.lint.evidence import Evidence, Ground, RuleSide
from advisor.lint.finding import Edit, Finding, Fix
from advisor.pages.formats.text import as_text, in_short, short_title
from advisor.pages.rule_pages import finding_proof
from advisor.pages.style import Style, width
from advisor.rulebase.model import Check
from tests.advice.environments import base
from tests.pages.hostile import QUESTION, context, findings, summary
from tests.tiers import examples

LINE = "nas:/a /a nfs soft,bg,intr 0 0"
LINES = {("/etc/fstab", 3): LINE}
WHY = "A soft time-out loses data. Nobody notices that."


def finding(option, *, message="soft should be hard", remedy="Write hard.", why=WHY, fix=None, severity="warning"):
    column = LINE.index(option) + 1
    return Finding(
        "hard/default", severity, "data-loss", "high", "/etc/fstab", 3, column, column + len(option), "mount.hard",
        option, "hard", message, why, remedy, ("nfs5.soft", "seen.soft"), fix, (), False,
    )


def shown(*found, lines=LINES, question=None, columns=100, **more):
    given_ = dict(summary(found, lines, question), **more.pop("about", {}))
    return as_text(found, given_, context(lines, columns=columns, **more)).splitlines()


def test_a_finding_has_place_severity_rule_consequence_remedy_reason_and_source():
    lines = shown(finding("soft", fix=Fix("unsafe", (Edit(3, 15, 19, "hard"),))))
    assert lines[:5] == [
        f"3 | {LINE}",
        "  |               ^^^^",
        "/etc/fstab:3:15: warning[hard/default] soft should be hard (data-loss)",
        "    do:  Write hard. [--unsafe-fixes]",
        "    why: A soft time-out loses data. Nobody notices that. (nfs(5) +1)",
    ]


def test_findings_of_one_line_share_it_and_what_is_said_once_is_not_repeated():
    lines = shown(finding("soft"), finding("bg", why=WHY), finding("intr", why="It does nothing."))
    assert sum(line.startswith("3 | ") for line in lines) == 1
    assert "              ^^^^ ^^ ^^^^" in lines[1]
    assert sum("A soft time-out" in line for line in lines) == 1
    assert any("It does nothing." in line for line in lines)


def test_new_text_that_the_remedy_does_not_hold_is_shown():
    fix = Fix("safe", (Edit(3, 19, 19, ",timeo=600"),))
    assert "    do:  Wait longer. -> timeo=600 [--fix]" in shown(finding("soft", remedy="Wait longer.", fix=fix))


def test_the_end_tells_inferred_platforms_questions_and_counts():
    inferred = [{"fact": "storage.platform", "value": "aws-efs", "title": "Amazon EFS", "places": [
        {"file": "/etc/fstab", "line": number} for number in range(3, 12)]}]
    lines = shown(finding("soft"), question=QUESTION, about={"inferred": inferred})
    text = " ".join(lines[-6:])
    assert "Inferred from server name or mount type: Amazon EFS, lines 3, 4, 5, 6, 7 and 4 more." in text
    assert "3 settings depend on facts that are not known; 2 on this:" in text
    assert "--set client.kernel=5.14|6.1" in text
    assert lines[-1] == "1 warning in 1 NFS line; 1 suppressed"


def test_no_findings_is_one_line():
    assert shown() == ["no findings in 1 NFS line; 1 suppressed"]


def test_a_short_first_sentence_is_not_the_reason():
    first = "timeo counts tenths of a second. A short pause then ends in an error that few programs check."
    assert in_short(f"{first} And so on.") == first
    kernel = "Nothing of the kind was ever read by any kernel since Linux 5.6. 12 more words follow it here."
    assert in_short(kernel) == kernel


def test_titles_of_manual_pages_are_short():
    assert short_title("nfs(5): options for NFS") == "nfs(5)"
    assert short_title("Recommended NFS mount options") == "Recommended NFS mount options"


def test_colour_and_links():
    lines = shown(finding("soft"), style=Style(True, True))
    text = "\n".join(lines)
    assert "\x1b[1m/etc/fstab:3:15:\x1b[0m \x1b[1;33mwarning[hard/default]\x1b[0m" in text
    assert "\x1b]8;;https://man.example/nfs.5.html\x1b\\(nfs(5) +1)\x1b]8;;\x1b\\" in text
    assert "\x1b]8" not in "\n".join(shown(finding("soft"), style=Style(True)))
    assert "\x1b" not in "\n".join(shown(finding("soft")))


def test_a_link_that_is_broken_over_lines_is_closed_in_each():
    for line in shown(finding("soft"), style=Style(True, True), columns=20):
        assert line.count("\x1b]8;;") % 2 == 0


PROOF = Evidence(
    known=(Ground("storage.platform", "aws-efs", "the server's name matches *.efs.*.amazonaws.com", ("efs.name",)),),
    wins=(
        RuleSide("hard/default", "default", "hard", ""),
        RuleSide("hard/mail", "workload", "hard", "workload.kind is mail"),
    ),
    beaten=(RuleSide("hard/read-only", "protocol", "keep", ""),),
    check=Check.from_data({
        "on": {"mount.hard": "soft"}, "pair": {"same": ["fstab.host"], "differ": ["mount.nconnect"]},
    }),
)


def told(f):
    cited = f._replace(cites=("nfs5.soft", "anf-module.slots-table"))
    return finding_proof(base(), cited, PROOF, lambda file, number: LINE)


def test_verbose_is_the_whole_proof():
    fix = Fix("unsafe", (Edit(3, 15, 19, "hard"),))
    lines = shown(
        finding("soft", fix=fix), verbose=True, proof=told,
        about={"open": [{"file": "/etc/fstab", "line": 3, "tunable": "mount.vers", "depends_on": ["client.kernel"]}]},
    )
    text = re.sub(r"\s+", " ", " ".join(lines))
    for words in (
        "why: A soft time-out loses data. Nobody notices that.",
        "fix: unsafe; line 3 becomes nas:/a /a nfs hard,bg,intr 0 0",
        "finds: A line with mount.hard is soft, two NFS lines that are alike in fstab.host, and differ in",
        "rule: hard/default (default): hard and: hard/mail (workload): hard, if workload.kind is mail",
        "fact: storage.platform is aws-efs (the server's name matches *.efs.*.amazonaws.com; efs.name)",
        "beats: hard/read-only (protocol): leave it as it is",
        "manual page (nfs5.soft, checked 2026-11-21)",
        "Recommended slot table is 128 for nconnect 0-1",
        "disputed by: The slot table counts per connection",
        "open: mount.vers depends on client.kernel (line 3)",
    ):
        assert words in text, words


@given(case=findings(), columns=st.integers(30, 120), colour=st.booleans())
@examples(25, 100)
def test_verbose_never_overflows_and_obeys_nothing(case, columns, colour):
    found, lines = case
    text = as_text(found, summary(found, lines), context(
        lines, columns=columns, verbose=True, proof=told, style=Style(colour, colour)))
    bare = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\", "", text)
    for line in bare.split("\n"):
        assert line.isprintable()
        assert width(line) <= columns or line.strip().startswith("https://")
