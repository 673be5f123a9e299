"""What `advisor recommend --output-format json` writes, as a JSON Schema.

`python -m advisor.render.recommend_schema` prints it; it is published as docs/schema/advisor-recommend-1.json."""

from __future__ import annotations

import json

from advisor.render.lint_schema import COUNT, TEXT, each, has, said
from advisor.render.recommend_json import SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

_MAYBE = {"type": ["string", "null"]}
_VALUE = {"type": ["string", "number", "boolean", "null"]}
_NAMES = each(TEXT, "ids")
_STRENGTH = said({"enum": ["must", "should", "may", None]}, "how strongly; null where nothing is recommended")

CITE = has(
    {
        "claim": said(TEXT, "the claim's id; `advisor kb show CLAIM` has all of it"),
        "says": said(TEXT, "what the source says, in our words"), "source": said(TEXT, "the id of the document"),
        "title": TEXT, "publisher": TEXT, "at": said(TEXT, "the place in the document"),
        "grade": said(TEXT, "how good the evidence is"),
        "verdict": said(TEXT, "accepted, dated, typo, disputed, measured or wrong"),
        "date": _MAYBE, "address": _MAYBE, "figures": {"type": "object"},
        "scope": said(_MAYBE, "what it holds for"),
        "against": said(_NAMES, "claims that dispute it or say it better"),
    },
    "a claim of a source",
)
SUPPOSED = has(
    {"fact": TEXT, "value": {"type": [*_VALUE["type"], "array"]}, "why": TEXT, "cites": _NAMES},
    "a value that nobody gave: one, a range, or a list of those that are left",
)
_PLACE = has(
    {"value": said(_VALUE, "null: not set, or not in effect"), "where": said(_MAYBE, "the file and line, or why not")},
    "a value and its place", null=True,
)
SETTLED = has(
    {
        "tunable": said(TEXT, "mount.OPTION, sysctl.KEY, …"), "kind": TEXT, "title": TEXT,
        "value": said(_VALUE, "a literal, omit, keep, n/a, or a bound such as <=262144"),
        "write": said(_VALUE, "the concrete value to write; null where there is nothing to write"),
        "text": said(TEXT, "as it stands in its file: nconnect=8"),
        "already_default": {"type": "boolean"}, "strength": _STRENGTH, "consequence": _MAYBE, "rule": _MAYBE,
        "layer": _MAYBE, "why": TEXT, "risk": _MAYBE, "note": _MAYBE, "cites": each(CITE, "what the rule rests on"),
        "because": each(
            has({"fact": TEXT, "value": TEXT, "need": TEXT, "origin": TEXT}, "a fact, and where it is from"),
            "the smallest set of facts that forces the value",
        ),
        "lost": each(
            has({"rule": TEXT, "layer": TEXT, "value": _VALUE, "why": TEXT, "cites": _NAMES, "beaten_by": _NAMES},
                "a rule that applies and loses"), "rules that lost",
        ),
        "disagree": each(CITE, "sources that say otherwise, are dated, or slip"),
        "measured": each(CITE, "what sources measured with it, on systems like the one at hand"),
        "elsewhere": said({"type": "object"}, "other topics, and how many claims each has"),
        "pinned": said({"type": "boolean"}, "pinned by the administrator"),
        "observed": has(
            {"kind": {"enum": ["helps", "useless"]}, "says": said(TEXT, "the evidence"),
             "conclusion": said(TEXT, "its id in advisor-observe/1"), "at_most": said(TEXT, "what it saves, if known")},
            "what counters that were given say of it; null: nothing", null=True,
        ),
        "rests_on": each(
            SUPPOSED,
            "a smallest set of assumptions that gives the value; empty for what is settled",
        ),
        "presumes": each(SUPPOSED, "what the value takes for granted, without proof that it does no harm"),
        "costs": each(
            has({"rule": _MAYBE, "value": _VALUE, "strength": _STRENGTH, "consequence": _MAYBE, "why": TEXT,
                 "cites": each(CITE, "sources")}, "what is recommended instead"), "what a pinned value gives up",
        ),
        "refused": has(
            {"tunable": TEXT, "problem": TEXT, "consequence": TEXT, "why": TEXT, "cites": _NAMES},
            "what speaks against a pinned value: a rule that must be kept, or an error of the linter", null=True,
        ),
        "unit": _MAYBE, "default": _VALUE, "takes_effect": _MAYBE, "persists": _MAYBE,
        "before": said(_MAYBE, "what was there before, where it was looked up"),
        "sets": said(_MAYBE, "how to apply this value"), "verify": said(_MAYBE, "how to check it"),
        "undo": said(_MAYBE, "how to go back"),
    },
    "a setting whose value follows from what is known, or from usual values as well",
    optional={
        "mounts": said(_NAMES, "of several mounts: those whose advice asks for it"),
        "set": {**_PLACE, "description": "what the host's files set, where it was looked at; null: not read"},
        "in_effect": {**_PLACE, "description": "what is in effect there; null: not read"},
    },
)
OPEN = has(
    {
        "tunable": TEXT, "kind": TEXT, "title": TEXT, "strength": _STRENGTH,
        "possible": each(
            has({"value": _VALUE, "rule": _MAYBE, "strength": _STRENGTH, "consequence": _MAYBE, "why": TEXT,
                 "when": TEXT}, "a value"),
            "every value that is still possible, each with a case",
        ),
        "asks": each(TEXT, "the facts that settle it"),
    },
    "a setting that depends on what is not known",
)


def schema() -> dict[str, object]:
    """The schema. Later versions of the program may add properties; those named here stay."""
    figure = has(
        {"tunable": TEXT, "title": TEXT, "about": TEXT, "unit": TEXT, "formula": TEXT,
         "filled": said(TEXT, "the formula with its numbers"),
         "value": said({"type": ["integer", "null"]}, "null while facts are missing"), "missing": _NAMES, "rule": TEXT,
         "why": TEXT, "cites": _NAMES,
         "rests_on": each(SUPPOSED, "the usual values among its numbers, and those for which the formula holds")},
        "a figure that a rule computes",
    )
    bug = has(
        {"erratum": TEXT, "title": TEXT, "package": TEXT, "symptom": TEXT, "why": TEXT, "workaround": _MAYBE,
         "strength": TEXT, "consequence": TEXT, "certain": {"type": "boolean"}, "asks": _NAMES, "cites": _NAMES},
        "a known bug",
    )
    question = has({"fact": TEXT, "ask": TEXT, "settles": {"type": "number"},
                    "matters": said({"type": "boolean"}, "something that must or should be set waits for it"),
                    "decisions": _NAMES}, "a question",
                   optional={"mounts": said(_NAMES, "of several mounts: those that it is about")})
    effect = has({"tunable": TEXT, "before": TEXT, "after": TEXT}, "what pinned values change elsewhere")
    mount = has(
        {
            "server": TEXT, "export": TEXT, "target": TEXT, "facts": {"type": "object"},
            "found": said({"type": "object"}, "facts that nobody gave, and what each was inferred from"),
            "line": said(TEXT, "for fstab; empty where there is nothing to mount"),
            "lacking": said(_NAMES, "settings that must be in the line and are still open"),
            "settled": each(SETTLED, "settings of the mount"), "assumed": each(SETTLED, "settings of the mount"),
            "open": each(OPEN, "settings of the mount"), "estimates": each(figure, "figures"),
            "effects": each(effect, "effects"),
        },
        "one of several mounts",
    )
    side = has({"target": TEXT, "tunable": TEXT, "value": _VALUE, "rule": _MAYBE, "strength": _STRENGTH, "why": TEXT},
               "what the advice for one mount wants")
    several = {
        "mounts": each(mount, "where there are several: what is said of each"),
        "conflicts": each(has({"tunable": TEXT, "title": TEXT, "sides": each(side, "mounts")},
                              "a setting of the host on which mounts disagree: none is recommended"), "conflicts"),
    }
    whole = has(
        {
            "schema": {"const": SCHEMA}, "version": TEXT, "rule_base": said(TEXT, "hash of the rule base"),
            "answers": {"type": "object"}, "settled": each(SETTLED, "settings that are settled"),
            "assumed": each(SETTLED, "settings that rest on usual values, and do no harm if these are wrong"),
            "presumed": each(SUPPOSED, "what any setting takes for granted, until somebody says otherwise"),
            "unguided": said(_NAMES, "platforms for which no vendor guidance was found"),
            "open": each(OPEN, "settings that are not"),
            "questions": each(question, "those first for which most is at stake"),
            "estimates": each(figure, "figures"), "bugs": each(bug, "known bugs"), "effects": each(effect, "effects"),
            "summary": has({"settled": COUNT, "assumed": COUNT, "to_set": COUNT, "open": COUNT}, "how many"),
        },
        "what advisor recommend says; of several mounts: settled, assumed and open are the host's", optional=several,
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA, **whole}


def text() -> str:
    """The schema as it is published."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")
