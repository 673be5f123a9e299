"""Who may import whom: the way through is one-directional. And who is meant: no two classes share a name."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence, Set
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from tests.each import each

PACKAGE = Path(__file__).parents[1] / "advisor"
ALLOWED = {
    "named_tuple": set(),
    "regex": set(),
    "engine": {"named_tuple"},
    "user_files": {"bounded_yaml"},
    "bounded_yaml": set(),
    "rulebase": {"named_tuple", "user_files", "engine", "bounded_yaml"},
    "files": {"named_tuple", "rulebase", "bounded_yaml"},  # what the owning program makes of a file
    "sections": {"named_tuple", "engine", "files", "rulebase"},
    "host": {"named_tuple", "engine", "user_files", "files", "rulebase"},
    "lint": {"named_tuple", "user_files", "engine", "files", "rulebase", "sections"},
    # Files and kernel of one host.
    "check": {"named_tuple", "engine", "host", "lint", "files", "probe", "rulebase", "sections"},
    "observe": {"named_tuple", "engine", "host", "files", "rulebase"},
    # What a server answers over the network.
    "probe": {"named_tuple", "observe", "files", "rulebase", "sections", "user_files"},
    "verify": {"check", "diagnose", "engine", "lint", "observe", "files", "rulebase"},
    # The linter judges the fstab beside the advice, pinned values, and what would be written.
    "advice": {"named_tuple", "user_files", "engine", "files", "lint", "rulebase", "sections"},
    # It judges the configuration that is pasted beside a message.
    "diagnose": {"named_tuple", "engine", "lint", "files", "rulebase"},
    # Blocks of output, and the views that are made of them: it tells what the linter found, and what exports mean.
    "pages": {
        "named_tuple", "advice", "check", "diagnose", "engine", "files", "fleet", "lint", "observe",
        "probe",
        "rulebase",
    },
    # What lint finds, while a file is written.
    "lsp": {"config", "pages", "lint", "named_tuple", "files", "rulebase"},
    # Files for the advice; with a checked host, also what changes there.
    "install": {
        "named_tuple", "advice", "check", "engine", "files", "host", "lint", "pages", "rulebase", "user_files",
    },
    # It mounts, measures, and makes rules of what it has measured.
    "sweep": {
        "named_tuple", "advice", "pages", "engine", "host", "observe", "files", "rulebase", "user_files",
        "verify",  # rules that are adopted have passed it
    },
    # Many hosts.
    "fleet": {
        "named_tuple", "check", "engine", "user_files", "host", "lint", "files", "probe", "rulebase",
    },
    # Besides advice it shows what is observed, with the same lists and keys.
    "wizard": {
        "diagnose", "pages", "user_files", "advice", "install", "engine", "lint", "observe", "probe", "rulebase",
        "sections",
    },
}
"""Package → the others that it may import. `cli` may import all, and all `regex`; nothing imports `cli`."""


class Source(NamedTuple):
    """What the tests ask of a module. `imports`: the names imported, with their modules before them, at its top, inside
    functions, and for the type checker alone. `words`: its strings, without those between the braces of another."""

    imports: Sequence[tuple[str, str]]
    classes: Sequence[str]
    words: Set[str]


@cache
def source(path: Path) -> Source:
    imported: list[tuple[str, str]] = []
    classes, words, written = [], [], set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they lead"
            imported += [(str(node.module), alias.name) for alias in node.names]
        elif isinstance(node, ast.ClassDef):
            classes.append(node.name)
        elif isinstance(node, ast.JoinedStr):
            written.update(node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in written:
            words.append(node.value)
    return Source(imported, classes, {*words})


def imports(path: Path) -> set[str]:
    """The packages of ours that a file imports."""
    names = [f"{module}.{name}" for module, name in source(path).imports]
    return {name.split(".")[1] for name in names if name.startswith("advisor.")} - {"__version__", ""}


@each(lambda: sorted(ALLOWED))
def test_imports_go_one_way(package: str) -> None:
    files = [*PACKAGE.glob(f"{package}/**/*.py"), *PACKAGE.glob(f"{package}.py")]
    assert files
    allowed = {package, "regex", *ALLOWED[package]}
    wrong = {f"{path.relative_to(PACKAGE)}: {name}" for path in files for name in imports(path) - allowed}
    assert wrong == set()


def test_every_package_has_its_place() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages - ALLOWED.keys() == {"cli"}


def test_only_sweeps_and_parquet_import_what_is_an_extra() -> None:
    heavy = {"numpy", "pyarrow", "pydoe", "scipy"}
    users = {
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
        if heavy & {module.partition(".")[0] for module, _ in source(path).imports}
    }
    assert users - {"pages/fleet.py"} == {f"sweep/{name}.py" for name in ("analysis", "design", "result")}


def test_a_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for name in source(path).classes:
            places.setdefault(name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


EXPORT_WORDS = {
    "fsid=", "sec=", "xprtsec=", "reexport=", "anonuid=", "crossmnt", "nohide", "no_root_squash", "root_squash",
    "all_squash", "insecure", "subtree_check", "no_subtree_check",
}


def test_exports_are_read_in_one_place() -> None:
    """No other package looks for an option of exports(5) in a text, or for an address in a network: files/ says what
    exportfs makes of them. `probe` asks servers of any maker, which print lists of their own."""
    wrong = set()
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if place.parts[0] in ("files", "probe"):
            continue
        wrong |= {f"{place}: {word}" for word in source(path).words & EXPORT_WORDS}
        addresses = {name for module, name in source(path).imports if module == "ipaddress"}
        wrong |= {f"{place}: {name}" for name in addresses if "network" in name.lower()}
    assert wrong == set()


def modules_imported(path: Path, modules: Container[str]) -> set[str]:
    names = {f"{module}.{name}" if f"{module}.{name}" in modules else module for module, name in source(path).imports}
    return {name for name in names if name in modules}


def test_no_module_imports_itself_by_way_of_others() -> None:
    paths = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    graph = {name: modules_imported(path, modules) - {name} for name, path in modules.items()}
    assert len([*TopologicalSorter(graph).static_order()]) == len(modules)  # a CycleError names the circle
