"""What the program is given, and what must hold of its answer. A number says everything of an input.

`Desk.input(n)` is always the same input, whatever was tried before."""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from advisor.cli import COMMANDS, command_parser, main
from advisor.cli.findings import show_findings
from advisor.engine import FactError
from advisor.files.fstab import read
from advisor.files.kinds import BY_ID, identify
from advisor.lint.finding import together
from advisor.lint.fix import fix_text
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.pages.formats import FORMATS
from advisor.rulebase.model import Fact
from tests.fuzz.mutate import HOSTILE, Mutator
from tests.fuzz.seeds import BITS, FIELDS, FILES, FSTABS, HOSTS, OTHER_SAMPLES, OTHERS, SAMPLES, VALUES, YAML
from tests.lint.fixing import BOTH, SAFE, base, fixed_well, judge, options

_STYLES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\")
"""The escape sequences that the program itself writes, with --color always."""
VIEWS = 24
"""Sets of facts that many texts share; what is remembered of them is remembered once."""


class Input(NamedTuple):
    """`data`: what was made up, for reports; its length is the input's size. `work`: what the program does with it;
    `holds`: looks at what came of that."""

    kind: str
    data: bytes
    work: Callable[[], Any]
    holds: Callable[[Any], None]


class Ran(NamedTuple):
    argv: list[str]
    code: int
    out: str
    err: str


class Desk:
    """Where inputs are made and tried. `folder`: one that may be emptied; `others`: the texts of others too."""

    def __init__(self, folder: Path, others: bool) -> None:
        self.folder = folder
        self.fstabs = [*FSTABS, *(OTHERS if others else ())]
        self.samples = {
            name: [*texts, *(OTHER_SAMPLES.get(name, ()) if others else ())] for name, texts in SAMPLES.items()
        }
        spelled = [option + value for option in options() for value in (VALUES if option.endswith("=") else ("",))]
        self.words = [word.encode() for word in (*spelled, *FIELDS * 9)]
        self.names = [*base().rule_names, *base().tunables, *base().claims, "nolock", "nconnect", "no"]
        self.given = [word.encode() for word in (*YAML * 9, *base().facts, *base().decisions)]
        self.indexes = [RuleIndex(base(), self.facts(Random(i), i % 5)) for i in range(VIEWS)]
        self.kinds: dict[str, RuleIndex] = {}
        self.parsers = {name: command_parser(name)._actions for name in COMMANDS}

    def input(self, number: int) -> Input:
        random = Random(number)
        (kind,) = random.choices(list(KINDS), WEIGHTS)
        return KINDS[kind](self, random)

    def facts(self, random: Random, count: int) -> dict[str, Any]:
        """Facts that do not contradict one another."""
        known: dict[str, Any] = {}
        for name in random.sample(sorted(base().facts), count):
            value = _answer(random, base().facts[name])
            try:
                base().engine.state({**known, name: value, "host.role": "nfs-client"})
                known[name] = value
            except FactError:
                pass
        return known

    def plant(self, files: Mapping[str, bytes]) -> None:
        for old in self.folder.iterdir():
            shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
        for name, content in files.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def _answer(random: Random, fact: Fact) -> Any:
    if fact.type == "bool":
        return random.random() < 0.5
    if fact.type == "int":
        return random.choice((0, 1, 2, 8, 64, 1000, 65536, 10**6, 10**12))
    some = [*(fact.values or ()), *fact.examples, *(() if fact.type == "enum" else ("4.18", "6.12"))]
    return random.choice(some)


# Texts of fstab.


def _fstab(desk: Desk, random: Random) -> Input:
    data = Mutator(random, desk.fstabs, desk.words).text()
    index = random.choice(desk.indexes) if random.random() < 0.95 else RuleIndex(base(), desk.facts(random, 4))
    args = argparse.Namespace(
        output_format=random.choice(list(FORMATS)), color=random.choice(("always", "never")),
        verbose=random.random() < 0.2,
    )

    def work() -> Any:
        result = lint_text(data, "fstab", base(), index.known, index)
        out = io.StringIO()
        with redirect_stdout(out):
            show_findings(args, base(), [result], together(result.findings), passed=[], config=None)
        return result, out.getvalue()

    def holds(came: Any) -> None:
        result, out = came
        lines = read(data).text.split("\n")  # a place may include the newline
        for found in result.findings:
            assert found.message, found
            for place in (found, *(found.fix.edits if found.fix else ())):
                assert 1 <= place.column <= place.end_column <= len(lines[place.line - 1]) + 2, found
        readable(args.output_format, out, styled=args.color == "always")

    return Input("fstab", data, work, holds)


def _fix(desk: Desk, random: Random) -> Input:
    data = Mutator(random, desk.fstabs, desk.words).text()
    text, safeties = data.decode("utf-8", "surrogateescape"), random.choice((SAFE, BOTH))
    return Input("fix", data, lambda: fix_text(text, judge, safeties), lambda _: fixed_well(text, safeties) and None)


def _kind(desk: Desk, random: Random) -> Input:
    """A file of any other kind than fstab."""
    name = random.choice(list(SAMPLES))
    data = Mutator(random, desk.samples[name], [*random.sample(desk.words, 50), *BITS]).text()
    kind = name if name in BY_ID else "script"
    index = desk.kinds.get(kind) or desk.kinds.setdefault(kind, RuleIndex(base(), {}, (), kind))

    def work() -> Any:
        text = data.decode("utf-8", "surrogateescape")
        return identify(text, ""), lint_text(text, name, base(), {}, index, kind=kind)

    def holds(came: Any) -> None:
        lines = came[1].text.split("\n")
        for found in came[1].findings:
            assert found.message, found
            assert 1 <= found.line <= len(lines), found
            assert 1 <= found.column <= found.end_column, found

    return Input("kind", data, work, holds)


def readable(form: str, out: str, styled: bool = False) -> None:
    """Programs can read the formats that are for them, and a terminal obeys nothing that came from a file."""
    out.encode()
    if form in ("json", "sarif", "gitlab"):
        json.loads(out)
    elif form == "junit":
        ElementTree.fromstring(out)
    shown = _STYLES.sub("", out) if styled else out
    assert all(line.isprintable() for line in shown.split("\n")), "a control character"


# The command line.


def _ran(argv: list[str], stdin: bytes) -> Ran:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(argv)
    finally:
        sys.stdin = before
    told = (stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err))  # type: ignore[attr-defined]
    return Ran(argv, code, *told)


def _ended_well(ran: Ran) -> None:
    argv, code, out, err = ran
    assert "Traceback" not in err, err
    assert code in (0, 1, 2), code
    told = argv[0] in ("lint", "kb", "rules", "diagnose") or "--write-to" in argv
    assert code != 1 or told, "1 means findings, kept files, or a message that nobody knows"
    assert code != 2 or err, "not a word of what is wrong"
    readable("text", err)
    if code == 2 or argv[0] in _OTHER or {"--diff", "--write-to", "-", "--help", "-h"} & set(argv):
        return
    form = argv[argv.index("--output-format") + 1] if "--output-format" in argv else "text"
    told = not {"--statistics", "--write-baseline", "--show-config"} & set(argv)
    readable(form if told else "text", out, styled="always" in argv)
    if argv[0] == "lint" and form == "json" and told and not any(word.startswith("--fail-on") for word in argv):
        severities = {found["severity"] for found in json.loads(out)["findings"]}
        assert code == bool(severities & {"error", "warning"}) or "--config" in argv


_WIDTHS = ("80", "", "0", "1", "20", "200", "x", "9" * 5000)
_OTHER = ("kb", "rules", "completion", "wizard")
"""What they print holds nothing of others, or is not one of these formats."""


def _command(desk: Desk, kind: str, made: tuple[list[str], bytes], files: Mapping[str, bytes]) -> Input:
    """`made`: the words of the command, and what else was made up."""
    argv, data = made
    desk.plant(files)  # what the program writes there is gone with the next input

    def work() -> Ran:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", _WIDTHS[len(repr(made)) % len(_WIDTHS)])
            return _ran(argv, files.get("typed", b""))

    return Input(kind, repr(argv).encode() + b"\n" + data, work, _ended_well)


def _words(desk: Desk, random: Random) -> Input:
    """Any options of any command, with values that fit or do not."""
    command = random.choice([name for name in COMMANDS if name not in ("lsp", "probe")])  # a protocol, the network
    # Without a file lint would look at this host's own, and without --plain the wizard at the terminal.
    argv = [command, *{"lint": ["fstab"], "wizard": ["--plain"]}.get(command, [])]
    actions = [*desk.parsers[command]]
    inner = next((action for action in actions if action.dest == "what" and action.choices), None)
    if inner is not None and random.random() < 0.95:
        name = random.choice(list(inner.choices))
        argv, actions = [command, name], inner.choices[name]._actions
    for action in actions:
        often = 0.15 if action.option_strings else 0.9
        if action is inner or _FORBIDDEN & set(action.option_strings) or random.random() > often:
            continue
        argv += action.option_strings[:1]
        if action.nargs != 0:
            argv.append(_value(desk, random, action))
    for at in range(len(argv)):
        if random.random() < 0.03 and (command, at) not in (("lint", 1), ("wizard", 1)) and at:
            argv[at] = random.choice(HOSTILE).decode("utf-8", "surrogateescape").replace("/", "")
    changed = random.choice(list(FILES))
    files = {**FILES, changed: _changed(desk, random, changed)}
    return _command(desk, "words", (argv, files[changed] if changed in argv else b""), files)


_FORBIDDEN = {"--watch", "--web", "--port", "--help"}
"""They do not end, or say nothing."""


def _value(desk: Desk, random: Random, action: Any) -> str:
    """What one option or operand may stand for. Files lie in the folder: none has a slash before its name."""
    if action.choices:
        return str(random.choice(list(action.choices)))
    kind = str(action.metavar)
    if kind == "FACT=VALUE":
        name = random.choice(sorted(base().facts))
        return f"{name}={_answer(random, base().facts[name])}"
    if kind in ("FILE", "DIR"):
        return random.choice([*FILES, "rules", "rules", "new", "none", "*.yaml", "."])
    name = random.choice(desk.names)
    if kind in ("SETTING=VALUE", "SETTING"):
        return f"{random.choice(list(base().decisions))}={random.choice(VALUES)}"
    return name if kind != "RULE,…" else f"{name},{name.partition('/')[0]}*"


def _changed(desk: Desk, random: Random, name: str) -> bytes:
    """Another content for one of FILES."""
    if name == "fstab":
        return Mutator(random, desk.fstabs, desk.words).text()
    text = Mutator(random, [FILES[name]], desk.given).text()
    return re.sub(rb"[/~]", b"", text) if name == "typed" else text  # the wizard writes where it is told


_READ: Mapping[str, list[list[str]]] = {
    "facts.yaml": [["lint", "fstab", "--facts", "facts.yaml"]] * 4 + [["recommend", "--facts", "facts.yaml"]],
    "facts.json": [["lint", "fstab", "--facts", "facts.json", "--output-format", "json"]],
    "answers.yaml": [["why-not", "soft", "--answers", "answers.yaml"], ["recommend", "--answers", "answers.yaml"]],
    "site.toml": [["lint", "fstab", "--config", "site.toml"]],
    "baseline.json": [["lint", "fstab", "--baseline", "baseline.json", "--pedantic"]],
    "rules/decision.yaml": [["lint", "fstab", "--rules", "rules"]], "rules/check.yaml": [["rules", "test", "rules"]],
    "rules/claims.yaml": [["lint", "fstab", "--rules", "rules"]], "rules/source.yaml": [["rules", "test", "rules"]],
    "fstab": [["lint", "fstab", "--fix"], ["lint", "fstab", "--unsafe-fixes"], ["lint", "fstab", "--diff"],
              ["lint", "fstab", "--statistics"], ["lint", "-"],
              ["recommend", "--compare", "fstab", "--output-format", "json"]],
    "typed": [["wizard", "--plain", "--no-save", "--no-host"]],
}


def _given(desk: Desk, random: Random) -> Input:
    """One file that the command reads, changed."""
    (name,) = random.choices(list(_READ), [1 if name.startswith("rules/") else 20 for name in _READ])  # packs take long
    files = {**FILES, name: _changed(desk, random, name)}
    files["typed"] = files["fstab" if name == "fstab" else "typed"]
    return _command(desk, "given", (random.choice(_READ[name]), files[name]), files)


def _host(desk: Desk, random: Random) -> Input:
    """A copy of a host with some files changed."""
    files = dict(random.choice(HOSTS))
    changed = random.sample(sorted(files), 2)
    for name in changed:
        files[name] = Mutator(random, [files[name]], [*desk.words[:200], b"rw", b"nfs4", b"0:52", b"- -"]).text()
    argv = ["facts", "--root", "tree", "--output-format", random.choice(("text", "json", "yaml"))]
    tree = {f"tree{path}": content for path, content in files.items() if not path.endswith("/")}
    return _command(desk, "host", (argv, b"\n".join(files[name] for name in changed)), tree)


def _advice(desk: Desk, random: Random) -> Input:
    """Counsel, and its reasons, for facts that do not contradict one another."""
    facts = desk.facts(random, random.choice((0, 2, 5, 12)))
    name = random.choice(list(base().decisions))
    form = random.choice(("text", "json"))
    argv = random.choice((
        ["recommend", "--output-format", form], ["recommend", "--verbose", "--all"], ["recommend", "--write-to", "new"],
        ["why", name], ["what-if", name], ["why-not", f"{name}={random.choice(VALUES)}"], ["explain", name],
    ))
    for fact, value in facts.items():
        argv = [*argv, "--set", f"{fact}={str(value).lower() if isinstance(value, bool) else value}"]
    return _command(desk, "advice", (argv, b""), FILES)


KINDS: Mapping[str, Callable[[Desk, Random], Input]] = {
    "fstab": _fstab, "fix": _fix, "kind": _kind, "words": _words, "given": _given, "host": _host, "advice": _advice,
}
WEIGHTS = (500, 100, 320, 40, 20, 10, 10)
