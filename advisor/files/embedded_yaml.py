"""Embedded text in the values of YAML: commands, texts of files beside their path, options beside a type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.files.embedded_commands import pair, shell
from advisor.files.embedded_found import (
    CLIENTS,
    EFS,
    KINDS,
    OPTION_NAME,
    OPTIONS,
    SOURCES,
    SYSCTL,
    TELLING,
    TEXTS,
    Found,
    Values,
    is_export_client,
    kind_of_path,
)
from advisor.files.kinds import IN_PARTS, outer_language
from advisor.files.records import Placed
from advisor.files.words import TYPES, Scanner, Word
from advisor.files.yaml_mounts import BLANK, Yaml, get, items, read_yaml, word
from advisor.regex import regex

_COMMANDS = regex(
    r"(?i)(?:ansible\.\w+\.|cmd\.)?(?:shell|command|cmd|raw|run|scripts?|commands|inline|entrypoint|args|bootcmd|"
    r"runcmd|user[-_]?data|late-commands|early-commands|(?:before|after)_script|Fn::Base64|exec|sh)"
)
_EXPORTS = regex(r"(?i)export|nfs\w{0,40}clients")
_MOUNTS = regex(r"(?m)^[ \t]*(?:sudo )?(?:mount (?:-t|-o|--types) |mount\.nfs4? |exportfs -)")
"""A line that is certainly a command, whatever key it is under."""
_WORDS = ("command", "args", "entrypoint", "cmd", "exec")
"""Keys under which a list has the words of one command."""
_TALK = ("name", "msg", "description", "title", "help", "comment", "fail_msg", "message", "debug", "fail",
         "that", "when", "until", "changed_when", "failed_when", "regexp", "regex", "pattern")
_OBJECTS = ("valuesContent", "patch", "patchesStrategicMerge", "patches")
"""Keys of texts that have objects of Kubernetes."""
_WORD = regex(r"[\w./:-]*")
_ONE_LINE = ("lineinfile", "copy", "blockinfile", "sysctl", "modprobe", "mount")
"""Modules of Ansible whose arguments may be in one line."""
_MAP_ENTRY = regex(r"(?:/\S+[ \t]+)?-fstype=nfs4?\S*[ \t]+[^ \t-]")
"""What follows the key in a map, as modules for directories have it."""
_FIRST_WORD = regex(r"\s*([\w.]+)\s+")
_ITEM = regex(r"\{\{ ?item(?:\.value)?(?:\.(\w+)|\[['\"](\w+)['\"]\])? ?\}\}")


def read_values(found: Found, text: str) -> None:
    """Read all documents of a text."""
    yaml = read_yaml(text)
    names: dict[int, Node] = {}
    judged, found.plain = {*found.seen}, True
    about_nfs = found.about_nfs
    for holder, above in yaml.mappings():
        keys = [_text(names[id(one)]).lower() for one in (*above, holder) if id(one) in names]
        found.about_nfs = about_nfs or any("nfs" in key for key in keys)
        for key, value in holder.value:
            names.update((id(node), key) for node in (value, *items(value)))
            if _text(key) not in OPTIONS or not any(get(holder, name) for name in CLIENTS):  # else read with these
                _value(found, yaml, _text(key), value)
            if _text(key).startswith(("file.", "cmd.", "mount.")) and isinstance(value, SequenceNode):
                pairs = [one for argument in value.value if isinstance(argument, MappingNode) for one in argument.value]
                state = _given(yaml, pairs, [holder])  # of Salt; without `name` its own name counts
                state.setdefault("name", [yaml.placed(names[id(holder)])] if id(holder) in names else [])
                if _text(key) == "cmd.run":
                    shell(found, Placed.joined(state["name"]))
                found.together("", state, yaml.span(value), titles=state["name"][:1])
        name = _text(names[id(holder)]) if id(holder) in names else ""
        name = word(get([None, *above][-1], "Type")) if name == "Properties" else name  # of CloudFormation
        if TELLING.isdisjoint(_plain_key(key) for key, _ in holder.value) and name not in EFS:
            continue
        given = _given(yaml, holder.value, [*above, holder])
        _patched(found, given)
        kind = next((text for name in KINDS for text in given.get(name, ()) if text.text in TYPES), None)
        if kind is None or not judged.intersection(kind.numbers()):  # else its own reader has judged it
            if id(holder) not in names and "clients" in given:
                name = "exports"
            target = (given.get("path") or given.get("name") or [])[:1]
            for each in _each(yaml, given, [*above, holder]):
                found.together(name, each, kind.span if kind else yaml.span(holder), titles=target)


def _patched(found: Found, given: Values) -> None:
    """What an operation of a JSON patch sets in a volume or a class, as the part of the object that it changes."""
    path = given["path"][0].text.split("/")[1:] if given.get("op") and given.get("path") else []
    if "mountOptions" in path or path[:2] == ["spec", "nfs"]:
        kind = "PersistentVolume" if path[0] == "spec" else "StorageClass"
        begin = "".join(f'{{"{key}": ' for key in path if key != "-" and not key.isdigit())
        listed = [part for text in given.get("value", ()) for part in ('", "', text)][1:]
        open_list, close_list = ("[", "]") if "mountOptions" in path else ("", "")
        found.segment("kubernetes", "patch.yaml", Placed.joined([
            f'{{"kind": "{kind}", {begin[1:]}{open_list}"', *listed, f'"{close_list}', "}" * begin.count("{"), "\n"]))


def _text(node: Node) -> str:
    return str(getattr(node, "value", ""))


def _plain_key(key: Node) -> str:
    return _text(key).lower().replace("_", "")


def _given(yaml: Yaml, pairs: list[tuple[Node, Node]], above: list[MappingNode]) -> Values:
    """The scalars of each key, also those of a list. Text of a file may be what a task loops over."""
    given: Values = {}
    for key, value in pairs:
        name = _plain_key(key)
        source = get(value, "source") if word(get(value, "source")).startswith("data:") else None  # of Ignition
        texts = [yaml.placed(node) for node in _scalars(source or get(value, "inline") or value)]
        item = _ITEM.fullmatch(texts[0].text.strip()) if name in TEXTS and texts else None
        if item:
            of = item[1] or item[2]
            texts = [yaml.placed(node) for one in _looped(above) for node in _scalars(get(one, of) if of else one)]
        given[name] = texts
    return given


def _each(yaml: Yaml, given: Values, above: list[MappingNode]) -> Iterator[Values]:
    """The same with the type, the source and the options of each item that a task loops over."""
    named = [name for name in (*KINDS, *SOURCES, *OPTIONS) if given.get(name)]
    first = ((name, _ITEM.fullmatch(given[name][0].text.strip())) for name in named)
    keys = {name: item[1] or item[2] or "" for name, item in first if item}
    listed = [*_looped(above)] if keys else []
    for item in listed:
        nodes = {name: _scalars(get(item, key) if key else item) for name, key in keys.items()}
        yield {**given, **{name: [yaml.placed(node) for node in found] for name, found in nodes.items()}}
    if not listed:
        yield given


def _value(found: Found, yaml: Yaml, key: str, value: Node) -> None:
    """What a value shows by itself, or with its key."""
    if isinstance(value, MappingNode) or (_is_mere_word(value) and not _is_telling(key)):
        return  # most values; what follows takes long
    nodes = [*_scalars(value)]
    texts = [yaml.placed(node) for node in nodes]
    whole = isinstance(value, ScalarNode) or (texts and nodes[0].style == "|")
    if whole and texts[0].text.startswith(("#!", "#cloud-config", *IN_PARTS)):
        found.written("run" if texts[0].text.startswith("#!") else "user-data", texts[0])
    elif key in _TALK:
        found.see(*texts)
    elif any(list(map(found.map_line, texts))):
        return
    elif key in ("action", "local_action") and isinstance(value, ScalarNode) and " " in value.value:
        module = _FIRST_WORD.match(texts[0].text)
        if module:
            _argument_line(found, module[1].rpartition(".")[2], texts[0].cut(module.end()))
    elif texts and _MAP_ENTRY.match(texts[0].text):
        found.segment("autofs", "auto.ldap", Placed.joined(["key ", texts[0], "\n"]))
    elif key in ("image", "repository") and texts and "nfs-client-provisioner" in texts[0].text:
        found.state("PROVISIONER_IMAGE", texts[0])
    elif key == "stonith-enabled" and found.is_server and texts:
        found.state("FENCING", texts[0])
    elif SYSCTL.fullmatch(key) and isinstance(value, ScalarNode):
        found.in_kernel("sysctl", [Placed.joined([f"{key}=", texts[0]])])
    elif key in _OBJECTS and texts:
        for text in texts:
            found.segment("kubernetes", "values.yaml", text)
    elif isinstance(value, ScalarNode) and value.style == "|" and (kind_of_path(key) or outer_language("", key)):
        found.written(key, texts[0])
    elif isinstance(value, ScalarNode) and key.endswith(_ONE_LINE) and "=" in value.value:
        _argument_line(found, key, texts[0])
    elif _COMMANDS.fullmatch(key) and isinstance(value, (ScalarNode, SequenceNode)):
        _commands(found, yaml, key, value, texts)
    elif not found.options(key, texts):
        for node, text in zip(nodes, texts):
            if _MOUNTS.search(text.text):
                shell(found, text)
            name, equals, _ = text.text.partition("=")
            if key == "environment" and equals:
                part = text.cut(len(name) + 1)
                found.options(name, [part])
            else:
                name, part = key, text
            if node.style not in ("|", ">") and (
                _EXPORTS.search(name) or part.text[:2] == "*(" or is_export_client(part.text)
            ):
                found.export_part(part)


def _argument_line(found: Found, module: str, text: Placed) -> None:
    """The arguments of a module of Ansible in one line."""
    if _COMMANDS.fullmatch(module):
        shell(found, Placed.joined([text, "\n"]))
    elif module.endswith(_ONE_LINE):
        given: Values = {}
        for token in Scanner(text).tokens():
            if isinstance(token, Word):
                pair(given, token.text)
        found.together("", given, text.span, titles=given.get("path") or given.get("name") or [])


def _is_mere_word(value: Node) -> bool:
    """Whether a value is a word without signs that commands, options and lines of files have, and no template."""
    return isinstance(value, ScalarNode) and not value.style and BLANK not in value.value and (
        _WORD.fullmatch(value.value) is not None
    )


@lru_cache(maxsize=1 << 10)
def _is_telling(key: str) -> bool:
    """Whether a word under this key can show something."""
    return key in (*_TALK, *_OBJECTS, "image", "repository", "stonith-enabled") or (
        SYSCTL.fullmatch(key) or _COMMANDS.fullmatch(key) or OPTION_NAME.search(key) or _EXPORTS.search(key)
    ) is not None


def _scalars(node: Node | None) -> Iterator[ScalarNode]:
    """A scalar, or those in a list, and in the functions of CloudFormation in it, such as `!If`."""
    for item in items(node) or (node,):
        if isinstance(item, ScalarNode):
            yield item
        elif isinstance(item, SequenceNode) and str(item.tag).startswith("!"):
            yield from _scalars(item)


def _commands(found: Found, yaml: Yaml, key: str, value: Node, texts: list[Placed]) -> None:
    """A text, or a list that has a line in each item, or a word."""
    if key in _WORDS and isinstance(value, SequenceNode):
        _command(found, texts)
    elif texts:
        shell(found, Placed.joined([part for text in texts for part in (text, "\n")]))
    for item in items(value):
        if isinstance(item, SequenceNode):
            _command(found, [yaml.placed(node) for node in _scalars(item)])


def _command(found: Found, words: list[Placed]) -> None:
    """The words of one command, as a shell has to read them."""
    parts: list[Placed | str] = []
    for text in words:
        plain = re.fullmatch(r"[\w@%+=:,./-]+", text.text)
        quote = "" if plain else next((sign for sign in ("'", '"') if sign not in text.text), "")
        parts += [quote, text, f"{quote} "]
    shell(found, Placed.joined(parts))


def _looped(above: list[MappingNode]) -> Iterator[Node]:
    """What a task loops over."""
    for task in above[-2:]:
        for name in ("with_items", "loop", "with_list", "with_dict"):
            listed = get(task, name)
            yield from [value for _, value in listed.value] if isinstance(listed, MappingNode) else items(listed)
