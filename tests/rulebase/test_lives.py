"""Lifetimes: what they say of a host, what contradicts itself, and that they agree with the tables of the sources and
with every text of the rule base."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

from advisor.engine.decisions import holds
from advisor.engine.versions import compare
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from advisor.rulebase.lives import lives_of, newer, older, standings
from tests.each import each
from tests.tiers import thorough

if TYPE_CHECKING:
    from advisor.rulebase.model.tunables import Life

ROOT = Path(__file__).parents[2]
BASE = load()
KINDS = {
    "linux": {"module-parameter": "module.", "sysctl": "sysctl.", "file": "file.nfsd.", "debugfs": "file.nfsd-debug."},
    "nfs-utils": {"nfs.conf": "nfs.conf."},
}
"""Product → kind of setting in its table → what a tunable's id has before the name."""
NOT_TUNABLES = (
    r"/proc/fs/nfsd/.*", r".*sunrpc/.*", r"sunrpc\.(svc_)?rdma[._].*", r"sunrpc\.(nfs|nfsd|nlm|rpc)_debug",
    r"sunrpc\.transports", r".*\.cache-use-upaddr", r"nfsrahead\.nfsv4", r"mountd\.manage_gids", r"GUMS\..*",
    r"nfs\.nfs_fasc",
)

"""Names in the tables that no administrator sets, that are misprints of a manual page, or of a distribution's own."""
PUT_TOGETHER = ("nfsd.vers2", "nfsdcltrack.debug")
"""Names that the code makes of parts, which the script sees only where a text has them whole."""
COMMON = ("nfsdcld", "debug", "threads", "ttl", "verbosity", "force", "nfs", "nfs4", "default", "scope", "reexport",
          "xprtsec", "manage-gids", "state-directory-path", "cache-use-ipaddr", "storagedir", "rootdir")
"""Names of lived settings that are everyday words, or names of other settings too."""


def kinds(tunable: str, **known: str) -> set[str]:
    """How a setting stands with a host. `known`: facts, with __ for a dot."""
    facts = {name.replace("__", "."): value for name, value in known.items()}
    index = RuleIndex(BASE, facts, kind="nfs.conf")
    lives = lives_of(BASE.tunables[tunable], BASE)
    return {standing.kind for standing in standings(lives, BASE.facts, lambda when: index.verdict(when, index.state))}


@each(lambda: [
    ("nfs.conf.nfsd.pool-mode", {"server__nfs_utils": "1:2.6.2-4", "server__nfs_utils_stream": "debian"}, {"too-new"}),
    ("nfs.conf.nfsd.pool-mode", {"server__nfs_utils": "1:2.8.3-1", "server__nfs_utils_stream": "debian"}, set()),
    ("nfs.conf.nfsd.pool-mode", {"server__nfs_utils": "2.5.4"}, {"perhaps-too-new"}),
    ("nfs.conf.nfsd.pool-mode", {"server__nfs_utils": "2.5.4-34.el9", "server__nfs_utils_stream": "el9"},
     {"perhaps-too-new"}),
    ("nfs.conf.nfsd.pool-mode", {"server__nfs_utils": "2.8.2"}, set()),
    ("nfs.conf.nfsd.pool-mode", {}, set()),
    ("module.nfsv4.directory_delegations", {"client__kernel": "6.12.118"}, {"too-new"}),
    ("module.nfsv4.directory_delegations", {"client__kernel": "6.12.0-55.el10"}, {"perhaps-too-new"}),
    ("module.nfsv4.directory_delegations", {"client__kernel": "6.19"}, set()),
    ("module.nfsv4.directory_delegations", {"client__kernel": ">=6.1 <6.13"}, {"perhaps-too-new"}),
    ("module.lockd.nlm_max_connections", {"server__kernel": "7.2.3"}, {"gone"}),
    ("module.lockd.nlm_max_connections", {"client__kernel": "7.2.3", "host__role": "nfs-client"}, {"gone"}),
    ("module.lockd.nlm_max_connections", {"client__kernel": "7.2.3", "server__kernel": "6.1"}, set()),
    ("module.lockd.nlm_max_connections",
     {"client__kernel": "7.2.3", "server__kernel": "6.1", "host__role": "nfs-client"}, {"gone"}),
    ("module.lockd.nlm_max_connections", {"server__kernel": "6.12.118"}, set()),
    ("module.lockd.nlm_max_connections", {}, {"perhaps-gone"}),
    ("module.nfs.enable_ino64", {"client__kernel": "7.2.3"}, {"ignored"}),
    ("module.nfs.enable_ino64", {"client__kernel": "7.1"}, set()),
    ("exports.sign_fh", {"server__kernel": "6.12.118", "server__nfs_utils": "2.9.1"}, {"too-new"}),
    ("mount.cert_serial", {"client__kernel": "5.14.0-427.el9"}, {"too-new"}),
    ("mount.cert_serial", {"client__kernel": "5.14.0-620.el9"}, {"perhaps-too-new"}),
])
def test_a_version_says_how_a_setting_stands(tunable: str, known: dict[str, str], expected: set[str]) -> None:
    assert kinds(tunable, **known) == expected


def test_no_host_is_both_too_old_and_new_enough() -> None:
    """Exactly, in every state: the engine finds no case in which both hold."""
    from advisor.engine.conditions import boxes, parse

    space = BASE.engine.space
    for life in {id(life): life for life in every_life()}.values():
        for name in life.of:
            fact = BASE.facts[name]
            both = {"all": [older(fact, {**life.since, **life.not_before}), newer(fact, life.since)]}
            assert not life.since or not boxes(space, parse(both, BASE.engine.facts)), life


def every_life() -> Iterator[Life]:
    for tunable in BASE.tunables.values():
        yield from tunable.lives
    yield from (able.life for able in BASE.capabilities.values() if able.life is not None)


def table(product: str) -> dict[str, dict[str, str]]:
    """Kind → setting → the versions that have it, as the script writes them."""
    text = (ROOT / "tools" / "settings" / f"{product}.yaml").read_text(encoding="utf-8")
    read: dict[str, dict[str, str]] = YAML(typ="safe").load(text)
    return read


def present(spans: str, versions: list[str]) -> set[str]:
    held: set[str] = set()
    for span in spans.split(", "):
        first, _, last = (part.strip() for part in span.partition(" -"))
        held |= {*versions[versions.index(first) : versions.index(last) + 1 if last else None]}
    return held


@pytest.mark.parametrize("product", KINDS)
def test_lifetimes_agree_with_the_sources(product: str) -> None:
    data = table(product)
    versions: list[str] = [version for version in data["versions"] if version != "1.3.4"]  # which had no nfs.conf
    tunables = {name.lower(): tunable for name, tunable in BASE.tunables.items()}
    seen = 0
    for kind, prefix in KINDS[product].items():
        for name, spans in data["settings"][kind].items():  # type: ignore[attr-defined]
            tunable = tunables.get((prefix + name.rpartition("/")[2]).lower())
            unset = tunable is None and any(re.fullmatch(pattern, name) for pattern in NOT_TUNABLES)
            if unset or name in PUT_TOGETHER:
                continue
            assert tunable is not None, f"nothing describes {kind} {name} ({spans})"
            word = {"linux": "kernel", "nfs-utils": "nfs_utils"}[product]
            lives = [life for life in tunable.lives if life.of[0].endswith(word) and life.default is None]
            for version in versions:
                has = version in present(spans, versions)
                told = all(not lacks(life, version) for life in lives)
                assert has == told, f"{name}: {version} {'has' if has else 'lacks'} it ({spans})"
                seen += 1
    assert seen > 300


def lacks(life: Life, version: str) -> bool:
    since, until = life.since.get("upstream", "0"), life.until.get("upstream", "99")
    return compare("kernel", version, since) < 0 or compare("kernel", version, until) >= 0


def test_the_newest_version_is_that_of_the_tables() -> None:
    for name, product in (("kernel", "linux"), ("nfs_utils", "nfs-utils")):
        read = str([*table(product)["versions"]][-1])
        for side in ("client", "server"):
            about = BASE.facts[f"{side}.{name}"].upstream
            assert about is not None
            assert compare("kernel", about.newest, read.rpartition(".")[0]) >= 0
            assert {*about.streams} <= {*(BASE.facts[f"{side}.{name}_stream"].values or ())}


NOT_READ = (
    "examples", "when", "unless", "id", "cites", "file", "related", "places", "at", "findings", "words", "text", "also",
)


def texts(value: object) -> Iterator[str]:
    """All that people read, without examples, conditions and names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and "do" in value:  # what to do and what that tells are read together
        yield " ".join(map(str, value.values()))
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in NOT_READ:
                yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def records() -> Iterator[tuple[str, Mapping[str, object], set[str]]]:
    """(name, the entry, the settings of which it has the lifetime) of all that tells or advises something."""
    for name, check in BASE.checks.items():
        yield name, check.as_dict(), {*(check.on or ())}
    for table_of in (BASE.causes, BASE.conclusions, BASE.messages):
        for name, entry in table_of.items():
            yield name, entry.as_dict(), set()
    for name, erratum in BASE.errata.items():  # what is wrong is reported only in the versions that have it
        yield name, {"workaround": erratum.workaround}, {f"erratum:{name}"}
    for name, tunable in BASE.tunables.items():
        yield name, tunable.as_dict(), {name}
    for name, decision in BASE.decisions.items():
        for rule in decision.rules.values():
            yield rule.id, rule.as_dict(), {name}


Entries = Iterable[tuple[str, Mapping[str, object], set[str]]]


def lacking(entries: Entries) -> tuple[list[str], set[str]]:
    """The texts that name a thing with a lifetime without its versions, and the things that texts name at all."""
    found, named = [], set()
    told = [(name, entry, own, [*texts(entry)]) for name, entry, own in entries]
    for thing, of, lives in things():
        word = re.compile(rf"(?<![\w/.-]){re.escape(thing)}(?![\w-])")
        for name, _, own, said in told:
            for text in said if of not in own else ():
                if word.search(text):
                    named.add(thing)
                    versions = [version for life in lives for part in (life.since, life.until, life.ignored_from)
                                for version in part.values()]
                    has = any(version in text for version in versions)
                    if not has and not is_younger(own, lives) and not is_guarded(name, lives):
                        found.append(f"{name}: {text}")
    return found, named


@thorough
def test_no_text_names_what_a_version_lacks() -> None:
    """An explanation, a check or a remedy that names a file, an option or a program with a lifetime says from or until
    which version that is there, or belongs to a setting that is no older."""
    found, named = lacking(records())
    assert found == []
    assert {"nlm_max_connections", "nfsdctl", "directory_delegations", "/proc/fs/nfsd/max_connections"} <= named


@pytest.mark.parametrize(("text", "lacks"), [
    ("Set nlm_max_connections=2048 in modprobe.d.", True),
    ("Up to Linux 6.13, set nlm_max_connections; it is gone since 6.14.", False),
    ("Write 64 to /proc/fs/nfsd/max_connections.", True),
    ("Run nfsdctl status.", True),
    ("With nfs-utils 2.8.1 or later, run nfsdctl status.", False),
    ("Mount with nconnect=4.", False),
])
def test_a_text_that_names_what_a_version_lacks_is_found(text: str, lacks: bool) -> None:
    found, _ = lacking([("planted", {"remedy": {"do": text}}, set())])
    assert bool(found) == lacks


def things() -> Iterator[tuple[str, str, list[Life]]]:
    for name, tunable in BASE.tunables.items():
        lives = [life for life in tunable.lives if life.default is None]
        paths = [way.file for way in (tunable.probe.ways if tunable.probe else ()) if way.file]
        for thing in (name.rpartition(".")[2], *paths) if lives else ():
            if thing not in COMMON:
                yield thing, name, lives


def is_younger(own: set[str], lives: list[Life]) -> bool:
    """Whether one of these settings came no earlier than the thing, by the same package, and the thing is still there.
    Of an erratum: whether it affects no version from before that."""
    for name in own:
        if name.startswith("erratum:"):
            spans = [span for spans in BASE.errata[name[8:]].affected.values() for span in spans]
            starts = [(span.introduced or "0").rpartition(":")[2] for span in spans]
            oldest = [life.since["upstream"] for life in lives]
            return all(compare("deb", start, one) >= 0 for start in starts for one in oldest)
    return not any(life.until for life in lives) and any(
        mine.since and life.since and mine.of == life.of and mine.default is None
        and compare("kernel", mine.since["upstream"], life.since["upstream"]) >= 0
        for name in own for mine in BASE.tunables[name].lives for life in lives
    )


def is_guarded(check: str, lives: list[Life]) -> bool:
    """Whether a check finds nothing on a host whose version lacks the thing."""
    engine = BASE.engine
    if f"check:{check}" not in engine.conditions:
        return False
    lacking = [{life.of[0]: f"<{life.since['upstream']}"} for life in lives if life.since]
    lacking += [{life.of[0]: f">={life.until['upstream']}"} for life in lives if life.until]
    return all(holds(engine, f"check:{check}", engine.judging(known)) is False for known in lacking)
