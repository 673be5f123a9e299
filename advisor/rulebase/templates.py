"""`advisor rules new`: files to fill in. What is open begins with TODO, and `advisor rules test` asks for it."""

from __future__ import annotations

import re

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


def files(kind: str, name: str, folder: str) -> dict[str, str]:
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
