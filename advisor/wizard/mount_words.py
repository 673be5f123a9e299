"""Which of several mounts is meant, in words."""

from __future__ import annotations

from advisor.advice.answers import Answers
from advisor.advice.line import host
from advisor.advice.mounts import same_server
from advisor.rulebase.model import RuleBase
from advisor.session import Session


def label(answers: Answers) -> str:
    """ "nas1:/data on /mnt/data"."""
    name = answers.name
    return f"{host(name('server'))}:{name('export')} on {name('target')}"


ANOTHER_HOST = "Your answer is about another host than this one: what was found here is not offered any more."


def about(base: RuleBase, session: Session, fact: str | None) -> str:
    """What a question is about, where there are several mounts; without a question: which mount is looked at."""
    mounts = [one.answers for one in session.mounts]
    if len(mounts) < 2:
        return ""
    scope = base.facts[fact].scope if fact is not None and fact in base.facts else "mount"
    if scope == "host":
        return f"about the host, for all {len(mounts)} mounts"
    served = sum(same_server(one, session.answers) for one in mounts)
    if scope == "server" and served > 1:
        return f"about the server {session.answers.name('server')}, for {served} of {len(mounts)} mounts"
    return f"mount {session.place + 1} of {len(mounts)}: {session.answers.name('target')}"
