"""A probe as a page: what decides first, then what was learnt; and as data (docs/schema/advisor-probe-1.json)."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.errors import word_list
from advisor.observe.quantities import measure
from advisor.pages.blocks import Block, Document, Text, TextLike, code, dim, strong, text
from advisor.probe.evidence import answered, answers, few, flavours_of, observations, program, seen, shortened, words
from advisor.probe.result import Probed, as_data
from advisor.probe.rpc import WORDS
from advisor.rulebase.model import RuleBase

Data = dict[str, object]
_BESIDE = {
    "mountd": "mount service", "nlm": "lock manager", "statd": "status monitor", "acl": "ACLs", "rquotad": "quotas",
}


def page(base: RuleBase, probed: Probed) -> list[Block]:
    document = Document()
    document.heading(f"{probed.server}:{probed.export}" if probed.export else probed.server, 1)
    drawn = answers(base, probed)
    for each in drawn:
        if each.conclusion.kind != "note":
            document.item(text(strong(f"{each.conclusion.title}."), f" {each.says} {each.conclusion.means}"))
    if not any(each.conclusion.kind != "note" for each in drawn):
        document.para("Nothing that was asked shows a fault." if probed.export else
                      "The server answers; ask of an export, SERVER:/PATH, to hear whether this host may mount it.")
    if probed.addresses:
        document.heading("What it answered")
    document.pairs((label, value) for label, value in _rows(base, probed) if value)
    document.listed("Also", (
        f"{each.conclusion.title}. {each.says} {each.conclusion.means}" for each in drawn
        if each.conclusion.kind == "note"
    ))
    document.listed("Without an answer", (
        text(code(each.question), f": {WORDS[each.outcome]}{f' ({each.detail})' if each.detail else ''}")
        for each in probed.asked if each.outcome != "ok"
    ))
    port = "a port below 1024" if probed.low_port else "a port above 1023"
    mount = "" if not probed.export or any(each.question == "mount" for each in probed.asked) else " MNT (--mnt),"
    kerberos = "" if observations(probed).get("probe.kerberos") else " whether Kerberos works,"
    asked = f"Asked in {probed.seconds:.2f} s as UID {probed.uid} from {port}."
    document.para(dim(f"{asked} Not asked:{mount}{kerberos} RDMA, UDP."))
    return document.blocks


def data(base: RuleBase, probed: Probed) -> Data:
    """For JSON: the result, with what follows."""
    shown = seen(base.platforms, probed)
    drawn = [
        {
            "id": each.conclusion.id, "kind": each.conclusion.kind, "title": each.conclusion.title, "says": each.says,
            "means": each.conclusion.means, "rests_on": sorted(each.evidence & shown.keys()),
        }
        for each in answers(base, probed)
    ]
    return {**as_data(probed), "answers": drawn}


def _rows(base: RuleBase, probed: Probed) -> Iterator[tuple[str, TextLike | None]]:
    yield "address", ", ".join(f"{each.ip} ({each.name})" if each.name not in ("", probed.server) else each.ip
                               for each in probed.addresses)
    yield "answered by", _who(base, probed) if probed.answering else None
    if probed.rtt_us:
        yield "network", f"{measure(probed.rtt_us, 'microseconds')} there and back, MTU {probed.mtu}"
    yield "versions", words(probed)["versions"] if probed.minors or probed.answering else None
    said = {label: program(probed, name) for name, label in _BESIDE.items()}
    yield "beside it", ", ".join(f"{label}: {word}" for label, word in said.items() if word not in (None, "unlisted"))
    yield "exports", _exports(probed)
    yield "flavours", few([*(["TLS offered"] if probed.tls == "offered" else []), *flavours_of(probed)])
    yield "session", _session(probed)
    yield "NFSv4 root", few(probed.root_names)
    found, v3 = probed.attributes, probed.mounted
    if found:
        owners = f"owner {shortened(found.owner)}, group {shortened(found.group)}"
        yield "directory", f"mode {found.mode}, {owners}; may {_may(probed.granted)}"
    if v3:
        yield "MNT", v3.status if v3.status != "OK" else (
            f"mode {v3.mode}, owner {v3.owner}; may {_may(v3.granted)}; READ up to {measure(v3.rtmax, 'bytes')}, "
            f"WRITE up to {measure(v3.wtmax, 'bytes')}")


def _who(base: RuleBase, probed: Probed) -> Text:
    who = answered(base.platforms, probed)
    if who is None:
        return text("not known; its replies have the form of no product that is known here")
    titles = {platform.platform: platform.title for platform in base.platforms}
    products = strong(word_list(titles[name] for name in who.platforms))
    return text(products, f"{'' if who.sure else ', most likely'}: {who.shown_by}")


def _exports(probed: Probed) -> str:
    if probed.exports is None:
        return ""
    near = sorted(probed.exports, key=lambda each: not probed.export.startswith(each.path))
    return few([f"{each.path} ({few(each.clients) or 'clients not told'})" for each in near]) or "none for this host"


def _session(probed: Probed) -> str:
    said = [f"{probed.grant.slots} slots" if probed.grant else ""]
    if probed.attributes:
        said += [f"READ up to {measure(probed.attributes.maxread, 'bytes')}",
                 f"WRITE up to {measure(probed.attributes.maxwrite, 'bytes')}", f"lease {probed.attributes.lease} s"]
    return ", ".join(filter(None, said))


def _may(granted: tuple[str, ...] | None) -> str:
    return ", ".join(granted or ()) or "nothing"
