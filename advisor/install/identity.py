"""What users need on both sides: a list of steps for the server and its clients, and the domain of idmapd.conf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

from advisor.advice.advise import advise
from advisor.pages.blocks import Document, code, strong
from advisor.pages.markdown import markdown
from advisor.pages.wording import outcome

if TYPE_CHECKING:
    from advisor.advice.model import Row
    from advisor.install.context import FileContext
    from advisor.install.model import Artefact

_ROLE, _KIND, _DOMAIN = "host.role", "identity", "identity.domain"


def identity(context: FileContext) -> Iterator[Artefact]:
    """The files, where users need more than a plain mount."""
    if not context.settled(_KIND):
        return
    sides = [(str(side["title"]), _of(context, str(side["role"]), side["settings"])) for side in context.data["sides"]]
    yield context.artefact("identity", _steps(context, sides))
    if any(recommendation.tunable == _DOMAIN for recommendation in context.settled(_KIND)):
        about = [context.about(recommendation) for recommendation in context.settled(_KIND)
                 if recommendation.tunable == _DOMAIN]
        domain = dns_domain(context.server) or "DOMAIN"
        yield context.rendered("idmapd", {"about": about, "domain": domain})


def dns_domain(server: str) -> str:
    """The DNS domain of a server's full name; "" of an address or a short name."""
    try:
        ip_address(server.strip("[]").partition("%")[0])
    except ValueError:
        return server.partition(".")[2].strip(".").lower()
    return ""


def _of(context: FileContext, role: str, settings: Sequence[str]) -> list[Row]:
    """What is advised of these settings to hosts of this role, in their order."""
    answers, advice = context.advice.answers, context.advice
    if answers.facts.get(_ROLE) != role:
        advice = advise(context.base, answers._replace(facts={**answers.facts, _ROLE: role}))
    by_tunable = {recommendation.tunable: recommendation for recommendation in advice.advised
                  if recommendation.written is not None}
    return [by_tunable[name] for name in settings if name in by_tunable]


def _steps(context: FileContext, sides: Sequence[tuple[str, list[Row]]]) -> str:
    page = Document()
    page.heading(context.data["files"]["identity"]["title"], 1)
    for line in context.provenance(("server", "export")):
        page.item(line)
    if not dns_domain(context.server):
        page.para(f"Kerberos needs the server's full name, and {context.server} is not one: write it in place of ",
                  code(context.server), " in these steps and in the mount line.")
    seen: set[str] = set()
    for title, settings in sides:
        page.heading(title)
        for recommendation in settings:
            page.heading(f"{recommendation.definition.title}: {outcome(recommendation.value)}", 3)
            if recommendation.tunable in seen:
                page.para("As above.")
                continue
            seen.add(recommendation.tunable)
            page.para(recommendation.why)
            page.code(recommendation.steps.apply, "sh" if "\n" in recommendation.steps.apply else "")
            page.para(strong("Check: "), f"{recommendation.steps.verify} {recommendation.steps.seen}.")
    return markdown(page.blocks)
