"""No test depends on the clock: what Hypothesis tries may take as long as a busy machine needs.
Nor on FORCE_COLOR, which some build machines set."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from hypothesis import settings

from advisor.lint import finding
from advisor.rulebase import base as rule_bases
from advisor.rulebase.build import Progress
from advisor.rulebase.model import RuleBase
from tests import tiers

settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")
os.environ.pop("FORCE_COLOR", None)
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
"""jsonschema would import it for a format that no schema here has, and it compiles forty grammars in each process."""
if sys.dont_write_bytecode:
    # The tests start the program some hundred times, which compiled all of it anew each time. Where no bytecode is
    # wanted beside the sources it goes to pytest's own folder.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE")


ABOUT = {
    tiers.FIRST: "about 6 minutes on two cores; `-m thorough` runs the rest",
    "thorough": "the second tier: about 12 minutes on two cores",
    "": "both tiers: about 20 minutes on two cores",
}


def everything(config: pytest.Config) -> bool:
    return config.args_source is not pytest.Config.ArgsSource.ARGS and not config.option.keyword


def pytest_addoption(parser: pytest.Parser) -> None:
    says = "at most so many cases of each test with parameters: enough to see its code on another interpreter"
    parser.addoption("--cases", type=int, default=0, metavar="N", help=says)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is wholly of the other tier is not even imported."""
    if tiers.asked not in (tiers.FIRST, "thorough") or not everything(config) or collection_path.suffix != ".py":
        return None
    return tiers.wholly_of_the_other(collection_path.read_text(encoding="utf-8"), tiers.asked) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a fresh checkout what is imported is compiled first. Each worker but the first begins with a part of its own,
    so that not all compile the same files at the same time."""
    worker, workers = (os.environ.get(f"PYTEST_XDIST_WORKER{name}", "") for name in ("", "_COUNT"))
    if worker in ("", "gw0") or not everything(session.config):
        return
    top = Path(__file__).parents[1]
    files = sorted(top.glob("tests/**/test_*.py"))
    number, share = int(worker[2:]), len(files) // int(workers) + 1
    for path in files[number * share : (number + 1) * share]:
        if not pytest_ignore_collect(path, session.config):
            with suppress(Exception, pytest.skip.Exception):  # collection says what is wrong with it
                import_module(".".join(path.relative_to(top).with_suffix("").parts))


def pytest_report_header(config: pytest.Config) -> str | None:
    return f"tests: {ABOUT[tiers.asked]}" if everything(config) and tiers.asked in ABOUT else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A name with an address in it is another in each worker, and then none of them runs anything."""
    odd = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if odd:
        raise pytest.UsageError(f"give the parameters names (ids=…): {odd[0]}")
    if config.option.cases:
        items[:] = tiers.few_cases(items, config.option.cases)
    items[:] = tiers.long_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


@pytest.fixture(scope="session")
def base() -> RuleBase:
    return rule_bases.load()


@pytest.fixture(scope="session", autouse=True)
def every_field_of_a_message_is_filled() -> Iterator[None]:
    """What lint shows as "?" fails here: a field of a check's text for which its caller has no word."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "fill", str.format_map)
        yield


@pytest.fixture(params=["libyaml", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parser of YAML in turn."""
    from advisor import bounded_yaml
    from advisor.files.yaml_mounts import read_yaml

    if request.param == "pure":
        monkeypatch.setattr(bounded_yaml, "CParser", None)
    elif bounded_yaml.CParser is None:
        pytest.skip("pip install ruamel.yaml.clib")
    read_yaml.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    tiers.asked = config.option.markexpr
    gc.set_threshold(50_000, 20, 20)
    share_the_rule_base()


def share_the_rule_base() -> None:
    """The rule base of the checkout, which no test changes, is read and built once in each process, not by each test;
    with a pack, once while tests have the same pack. A thread gets one of its own: the wizard works with a second one
    there."""
    load = rule_bases._from_files
    own = str(Path(__file__).parents[1])
    kept: dict[str, RuleBase] = {}
    with_packs: dict[object, RuleBase] = {}

    def once(root: str, packs: Sequence[str] = (), progress: Progress | None = None) -> RuleBase:
        if root != own or current_thread() is not main_thread():
            return load(root, packs, progress)
        if packs:
            told = tuple((folder, tuple(rule_bases.pack_files(folder).items())) for folder in packs)
            if told not in with_packs:
                with_packs.clear()
                with_packs[told] = load(root, packs, progress)
            return with_packs[told]
        if root not in kept:
            kept[root] = load(root)
            gc.freeze()  # it is never garbage, and looking through it took a twentieth of the tests' time
        return kept[root]

    pytest.MonkeyPatch().setattr(rule_bases, "_from_files", once)
