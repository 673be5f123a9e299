"""Files for a failover cluster: its resources for pcs and for crmsh, parts of lvm.conf, a picture, and a plan of tests
with a client that records what it sees."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.advice.model import Row
from advisor.install import quote
from advisor.install.context import FileContext
from advisor.install.model import Artefact, Unwritable
from advisor.pages.blocks import Document
from advisor.pages.cluster import mover, resources, storage
from advisor.pages.markdown import markdown


def cluster(
    context: FileContext, group: list[Row], exported: list[Row], options: str
) -> Iterator[Artefact]:
    """All of them. `group`: what is advised for the cluster; `exported`, `options`: for its exports, and as exports(5)
    writes them. Raises Unwritable for a directory that the agent cannot export."""
    names = {recommendation.tunable for recommendation in group}
    bugs = {bug.erratum for bug in context.advice.bugs if bug.certain}
    given = [scope for bug, scope in context.data["cluster_scope"].items() if bug not in bugs]
    given += [server for name, server in context.data["cluster_server"].items() if name in names]
    clients = context.clients
    values: dict[str, object] = {
        "directory": quote.single_word(context.export),
        "options": ",".join(dict.fromkeys([*options.split(","), *context.data["cluster_options"]])),
        "clients": clients, "server": given,
        "about": context.argued([*group, *exported]), "notify": "cluster.notify" in names,
        "stays": "cluster.stickiness" in names,
        "volumes": "cluster.volume_group" in names, "replicated": "cluster.replication" in names,
    }
    moved = mover(context.advice)
    values["mover"] = {**context.data["cluster_address"][moved.agent], **moved._asdict()} if moved else None
    yield context.rendered("cluster", values, mode=0o755)
    words = (context.export, *clients)
    if any(not _is_plain(word) for word in words):
        context.remarks.append("crmsh cannot read some of these names back, so it gets no file.")
    else:
        made = context.rendered("cluster-crm", values)
        after = context.data["files"]["cluster-crm"]["with_drbd"] if values["replicated"] else ()
        yield made._replace(apply=(*made.apply, *after))
    volumes = next(
        (recommendation for recommendation in group if recommendation.tunable == "cluster.volume_group"), None
    )
    if volumes is not None:
        yield context.rendered("cluster-lvm", {"about": context.about(volumes)})
    yield context.rendered("cluster-record", {}, mode=0o755)
    made_of = Document()
    for line in context.provenance(("server", "export", "clients")):
        made_of.item(line)
    figures = [estimate for estimate in context.advice.estimates if estimate.tunable.startswith("estimate.failover_")]
    yield context.rendered("cluster-test-plan", {
        **values, "figures": [estimate for estimate in figures if estimate.value is not None],
        "made": markdown(made_of.blocks).rstrip("\n"),
        "missing": sorted({fact for estimate in figures for fact in estimate.missing}),
    })
    grouped = resources(context.advice)
    yield context.rendered("cluster-picture", {
        "resources": grouped, "storage": storage(context.advice), "clients": clients,
    })


def _is_plain(text: str) -> bool:
    try:
        quote.plain(text)
    except Unwritable:
        return False
    return " " not in text
