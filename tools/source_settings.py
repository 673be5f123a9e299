"""Which settings a version of Linux or nfs-utils has, read from its source, and what differs from the version before.

    python tools/source_settings.py linux 7.3.4 TREE tools/settings/linux.yaml

TREE is the unpacked source; of Linux, fs/, net/sunrpc/ and include/ are enough. The file gets the version beside those
that it has: each setting with its first and last version ("6.1.192 - 6.12.118"; a last one that is the newest of all is
left out). What is printed is the list of what to look at; see docs/yearly-round.md."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from ruamel.yaml import YAML

from advisor.engine.versions import key

Found = Iterator[tuple[str, str]]
"""(kind of setting, its name), some more than once."""
Spans = dict[str, dict[str, str]]
"""Kind → setting → "first - last", several separated by commas."""

STRING = r'"((?:[^"\\]|\\.)*)"'
FOLDERS = ("fs/nfs", "fs/nfsd", "fs/lockd", "fs/nfs_common", "net/sunrpc")
"""Of Linux, with all below."""


PARTS = re.compile(r"^([\w-]+?)(?:-objs)?-(?:y|objs|\$\([^)]*\))\s*[:+]?=(.*)$", re.M)
"""A line of a Makefile: the module, and the object files that are a part of it."""


def tidy(text: str) -> str:
    """C without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def sources(tree: Path, folders: Iterable[str], pattern: str = "*.[ch]") -> Iterator[tuple[Path, str]]:
    for folder in folders:
        for file in sorted((tree / folder).rglob(pattern)):
            if "tests" not in file.parts:
                yield file, tidy(file.read_text(encoding="utf-8", errors="replace"))


def modules(folder: Path) -> dict[str, str]:
    """Object file, without its ending → the module of which its Makefile makes it a part."""
    parts: dict[str, str] = {}
    for makefile in (folder / "Makefile", folder / "Kbuild"):
        text = makefile.read_text(encoding="utf-8") if makefile.exists() else ""
        for name, objects in PARTS.findall(text.replace("\\\n", " ")):
            for made in re.findall(r"([\w-]+)\.o\b", objects):
                parts[made] = made if name == "obj" and made not in parts else parts.get(made, name)
                if name != "obj":
                    parts[made] = name
    return {made: name.replace("-", "_") for made, name in parts.items()}


def of_linux(tree: Path) -> Found:
    """Module parameters, sysctls, files of /proc/fs/nfsd, debugfs and sysfs, mount options and their words."""
    for file, text in sources(tree, FOLDERS):
        module = modules(file.parent).get(file.stem, "")
        names = re.findall(r"\bmodule_param(?:_named|_call|_string|_array|_unsafe|_cb)?\s*\(\s*(\w+)", text)
        for name in names if file.suffix == ".c" else ():
            yield "module-parameter", f"{module}.{name}"
        where = "sunrpc" if "sunrpc" in file.parts else "fs.nfs"
        for entry in re.findall(r"\{([^{}]*\.procname\s*=[^{}]*)\}", text):
            name = re.search(rf"\.procname\s*=\s*{STRING}", entry)
            if name and ".child" not in entry:
                below = "svc_rdma." if file.name == "svc_rdma.c" else ""
                yield "sysctl", f"{where}.{below}{name[1]}"
        if file.name == "nfsctl.c":
            for name in re.findall(rf"\[NFSD_\w+\]\s*=\s*\{{\s*{STRING}", text):
                yield "file", f"/proc/fs/nfsd/{name}"
        for name in re.findall(rf"debugfs_create_(?!dir)\w+\(\s*{STRING}", text):
            yield "debugfs", f"{module}/{name}"
        for name in re.findall(r"__ATTR(?:_RO|_RW|_WO)?\(\s*(\w+)", text):
            yield "sysfs", f"{module}/{name}"
        if file.name in ("fs_context.c", "super.c") and file.parent.name == "nfs":
            yield from mount_options(text)


def mount_options(text: str) -> Found:
    for name, _ in re.findall(rf"\bfsparam_\w+\s*\(\s*{STRING}\s*,\s*(Opt_\w+|\w+)", text):
        yield "mount-option", name
    for table, body in re.findall(r"constant_table\s+(\w+)\[\]\s*=\s*\{(.*?)\n\};", text, re.S):
        option = re.sub(r"^nfs_(param_enums_)?|_(tokens|policies|opts)$", "", table)
        for word in re.findall(rf"\{{\s*{STRING}", body):
            yield "mount-option-word", f"{option}={word}"


IDMAPD = ("General", "Mapping", "Translation", "Static", "UMICH_SCHEMA")
"""Sections of idmapd.conf."""
CALL = re.compile(r"\bconf_get_(?:str|str_with_def|num|bool|list|entry|section)\s*\(\s*([\w\"]+)\s*,\s*(?:NULL\s*,\s*)?"
                  rf"{STRING}")


def of_nfs_utils(tree: Path) -> Found:
    """Keys of nfs.conf, idmapd.conf and nfsmount.conf, export options, mount options, and options of programs."""
    for file, text in sources(tree, ("support", "utils", "tools", "systemd")):
        defined = dict(re.findall(rf"#\s*define\s+(\w+)\s+{STRING}", text))
        for word, setting in CALL.findall(text):
            section = word.strip('"') if word.startswith('"') else defined.get(word, "")
            if section:
                yield ("idmapd.conf" if section in IDMAPD else "nfs.conf"), f"{section}.{setting}"
        program = file.parent.name
        for name in ARGUMENT.findall(text):
            if file.suffix == ".c" and program in PROGRAMS and re.fullmatch(r"[a-zA-Z][\w-]+", name):
                yield "argument", f"{program} --{name}"
        if file.name == "exports.c" and program == "nfs":
            for name in re.findall(rf"str(?:n?case)?n?cmp\s*\(\s*opt\s*,\s*{STRING}", text):
                yield "export-option", name.rstrip("=")
        if file.name == "configfile.c":
            for name in re.findall(rf"\{{\s*{STRING}\s*,\s*{STRING}\s*,\s*MNT_\w+", text):
                yield "nfsmount.conf", name[0]
    yield from shipped(tree / "nfs.conf", "nfs.conf")
    yield from shipped(tree / "utils/mount/nfsmount.conf", "nfsmount.conf")
    yield from manual(tree)
    for page in tree.rglob("*.man"):
        yield "program", page.stem


ARGUMENT = re.compile(rf"\{{\s*{STRING}\s*,\s*(?:\d|no_argument|required_argument|optional_argument)\s*,")
PROGRAMS = ("blkmapd", "exportd", "exportfs", "gssd", "idmapd", "mountd", "nfsd", "nfsdcld", "nfsdcltrack", "nfsdctl",
            "nfsstat", "nfsref", "showmount", "statd", "reexport", "nfsidmap")


def shipped(file: Path, kind: str) -> Found:
    """The keys of an example file, most of them behind a comment sign."""
    section = ""
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        head, setting = re.match(r"#?\s*\[\s*([\w-]+)", line), re.match(r"#?\s*([\w.-]+)\s*=", line)
        if head:
            section = head[1]
        elif setting and section:
            yield kind, f"{section}.{setting[1]}" if kind == "nfs.conf" else setting[1]


LISTED = re.compile(r"^\.B ([\w-]+)\n(?:Recognized|The following) values[^\n]*\n((?:\.BR? [^\n]+\n)+)", re.M)


def manual(tree: Path) -> Found:
    """The keys that nfs.conf(5) lists, and the options that nfs(5) explains."""
    page = tree / "systemd/nfs.conf.man"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for section, words in LISTED.findall(text):
        for name in re.findall(r"^\.BR? ([\w.-]+)", words, re.M):
            yield "nfs.conf", f"{section}.{name}"
    page = tree / "utils/mount/nfs.man"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for line in re.findall(r"^\.TP 1\.5i\n\.(?:B|BI|BR|IR) ([^\n]+)", text, re.M):
        for name in re.findall(r"(?:^|/ )([a-z][\w.-]*)", line.replace("\\-", "-").replace("\\c", "").replace('"', "")):
            yield "mount-option", name.rstrip(".")


def order(version: str) -> object:
    return key("kernel", version)


def spans_of(present: list[bool], versions: list[str]) -> str:
    """ "first - last" of each stretch of versions that have a setting."""
    found, start = [], -1
    for index, here in enumerate([*present, False]):
        if here and start < 0:
            start = index
        if not here and start >= 0:
            first, last = versions[start], versions[index - 1]
            found.append(f"{first} -" if index == len(versions) else f"{first} - {last}")
            start = -1
    return ", ".join(found)


def versions_in(spans: str, versions: list[str]) -> set[str]:
    """The versions that have a setting."""
    held: set[str] = set()
    for span in spans.split(", "):
        first, _, last = (part.strip() for part in span.partition(" -"))
        held.update(versions[versions.index(first) : versions.index(last) + 1 if last else None])
    return held


def merge(data: dict[str, object], version: str, found: set[tuple[str, str]]) -> dict[str, object]:
    """The table with one version more, or with that version read again."""
    before = [str(known) for known in data.get("versions", ())]  # type: ignore[attr-defined]
    holds: dict[tuple[str, str], set[str]] = defaultdict(set)
    for kind, settings in data.get("settings", {}).items():  # type: ignore[attr-defined]
        for name, spans in settings.items():
            holds[kind, name] = versions_in(spans, before) - {version}
    for setting in found:
        holds[setting].add(version)
    versions = sorted({*before, version}, key=order)
    table: Spans = defaultdict(dict)
    for (kind, name), held in sorted(holds.items()):
        if held:
            table[kind][name] = spans_of([known in held for known in versions], versions)
    return {"product": data["product"], "versions": versions, "settings": {kind: table[kind] for kind in sorted(table)}}


def difference(data: dict[str, object], version: str) -> Iterator[str]:
    """What this version has that the one before it lacks, and the other way round."""
    versions: list[str] = data["versions"]  # type: ignore[assignment]
    at = versions.index(version)
    earlier = versions[at - 1] if at else None
    for kind, settings in data["settings"].items():  # type: ignore[attr-defined]
        for name, spans in settings.items() if earlier else ():
            held = versions_in(spans, versions)
            if (version in held) != (earlier in held):
                yield f"{'new' if version in held else 'gone'} since {earlier}: {kind} {name}"


def main(product: str, version: str, tree: str, path: str) -> None:
    read = {"linux": of_linux, "nfs-utils": of_nfs_utils}[product]
    found = set(read(Path(tree)))
    if not found:
        raise SystemExit(f"{tree}: no source of {product}")
    yaml, file = YAML(), Path(path)
    yaml.default_flow_style, yaml.width = False, 200
    known = YAML(typ="safe").load(file.read_text(encoding="utf-8")) if file.exists() else {"product": product}
    table = merge(known, version, found)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        yaml.dump(table, out)
    for line in difference(table, version):
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
