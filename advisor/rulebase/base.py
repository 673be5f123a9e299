"""Loading the compiled rule base. Standard library only, since every `advisor lint` imports this."""

from __future__ import annotations

import os

from advisor.rulebase.model import RuleBase, RuleBaseError, from_lines, to_lines

_KEPT = "base.jsonl"
_STAMPED = b'{"stamp": "%b", '
"""How what is kept of a checkout begins; what is installed has no stamp."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import ResourceLoader

    from advisor.rulebase.build import Progress

    __loader__: ResourceLoader


def load(root: str | None = None, packs: Sequence[str] = (), progress: Progress | None = None) -> RuleBase:
    """The rule base at `root` (a folder that holds rules/ and kb/); by default the one that came with the program.

    `packs`: folders with a site's own rules, which are verified together with it. `progress`: learns how far the
    rules are compiled, which takes many seconds and is needed only after a change. Raises RuleBaseError, with every
    problem found, when it is broken or missing."""
    if packs:
        return _from_files(os.path.abspath(root or source_root()), packs, progress)  # noqa: PTH100
    if root is None:
        try:
            return _load_compiled(f"{_package()}/_base.jsonl")
        except OSError:
            root = source_root()
        except ValueError as error:
            raise RuleBaseError([f"{_package()}/_base.jsonl is damaged ({error}): install advisor again"]) from None
    return _from_files(os.path.abspath(root), progress=progress)  # noqa: PTH100


def _load_compiled(path: str) -> RuleBase:
    """The compiled base in a file, or in a zip. Raises OSError and ValueError."""
    from mmap import ACCESS_READ, mmap  # noqa: PLC0415  not for a checkout

    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  pathlib costs 15 ms at import
            return RuleBase(from_lines(mmap(file.fileno(), 0, access=ACCESS_READ)))
    except NotADirectoryError:
        return RuleBase(from_lines(__loader__.get_data(path)))


def source_root() -> str:
    """The folder of the program's own rules/ and kb/: beside the package, or inside an installed one. Raises
    RuleBaseError in the single-file program, which has only the compiled base."""
    package = _package()
    data = f"{package}/_data"
    root = data if os.path.isdir(data) else os.path.dirname(package)  # noqa: PTH112, PTH120
    if os.path.isfile(root):  # noqa: PTH113
        raise RuleBaseError([f"{root} contains the compiled rules, not their files: to check, change or add to them, "
                             "write pipx install . in a checkout of advisor"])
    return root


def _package() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  see rule_files.py


def _from_files(root: str, packs: Sequence[str] = (), progress: Progress | None = None) -> RuleBase:
    from advisor.rulebase import rule_files  # noqa: PLC0415  not for an installed wheel

    added = {folder.rstrip("/") or "/": pack_files(folder) for folder in packs}
    stamp = _stamp(root, *map(rule_files.content_hash, added.values()))
    name = f"base-{rule_files.digest(*(os.fsencode(path) for path in added))}.jsonl" if added else _KEPT
    for kept in rule_files.cached_copies(root, name):
        if kept.startswith(_STAMPED % stamp.encode()):
            try:
                return RuleBase(from_lines(kept))
            except RuleBaseError:
                break  # a process wrote it that had started before the program was changed
    contents = rule_files.files(root)
    if not contents:
        raise RuleBaseError([f"{root}: no rule base here; it needs the folders rules/ and kb/"])
    from advisor.rulebase.build import compile_base, unwatched  # noqa: PLC0415  pydantic and perhaps the YAML parser: only when stale

    data = {"stamp": stamp, **compile_base(root, contents, added, progress or unwatched)}
    rule_files.store(root, name, to_lines(data))
    return RuleBase(data)


def compiled(root: str) -> bytes:
    """The rule base at `root` as a wheel and the single file hold it. What the checkout has compiled is not compiled
    again. Raises RuleBaseError."""
    from advisor.rulebase import rule_files  # noqa: PLC0415

    _from_files(root)
    start = _STAMPED % _stamp(root).encode()
    for kept in rule_files.cached_copies(root, _KEPT):
        if kept.startswith(start):
            return b"{" + kept.removeprefix(start)
    raise RuleBaseError([f"{root}: neither here nor in a temporary folder can the compiled rules be written"])


def _stamp(root: str, *packs: str) -> str:
    """Changes with the files of the rule base, the code that compiles it, and the packs."""
    from advisor.rulebase import rule_files  # noqa: PLC0415

    marks = rule_files.stamp(root), rule_files.code_stamp("engine", "rulebase"), *packs
    return rule_files.digest(*map(str.encode, marks))


def pack_files(folder: str) -> dict[str, bytes]:
    """Path → content of the YAML files of a site's own rules, without those whose last day has passed.
    Raises RuleBaseError when there are none."""
    from advisor.rulebase import rule_files  # noqa: PLC0415

    try:
        contents = rule_files.pack(folder.rstrip("/") or "/")
    except OSError as error:
        raise RuleBaseError([f"{error.filename or folder}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:  # user_files.UserFileError
        raise RuleBaseError([str(error)]) from None
    if not contents:
        missing = "no rules here: no *.yaml file" if os.path.isdir(folder) else "folder not found"  # noqa: PTH112
        raise RuleBaseError([f"{folder}: {missing}"])
    gone = rule_files.expired(contents)
    return {path: text for path, text in contents.items() if path not in gone}


def expired(folder: str) -> dict[str, str]:
    """Path → last day, of the files of a site's own rules that hold no more."""
    from advisor.rulebase import rule_files  # noqa: PLC0415

    return rule_files.expired(rule_files.pack(folder.rstrip("/") or "/"))
