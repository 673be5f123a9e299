"""Caches between runs: parsed files, and the parts of the rule base that passed verification."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

from advisor.rulebase import rule_files
from advisor.rulebase.document import YamlDocument, parse
from advisor.rulebase.problems import Problem

PARSED, VERIFIED = "parsed.jsonl", "verified.tsv"
_HASH = 32
"""Characters of a hash."""


def parsed_documents(root: str, contents: Mapping[str, bytes]) -> list[YamlDocument]:
    """Every file, parsed. Files that `keep_documents` has kept are not parsed again, and are `valid` if the models of
    the schema are still the same."""
    kept, schema = _kept_lines(root), _hash_of_schema()
    documents = []
    for path, content in contents.items():
        line = kept.get(_hash_of_file(path, content))
        if line is None:
            documents.append(parse(path, content))
        else:
            data, marks = json.loads(line[2 * _HASH :])
            documents.append(YamlDocument(path, data, marks, [], valid=line.startswith(schema, _HASH)))
    return documents


def keep_documents(
    root: str, contents: Mapping[str, bytes], parsed: Iterable[YamlDocument], fresh: Collection[YamlDocument]
) -> None:
    """Keep the valid ones of the parsed files of `contents`. `fresh`: those that the cache does not have."""
    kept, schema = _kept_lines(root), _hash_of_schema()
    lines = []
    for document, (path, content) in zip(parsed, contents.items()):
        name = _hash_of_file(path, content)
        if document.valid and document in fresh:
            lines.append(name + schema + json.dumps([document.data, document.marks], separators=(",", ":")))
        elif name in kept:
            lines.append(kept[name])
    rule_files.store(root, PARSED, "\n".join(lines).encode())


def _kept_lines(root: str) -> dict[str, str]:
    """Hash of a file → its line in the cache: that hash, the hash of the schema, and JSON."""
    lines = (line for text in rule_files.cached_copies(root, PARSED) for line in text.decode().splitlines())
    return {line[:_HASH]: line for line in lines}


def _hash_of_file(path: str, content: bytes) -> str:
    """A hash of a file and of the code that parses it."""
    return rule_files.digest(path.encode(), content, _parser_source())


@cache
def _parser_source() -> bytes:
    return Path(__file__).with_name("document.py").read_bytes()


@cache
def _hash_of_schema() -> str:
    """A hash of the code that validates files."""
    folder = Path(__file__).parent
    code = [*sorted(folder.glob("model/*.py")), folder / "schema.py", folder / "validation.py"]
    return rule_files.digest(*(path.read_bytes() for path in code))


class Verified:
    """A cache of the parts of a rule base that passed verification. Each is kept with a hash of its inputs, files of
    the rule base and the program's code, and counts as passed while that hash is the same. Without a root the cache is
    empty."""

    def __init__(self, root: str | None = None, contents: Mapping[str, bytes] | None = None) -> None:
        self.root, self.contents = root, contents or {}
        self.code = rule_files.code_stamp(())
        self.hashes: dict[str, str] = {}
        self.parts: dict[str, str] = {}
        for kept in rule_files.cached_copies(root, VERIFIED) if root else ():
            for line in kept.decode().splitlines():
                part, _, rests_on = line.partition("\t")
                self.parts[part] = rests_on
        self.changed = False

    def passed(self, part: str, rests_on: tuple[str, ...]) -> bool:
        """Whether the part passed with the same inputs. `rests_on`: paths of files, and of folders with a final
        slash."""
        return self.parts.get(part) == self._hash(rests_on)

    def add(self, part: str, rests_on: tuple[str, ...]) -> None:
        """Remember that a part has passed."""
        self.parts[part] = self._hash(rests_on)
        self.changed = True

    def _hash(self, rests_on: tuple[str, ...]) -> str:
        hashes = (self.code, *map(self._content_hash, rests_on))
        return rule_files.digest(*(each.encode() for each in hashes))

    def _content_hash(self, place: str) -> str:
        if place not in self.hashes:
            below = [place] if place in self.contents else [path for path in self.contents if path.startswith(place)]
            self.hashes[place] = rule_files.content_hash({path: self.contents[path] for path in below})
        return self.hashes[place]

    def problems(
        self, part: str, rests_on: tuple[str, ...], verify: Callable[[], Iterable[Problem]]
    ) -> list[Problem]:
        """The problems that `verify` finds in a part; none if the part passed before."""
        if self.passed(part, rests_on):
            return []
        problems = list(verify())
        if not problems:
            self.add(part, rests_on)
        return problems

    def keep(self) -> None:
        """Keep what has passed for the next run."""
        if self.changed and self.root:
            lines = (f"{part}\t{rests_on}" for part, rests_on in sorted(self.parts.items()))
            rule_files.store(self.root, VERIFIED, "\n".join(lines).encode())
