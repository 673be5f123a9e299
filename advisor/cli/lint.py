"""`advisor lint [FILE … | -]`: check files of NFS configuration, and fix them; the names, contents and kinds of the
files that it checks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from advisor import user_files
from advisor.cli import findings as judging
from advisor.cli.options import add_fact_options, add_site_options, configuration, rule_base, rule_folders, warn_unused
from advisor.cli.terminal import CannotRun, add_color_option, warn
from advisor.files.kinds import AROUND, BY_ID, JUDGED, NOT_YAML, identify
from advisor.lint.finding import at_least, together
from advisor.pages.formats import FORMATS
from advisor.pages.phrases import first_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.files.read_together import Beside
    from advisor.lint.finding import Finding
    from advisor.lint.lines import Result
    from advisor.lint.suppress import Baseline
    from advisor.pages.formats import NotJudged
    from advisor.rulebase.model import RuleBase

    InputFile = tuple[str, bytes, "str | None"]  # name, content, kind

STDIN = "<stdin>"
MAX_NAMED = 10
"""Lines that are named as not judged."""
SAMPLE_BYTES = 1 << 18
"""Bytes that are read to recognise the kind of a file."""


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("files", nargs="*", metavar="FILE",
                     help="files, folders or patterns (docs/files.md); - is standard input (default /etc/fstab)")
    top.add_argument("--kind", choices=tuple(BY_ID), metavar="KIND",
                     help="the kind of the files, if name and content do not show it: fstab, exports, autofs, …")
    top.add_argument("--stdin-filename", metavar="NAME",
                     help="standard input is the text of this file: its kind and its settings are those of NAME, which "
                          "is neither read nor written")
    add_fact_options(top)
    top.add_argument("--answers", metavar="FILE", help="facts and pins of an answers file, as the wizard writes it")
    top.add_argument("--from-host", action="store_true",
                     help="take facts not given otherwise from this host (`advisor facts`)")
    top.add_argument("--root", metavar="DIR|ARCHIVE",
                     help="take facts not given otherwise from a copy of the host (docs/facts.md)")
    judging.add_choice_options(top)
    top.add_argument("--exit-zero", action="store_true",
                     help="exit with 0 whatever was found; still with 2 if a file was not judged")
    top.add_argument("--output-format", choices=tuple(FORMATS), default="text",
                     help="text is for people, the others are for programs (docs/output.md)")
    top.add_argument("--verbose", action="store_true",
                     help="the whole proof of each finding: its facts, the rules that won and lost, all sources (text)")
    add_color_option(top)
    fix = top.add_argument_group("fixes")
    fix.add_argument("--fix", action="store_true", help="apply safe fixes; the old text goes to FILE.advisor~")
    fix.add_argument("--unsafe-fixes", action="store_true",
                     help="also apply the other fixes, which change what the mount does")
    fix.add_argument("--diff", action="store_true", help="show what --fix would change, without writing anything")
    site = add_site_options(top)
    site.add_argument("--show-config", action="store_true",
                      help="print what is set for the files, and where each setting comes from; check nothing")
    judging.add_baseline_options(site, "--baseline")
    site.add_argument("--statistics", action="store_true", help="count findings per rule instead of listing them")
    site.add_argument("--watch", action="store_true", help="lint again whenever a file changes, until Ctrl-C")


def run(args: argparse.Namespace) -> int:
    if args.statistics and args.output_format not in ("text", "json"):
        raise CannotRun("--statistics: the output format must be text or json")
    if not args.watch:
        return _lint_once(args)
    for option, given in (("--fix", args.fix), ("--unsafe-fixes", args.unsafe_fixes), ("--diff", args.diff),
                          ("--write-baseline", args.write_baseline), ("-", "-" in args.files),
                          ("--stdin-filename", args.stdin_filename is not None)):
        if given:
            raise CannotRun(f"--watch never writes, so it cannot be used with {option}")
    from advisor.cli.lint_modes import watch

    beside = [file for file in (args.baseline, configuration(args).name) if file is not None]
    return watch([*requested_files(args), *beside], lambda: _lint_once(args))


def _lint_once(args: argparse.Namespace) -> int:
    config = configuration(args)
    if config.name is not None and not args.config:
        warn(f"settings from {config.name}")
    base = rule_base(rule_folders(args, config))
    names = requested_files(args)
    if args.show_config:
        from advisor.cli.lint_modes import show_config

        show_config(judging.Chooser(args, base, config), [_display_name(args, name) for name in names])
        return 0
    judge = judging.TextJudge(args, base, config)
    accepted = judge.accepted
    mending = args.fix or args.unsafe_fixes or args.diff
    judged: list[tuple[Result, list[Finding]]] = []
    files, passed = _read(args, names)
    failed, unjudged = False, bool(passed)
    beside = files_beside(files)
    for name, data, kind in files:
        why = why_not_judged(name, data, kind, beside)
        if kind is None or why:
            passed.append({"file": name, "kind": kind, "reason": why})
            unjudged = True
            continue
        if mending:
            from advisor.cli.lint_modes import fix_file

            def look(text: str | bytes, name: str = name, kind: str = kind) -> tuple[Result, list[Finding]]:
                return judge.judge(text, name, kind, beside)

            result, reported = fix_file(args, name, data, look, fstab=kind == "fstab", piped=_is_stdin(args, name))
        else:
            result, reported = judge.judge(data, name, kind, beside)
        why = why_unread(result)
        if why:
            passed.append({"file": name, "kind": kind, "reason": why})
            unjudged = unjudged or not result.parts
        if not result.parts and kind in AROUND and (why or not result.findings):
            if not why and name in args.files and _may_be_of_nfs(data):
                passed.append({"file": name, "kind": kind, "reason": "no NFS configuration in it that can be judged"})
            continue
        settings = judge.chooser.of(name)
        if accepted is not None:
            accepted.note(result, settings.reported(result.findings))
        failed = failed or any(at_least(f.severity, settings.fail_on) for f in reported)
        judged.append((result, reported))
    used = {number for index in judge.indexes.values() for number in index.matcher.used}
    for number, section in enumerate(judge.chooser.sections):
        if number not in used:
            warn_unused(section)
    if args.write_baseline:
        judging.save_baseline(args.write_baseline, judged)
        failed = False
    elif judged or args.output_format != "text":
        _show(args, base, judged, passed=passed, config=config.name, accepted=accepted)
    if accepted is not None:
        judging.report_baseline(accepted)
    for file in passed:
        warn(f"{file['file']}: {file['reason']}")
    return 2 if unjudged else int(failed and not args.exit_zero)


def _read(args: argparse.Namespace, names: Iterable[str]) -> tuple[list[InputFile], list[NotJudged]]:
    """The files that may be of NFS, and those that cannot be read."""
    files: list[InputFile] = []
    passed: list[NotJudged] = []
    for named in names:
        name = _display_name(args, named)
        try:
            data = content(named)
        except CannotRun as error:
            name = name or "''"
            why = "no file matches this pattern" if _is_pattern(named) else str(error).removeprefix(f"{name}: ")
            passed.append({"file": name, "kind": None, "reason": why})
        else:
            kind = kind_of(name, data, args.kind)
            if kind is not None or named == STDIN or _may_be_of_nfs(data):
                files.append((name, data, kind))
    return files, passed


def _display_name(args: argparse.Namespace, name: str) -> str:
    """The name that findings in this file of `requested_files` have."""
    return args.stdin_filename or STDIN if name == STDIN else name


def _is_stdin(args: argparse.Namespace, name: str) -> bool:
    """Whether this name means standard input."""
    return name in (STDIN, args.stdin_filename)


def _show(
    args: argparse.Namespace, base: RuleBase, judged: list[tuple[Result, list[Finding]]], *, passed: list[NotJudged],
    config: str | None, accepted: Baseline | None,
) -> None:
    if args.diff:
        return  # what --diff prints is a diff and nothing else
    shown = [finding for _, findings in judged for finding in findings]
    if args.statistics:
        judging.show_statistics(args, base, shown)
        return
    shown = together(shown)
    results = [result for result, _ in judged]
    is_taken = (args.fix or args.unsafe_fixes) and any(_is_stdin(args, result.name) for result in results)
    stream = sys.stderr if is_taken else sys.stdout  # the fixed text went to standard output
    judging.show_findings(args, base, results, shown, passed=passed, config=config, accepted=accepted, stream=stream)


def requested_files(args: argparse.Namespace) -> list[str]:
    """The names of the files to lint, STDIN for standard input. CannotRun for options that do not go together."""
    if args.stdin_filename is None:
        return expand(args.files or ["/etc/fstab"])
    if args.files not in ([], ["-"]):
        raise CannotRun("--stdin-filename is the name of standard input: give - as the only file, or no file")
    return [STDIN]


def _is_pattern(name: str) -> bool:
    """Whether a name stands for the files that match it."""
    return any(sign in name for sign in "*?[") and not os.path.lexists(name)


def expand(names: Iterable[str]) -> list[str]:
    """The names, with patterns that no shell has expanded replaced by the files that match, if any, and folders by the
    files of known kinds in them."""
    expanded: list[str] = []
    for name in names:
        if name == "-":
            expanded.append(STDIN)
        elif _is_pattern(name):
            from glob import glob

            fitting = sorted(glob(name, recursive=True))  # noqa: PTH207  names stay as they were written
            files = [path for path in fitting if not os.path.isdir(path)]  # noqa: PTH112
            expanded += files or [name]
        elif os.path.isdir(name):  # noqa: PTH112
            from advisor.cli.lint_modes import files_in

            expanded += files_in(name, _is_read)
        else:
            expanded.append(name)
    return list(dict.fromkeys(expanded))


def _is_read(path: str) -> bool:
    """Whether the beginning of this file shows a kind that lint reads; of programs in Python, Go and the like nothing
    is judged. Raises OSError."""
    from advisor.files.kinds import PROGRAM, outer_language

    with open(path, "rb") as file:
        content = file.read(SAMPLE_BYTES)
    kind = kind_of(path, content, None)
    text = content.decode("utf-8", "surrogateescape") if kind == "script" else ""
    return kind in (*JUDGED, *AROUND) and outer_language(text, path) != PROGRAM


def content(name: str) -> bytes:
    """The content of a file, or of standard input for STDIN. CannotRun if it cannot be read."""
    try:
        if name != STDIN:
            return user_files.read_bytes(name)
        if sys.stdin is None:
            raise CannotRun("standard input is closed")
        return user_files.read_bounded(sys.stdin.buffer, STDIN)
    except user_files.UserFileError as error:
        raise CannotRun(str(error)) from None
    except OSError as error:  # a folder, for instance
        raise CannotRun(f"{STDIN}: cannot be read: {error.strerror}") from None


def fstab_text(name: str) -> str:
    """The text of an fstab that an option names; "-" is standard input. CannotRun says why it cannot be read."""
    return content(STDIN if name == "-" else name).decode("utf-8", "surrogateescape")


def kind_of(name: str, content: bytes, given_kind: str | None) -> str | None:
    """The kind of a file: `given_kind` if there is one, else what its name and content show; None if that is
    unknown."""
    if given_kind is not None:
        return given_kind
    text, name = content[:SAMPLE_BYTES].decode("utf-8", "surrogateescape"), "" if name == STDIN else name
    kind = identify(text, name)
    if kind is None:
        from advisor.files.embedded import proves
        from advisor.files.kinds import outer_language

        kind = "script" if outer_language(text, name) or proves(text) else None
    return kind


def _may_be_of_nfs(content: bytes) -> bool:
    """Whether a file of no known kind has a word of NFS, or what looks like an export or the source of a mount."""
    from advisor.files.embedded import hints_at_nfs

    return hints_at_nfs(content.decode("utf-8", "surrogateescape"))


def files_beside(files: Sequence[InputFile]) -> Sequence[Beside]:
    """The files that are read together with others; none for a single file."""
    if len(files) < 2 or all(kind in (None, "fstab") for _, _, kind in files):
        return ()
    from advisor.files.read_together import TOGETHER, Beside, RunFiles

    return RunFiles(
        Beside(kind, name, data.decode("utf-8", "surrogateescape"))
        for name, data, kind in files if kind is not None and kind in TOGETHER
    )


def why_unread(result: Result) -> str:
    """Which lines of a file have something of NFS that was not judged, or why nothing of it was; "" for none."""
    unreadable = next((finding for finding in result.findings if finding.message.startswith(NOT_YAML)), None)
    if unreadable is not None and not result.parts:
        return f"not checked: line {unreadable.line}: {unreadable.message}"
    if not result.unread:
        return ""
    named = first_names([*map(str, sorted(set(result.unread)))], MAX_NAMED)
    lines = "line" if named.isdigit() else "lines"
    return f"not checked in {lines} {named}: configuration of NFS in a form that advisor does not read"


def why_not_judged(name: str, data: bytes, kind: str | None, beside: Sequence[Beside]) -> str:
    """Why a file cannot be judged, and what to do; "" if it can. `beside`: the files that it is read with."""
    if kind is None:
        return "not checked: it looks like no kind of file that advisor knows; --kind KIND says that it is one"
    if kind not in (*JUDGED, *AROUND):
        return (f"not checked: it looks like {BY_ID[kind].title}, which advisor does not read yet; if it is something "
                "else, use --kind")
    if kind == "systemd-mount":
        from advisor.files.read_together import without_unit

        if without_unit(name, data.decode("utf-8", "surrogateescape"), beside):
            return "not checked, because the mount unit that it changes is not among the files; name both"
    return ""
