"""`advisor rules new`: a template for a rule of your own, with a TODO for each text that `advisor rules test` asks
for."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from advisor.cli.options import rule_base
from advisor.cli.terminal import CannotRun

SOURCE = "site-policy"
KINDS = ("decision", "check", "erratum")

_DECISION = """\
# A rule of this site on {name}. `advisor explain {name}` shows the rules that are there already.
# Fill in every TODO, then run: advisor rules test {folder}
decision: {name}
rules:
  - id: {short}/site
    layer: site
    when: {{}}  # always; or facts, such as {{storage.platform: anf}} (see `advisor rules list --facts`)
    value: TODO  # a value, omit (leave it out), keep (leave it as it is), or a bound such as "<=16"
    strength: should  # must: an error; should: a warning; may: a note
    consequence: performance  # what happens to those who do otherwise
    why: TODO why this holds here, in one sentence
    cites: [{claim}]
    examples:
      - {{given: {{}}, expect: TODO}}
"""

_CHECK = """\
# Fill in every TODO, then run: advisor rules test {folder}
check: {name}
title: TODO what it finds, in a few words
on: {{mount.bg: true}}  # settings that must all stand in a line: a value, a list, a range, present or absent
# when: {{client.init: systemd}}  # facts that must hold as well
strength: should  # must: an error; should: a warning; may: a note
consequence: boot  # what happens if it is left unchanged
message: TODO what is wrong
why: TODO why it matters, in one sentence
remedy: TODO what to write instead
# fix: {{safety: unsafe, remove: [mount.bg]}}
cites: [{claim}]
examples:
  - {{fstab: "nas:/data  /data  nfs  bg,hard  0 0", finds: true}}
  - {{fstab: "nas:/data  /data  nfs  hard  0 0", finds: false}}
"""

_ERRATUM = """\
# Fill in every TODO, then run: advisor rules test {folder}
erratum: {name}
title: TODO the fault, in a few words
package: kernel
facts: [client.kernel]
affected:
  mainline: [{{introduced: "6.5", fixed: "6.5.4"}}]
strength: should  # must: an error; should: a warning; may: a note
consequence: hang  # what happens to those who have it
symptom: TODO what is seen
why: TODO what goes wrong, in one sentence
workaround: TODO what helps until the update
cites: [{claim}]
examples:
  - {{given: {{client.kernel: "6.5.3", client.kernel_stream: mainline}}, expect: true}}
  - {{given: {{client.kernel: "6.5.4", client.kernel_stream: mainline}}, expect: false}}
"""

_CLAIM = """\
claims:
  - id: {claim}
    source: {source}
    at: TODO the place in the document
    says: TODO what the document says, in your own words
    verdict: accepted
"""

_SOURCE = """\
source: {source}
title: TODO the document that lays it down
publisher: TODO who wrote it
language: en
grade: report
"""


def configure(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    says = "write a template for your own rule"
    command = what.add_parser("new", help=says, description=says, allow_abbrev=False)
    command.add_argument("kind", choices=KINDS, metavar="KIND", help="decision, check or erratum")
    command.add_argument("name", metavar="NAME",
                         help="of a decision: the tunable, such as mount.nconnect; else a new name")
    command.add_argument("--into", metavar="DIR", default=".", help="the folder with your rules (default: this one)")


def run(args: argparse.Namespace) -> int:
    """Write the template files. CannotRun if one of them exists."""
    _check_name(args.kind, args.name)
    folder = Path(args.into)
    files = _files(args.kind, args.name, args.into)
    shared = f"{SOURCE}.yaml"
    for name in files:
        if name != shared and (folder / name).exists():
            raise CannotRun(f"{folder / name}: already exists")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if name == shared and (folder / name).exists():
                continue
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
            print(folder / name)
    except OSError as error:
        raise CannotRun(f"{error.filename}: cannot be written: {error.strerror}") from None
    print(f"Fill in every TODO; then `advisor rules test {args.into}` and `advisor lint --rules {args.into}`.")
    return 0


def _check_name(kind: str, name: str) -> None:
    from advisor.rulebase.problems import near

    base = rule_base()
    if kind == "decision":
        if name not in base.tunables:
            hint = near(name, base.tunables, "`advisor rules list` lists the decisions")
            raise CannotRun(f"unknown tunable {name!r}; {hint}")
    elif not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise CannotRun(f"{name!r}: use lower-case letters, digits and single hyphens, such as no-bg-mounts")
    elif name in base.rule_names:
        raise CannotRun(f"{name!r} is already the name of a rule")


def _files(kind: str, name: str, folder: str) -> dict[str, str]:
    """File name → text, of a new `kind` (one of KINDS) called `name` in `folder`.

    The last file, the source, serves all rules of the folder and is written only where it is missing."""
    short = name.partition(".")[2].lower() if kind == "decision" else name
    claim = f"{SOURCE}.{re.sub(r'[^a-z0-9.-]', '-', short)}"
    template = {"decision": _DECISION, "check": _CHECK, "erratum": _ERRATUM}[kind]
    return {
        f"{name}.yaml": template.format(name=name, short=short, claim=claim, folder=folder),
        f"claims-{name}.yaml": _CLAIM.format(claim=claim, source=SOURCE),
        f"{SOURCE}.yaml": _SOURCE.format(source=SOURCE),
    }
