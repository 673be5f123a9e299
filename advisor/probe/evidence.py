"""What a probe proves: observations (rules/observations/probe.yaml), facts, the words of sentences, and who answered.

What follows from them is in rules/conclusions/probe.yaml."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence

from advisor.files.patterns import by_server_name
from advisor.named_tuple import NamedTuple
from advisor.observe.quantities import DrawnConclusion, conclusions
from advisor.probe.protocols import admits
from advisor.probe.result import ExportedPath, Probed
from advisor.regex import regex
from advisor.rulebase.model import Platform, RuleBase, ServerReply, Values
from advisor.rulebase.values import KERBEROS
from advisor.sections import normalized

OFFERED = "mount."
"""Facts that are what the server offers."""
CALL = 3.0
"""Seconds that one call may take."""
_BLOCKED = {"refused": "refused", "dropped": "dropped", "unreachable": "dropped"}
_RPCBIND = 111
_MUTE = ("silent", "slow", "closed", "not-rpc", "too-long", "malformed", "wrong-reply", "no-program")
_PATHS = {"OK": "found", "NOENT": "absent", "WRONGSEC": "security", "PERM": "port", "ACCES": "denied", "NOTDIR": "file"}
_KERBEROS_SAYS = {"ok": "works", "no-ticket": "no-ticket", "denied": "refused", "gss-refused": "refused"}
_MOST_SHOWN, _LONG = 8, 120
"""Items of a list, and characters of one, that sentences have."""
_ROOT = regex(r"(0|root|root@.*)")


class Answered(NamedTuple):
    """Which product or service answered: one of `platforms`. `sure`: it names itself; else its replies have the form of
    that product's. `shown_by`: what shows it, in words; `facts`: what else it tells."""

    platforms: tuple[str, ...]
    sure: bool
    shown_by: str
    facts: Mapping[str, Values]
    hides_exports: bool


class ServerAsked(NamedTuple):
    """What a server answered when it was asked for a mount. `reply`: admitted or refused, "" if the answers do not tell
    what a mount would hear; `says`: the reason in words; `day`: as 2026-12-31; `known`: what the answers prove; `path`:
    of the file, "" if the host does not keep it."""

    server: str
    export: str
    reply: str
    says: str
    day: str
    known: Mapping[str, Values]
    path: str

    @property
    def source(self) -> str:
        return f"{self.server}:{self.export}"


def seen(platforms: Sequence[Platform], probed: Probed) -> dict[str, Values]:
    """Observation or fact → its value, of all that the replies themselves show."""
    who = answered(platforms, probed)
    named: dict[str, Values] = {"storage.platform": [*who.platforms], **who.facts} if who else {}
    hides = bool(who and who.hides_exports)
    reply = _reply(probed, hides) if probed.export else None
    asked: dict[str, Values] = {"probe.hides_exports": hides, **({"probe.reply": reply} if reply else {})}
    return {**observations(probed), **facts(probed), **named, **asked}


def known(base: RuleBase, probed: Probed) -> dict[str, Values]:
    """All observations and facts that a probe proves, with those that follow from them."""
    shown = seen(base.platforms, probed)
    for drawn in conclusions(base, shown):
        if drawn.conclusion.of == "probe":
            shown.update(drawn.holds)
    return shown


def proved(base: RuleBase, probed: Probed) -> dict[str, Values]:
    """`known`, but for what the server offers, which a mount may have otherwise."""
    return {name: value for name, value in known(base, probed).items() if not name.startswith(OFFERED)}


def ask(base: RuleBase, server: str, path: str) -> dict[str, Values]:
    """Asks a server about a path, "" for none, and gives what that proves. It takes 20 s at most. A signal takes effect
    when the server has been left."""
    from advisor.probe.questions import WHOLE, Request, probe_until_signal  # noqa: PLC0415  it opens connections
    from advisor.probe.rpc import Budget  # noqa: PLC0415

    probed, ended_by = probe_until_signal(Request(server, path), Budget(CALL, WHOLE))
    if ended_by:
        signal.raise_signal(ended_by)
    return proved(base, probed)


def answers(base: RuleBase, probed: Probed) -> list[DrawnConclusion]:
    """What follows: what decides first, then notes."""
    drawn = [each for each in conclusions(base, seen(base.platforms, probed), words(probed))
             if each.conclusion.of == "probe"]
    order = {"trouble": 0, "verdict": 1, "note": 2}
    return sorted(drawn, key=lambda each: order.get(each.conclusion.kind, 2))


def found_facts(base: RuleBase, probed: Probed) -> Mapping[str, Values]:
    """The facts of rules/facts among `known`: what other commands take from a probe."""
    return {name: value for name, value in known(base, probed).items() if name in base.facts}


def asked_for(base: RuleBase, probed: Probed, path: str = "") -> ServerAsked:
    proves = known(base, probed)
    trouble = [each.conclusion.title for each in answers(base, probed) if each.conclusion.kind == "trouble"]
    title = trouble[0] if trouble else "the path is found"
    says = title[0].lower() + title[1:]
    reply = str(proves.get("probe.reply", ""))
    return ServerAsked(probed.server, probed.export, reply, says, probed.at[:10], proves, path)


def observations(probed: Probed) -> dict[str, Values]:
    """Observation → its value, of those that are known."""
    v4 = [offered for version, offered in _versions(probed).items() if version != "3"]
    known: dict[str, Values | None] = {
        "probe.nfs": _nfs(probed), "probe.as_root": probed.uid == 0, "probe.low_port": probed.low_port,
        "probe.addresses": len(probed.addresses), "probe.dead_addresses": len(_dead(probed)),
        "probe.host_answers": any(door.outcome in ("open", "refused") for door in probed.doors),
        "probe.registered_elsewhere": bool(_other_ports(probed)) if probed.rpcbind else None,
        "probe.rpcbind": _rpcbind(probed), "probe.grace": probed.grace or None,
        "probe.tls": probed.tls == "offered" if probed.tls else None, "probe.below": probed.below,
        "probe.kerberos": next((_KERBEROS_SAYS.get(each.outcome) for each in probed.asked
                                if each.question == "kerberos"), None),
        "probe.rtt": probed.rtt_us or None, "probe.exports_known": probed.exports is not None,
        **{f"probe.{name}": program(probed, name) for name in ("mountd", "nlm", "statd")},
        **{f"probe.v{version.replace('.', '')}": offered for version, offered in _versions(probed).items()},
        "probe.v4": True in v4 or (False if v4 and None not in v4 else None),
        "probe.v4_hangs": any(outcome in ("silent", "slow") for outcome in (
            *(each.outcome for each in probed.minors),
            *(each.outcome for each in probed.asked if each.question.startswith("nfs 4.")))),
    }
    if probed.export:
        known.update(_of_path(probed))
    if probed.grant:
        known["probe.slots"] = probed.grant.slots
    return {name: value for name, value in known.items() if value is not None}


def _of_path(probed: Probed) -> dict[str, Values | None]:
    found, v3 = probed.attributes, probed.mounted
    entry, flavours = _entry(probed), flavours_of(probed)
    mode = found.mode if found else v3.mode if v3 else ""
    owner = found.owner if found else v3.owner if v3 else ""
    domain = owner.rpartition("@")[2].lower() if "@" in owner else ""
    rights = probed.granted if probed.granted is not None else v3.granted if v3 and v3.rights_known else None
    hosts = [admits(client, probed.own_ip) for client in entry.clients] if entry else []
    path = _PATHS.get(probed.steps[-1].status, "failed") if probed.steps else "unasked"
    return {
        "probe.path": path,
        "probe.mnt": {"OK": "found", "NOENT": "absent", "ACCES": "denied", "PERM": "denied", "NOTDIR": "file"}.get(
            v3.status, "failed") if v3 else None,
        "probe.listed": entry is not None if probed.exports is not None else None,
        "probe.admitted": None if entry is None else "yes" if True in hosts else
        "unclear" if None in hosts or not hosts else "no",
        "probe.flavours_known": bool(flavours),
        "probe.inside": probed.exports is not None and entry is not None and (
            len(_parts(entry.path)) < len([step for step in probed.steps if step.status == "OK"])),
        "probe.elsewhere": bool(probed.elsewhere) if path == "absent" else None,
        "probe.sys_offered": "sys" in flavours if flavours else None,
        "probe.kerberos_offered": bool({*flavours} & {*KERBEROS}) if flavours else None,
        "probe.high_port_refused": probed.from_high_port in ("PERM", "ACCES", "NOENT")
        if probed.from_high_port and path == "found" else None,
        "probe.may_read": "read" in rights if rights is not None else None,
        "probe.may_write": bool({"modify", "extend"} & {*rights}) if rights is not None else None,
        "probe.mode_lets_write": _lets_write(mode, owner, probed.uid) if mode else None,
        "probe.group_writes": bool(int(mode, 8) & 0o20) if mode else None,
        "probe.private": int(mode, 8) & 0o77 == 0 and bool(_ROOT.fullmatch(owner)) if mode else None,
        "probe.owner": ("names" if "@" in owner else "numbers") if found and owner else None,
        "probe.domain": ("same" if domain == probed.own_domain.lower() else "differs") if (
            found and domain and probed.own_domain) else None,
        "probe.maxread": (found.maxread if found else v3.rtmax if v3 else 0) or None,
        "probe.maxwrite": (found.maxwrite if found else v3.wtmax if v3 else 0) or None,
    }


def _reply(probed: Probed, hides_exports: bool) -> str | None:
    """What a mount by root of this host would hear: admitted or refused; None where its flavour or its low port may
    decide."""
    path = _of_path(probed)
    said = path["probe.path"] if probed.steps else path["probe.mnt"]
    if said == "found":
        return "admitted" if probed.steps or "sys" in flavours_of(probed) else None
    by_port = (said == "absent" and hides_exports) or (said == "denied" and not probed.steps)
    if probed.low_port or (by_port and (path["probe.admitted"] == "no" or path["probe.listed"] is False)):
        return "refused" if by_port or said in ("absent", "file", "port") else None
    return "refused" if not by_port and said in ("absent", "file") else None


def facts(probed: Probed) -> dict[str, Values]:
    """Facts of the rule base that are lists of what the server offers; the others follow by the conclusions."""
    offered = _versions(probed)
    versions = [version for version, known in offered.items() if known]
    flavours = [flavour for flavour in flavours_of(probed) if flavour in ("none", "sys", *KERBEROS)]
    return {
        **({"mount.vers": [*versions]} if versions and len(offered) == 4 and None not in offered.values() else {}),
        **({"mount.sec": [*flavours]} if flavours else {}),
    }


def words(probed: Probed) -> dict[str, str]:
    """The words in the sentences of conclusions, as rulebase.model.diagnosis.PROBED names them."""
    entry = _entry(probed)
    failed = next((step for step in probed.steps if step.status != "OK"), None)
    owner = probed.attributes.owner if probed.attributes else ""
    on = [version for version, offered in _versions(probed).items() if offered]
    last = probed.export.rstrip("/").rpartition("/")[2]
    listed = [one.path for one in probed.exports or () if one.path != probed.export and (
        one.path.rstrip("/").rpartition("/")[2] == last != "")]
    given = {
        "server": probed.server, "address": probed.ip, "own": probed.own_ip or "this host", "path": probed.export,
        "part": failed.name if failed else "", "status": failed.status if failed else
        probed.mounted.status if probed.mounted else "",
        "clients": few(entry.clients) or "some hosts" if entry else "", "entry": entry.path if entry else "",
        "elsewhere": probed.elsewhere, "flavours": few(flavours_of(probed)),
        "versions": ", ".join(on) or "none", "dead": few(_dead(probed)), "owner": owner,
        "uid": str(probed.uid), "domain": probed.own_domain,
        "mode": probed.attributes.mode if probed.attributes else probed.mounted.mode if probed.mounted else "",
        "ports": few([*map(str, _other_ports(probed))]), "port": str(probed.port),
        "mountport": next((str(each.port) for each in probed.answering
                           if (each.program, each.outcome) == ("mountd", "ok")), ""),
        "others": f" It lists {few(listed)}." if listed else "",
    }
    return {name: shortened(text, 10 * _LONG) for name, text in given.items()}


def few(items: Sequence[str]) -> str:
    """The first of them, shortened, and how many more there are."""
    shown = ", ".join(map(shortened, items[:_MOST_SHOWN]))
    return f"{shown} and {len(items) - _MOST_SHOWN} more" if len(items) > _MOST_SHOWN else shown


def shortened(text: str, most: int = _LONG) -> str:
    """What a server says may have any length."""
    return text if len(text) <= most else f"{text[:most]}…"


def flavours_of(probed: Probed) -> tuple[str, ...]:
    return probed.flavours or (probed.mounted.flavours if probed.mounted else ())


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _nfs(probed: Probed) -> str | None:
    """What becomes of a connection to the port of NFS, at the address that was chosen."""
    if not probed.addresses:
        return "unresolved" if probed.asked and probed.asked[0].outcome == "unresolved" else None
    door = next((door for door in probed.doors if (door.ip, door.port) == (probed.ip, probed.port)), None)
    if door is None or door.outcome != "open":
        return door.outcome if door and door.outcome in ("refused", "dropped", "unreachable", "forbidden") else None
    tried = [each.outcome for each in probed.answering if each.program == "nfs"]
    return "mute" if tried and all(outcome in _MUTE for outcome in tried) else "open"


def _dead(probed: Probed) -> list[str]:
    """The addresses that lack NFS, if another one has it. One that no route leads to costs a mount no time."""
    doors = [door for door in probed.doors if door.port == probed.port]
    dead = [door.ip for door in doors if door.outcome in ("refused", "dropped")]
    return dead if any(door.outcome == "open" for door in doors) else []


def _other_ports(probed: Probed) -> list[int]:
    """Where rpcbind says NFS is, if that is not the port that was asked."""
    ports = {each.port for each in probed.registered if each.program == 100003 and each.protocol in ("tcp", "tcp6")}
    return [] if probed.port in ports else sorted(ports)


def _rpcbind(probed: Probed) -> str | None:
    if probed.rpcbind:
        return "answers"
    outcome = next((door.outcome for door in probed.doors if (door.ip, door.port) == (probed.ip, _RPCBIND)), "")
    return "mute" if outcome == "open" else _BLOCKED.get(outcome)


def program(probed: Probed, name: str) -> str | None:
    """What a program beside NFS does: answers, unregistered, refused, dropped, mute,
    unlisted."""
    outcomes = {each.outcome for each in probed.answering if each.program == name}
    if "ok" in outcomes:
        return "answers"
    for outcome in ("unregistered", "dropped", "refused", "unreachable", *_MUTE):
        if outcome in outcomes:
            return _BLOCKED.get(outcome, outcome if outcome == "unregistered" else "mute")
    return "unlisted" if outcomes else None


def _versions(probed: Probed) -> dict[str, bool | None]:
    """Each version that was asked for → whether it is offered, None if that is not known.

    Some servers answer NULL of any version; what they make of a call of NFSv4 is then no reply to it."""
    v3 = next((each.outcome for each in probed.answering if (each.program, each.version) == ("nfs", 3)), "")
    outcomes = {"3": {"ok": "on", "versions": "off"}.get(v3, v3)} if "3" in probed.versions else {}
    outcomes.update({each.version: each.outcome for each in probed.minors})
    return {
        version: True if outcome == "on" else False if outcome == "off" or (
            v3 == "ok" and outcome in ("malformed", "no-procedure", "bad-arguments")) else None
        for version, outcome in outcomes.items()
    }


def _entry(probed: Probed) -> ExportedPath | None:
    """The line of the export list for the path, or for the nearest directory above it."""
    above = [one for one in probed.exports or () if one.path != "/" and (
        f"{probed.export.rstrip('/')}/".startswith(f"{one.path.rstrip('/')}/"))]
    return max(above, key=lambda one: len(one.path), default=None)


def _lets_write(mode: str, owner: str, uid: int) -> bool:
    """Whether mode bits alone would let the caller write: to anyone, or as the owner."""
    bits = int(mode, 8)
    return bool(bits & 0o2) or (owner == str(uid) and uid != 0 and bool(bits & 0o200))


def answered(platforms: Sequence[Platform], probed: Probed) -> Answered | None:
    """Who answered, by the server's name and by what kb/platforms says of replies; None if neither tells."""
    found = [one for platform in platforms for reply in platform.replies if (one := _match(platform, reply, probed))]
    best = [one for one in found if one.sure] or found
    told = best[0] if best and all(one.platforms == best[0].platforms for one in best) else None
    for platform, name in by_server_name(platforms, normalized("server", probed.server)):
        alike = told if told and platform.platform in told.platforms else None
        shown = [f"the name matches {name.pattern}", *([alike.shown_by] if alike else [])]
        return Answered((platform.platform,), True, ", ".join(shown), alike.facts if alike else {},
                        alike is not None and alike.hides_exports)
    return told


def _match(platform: Platform, reply: ServerReply, probed: Probed) -> Answered | None:
    said, grant = probed.identity, probed.grant
    if said is None or grant is None or reply.owner_is_scope not in (None, said.owner == said.scope):
        return None
    shown = []
    facts: dict[str, Values] = {}
    for part, pattern, text in (
        ("implementation", reply.implementation, said.implementation),
        (f"implementation id {' '.join(said.implementation.split())} of", reply.domain, said.domain),
        ("owner", reply.owner, said.owner), ("scope", reply.scope, said.scope),
        ("roles", reply.roles, ", ".join(said.roles)),
        ("operations", None if reply.operations is None else str(reply.operations), str(grant.operations)),
    ):
        if pattern is None:
            continue
        found = re.fullmatch(pattern, text)
        if found is None:
            return None
        if part == "implementation":
            facts = {reply.tells: found[1]} if reply.tells else {}
        else:
            shown.append(shortened(f"{part} {text}") if text else "no implementation id")
    return Answered((platform.platform, *reply.also), reply.sure, ", ".join(shown), facts, reply.hides_exports)
