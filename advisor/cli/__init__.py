"""The command line. Each command is a module, imported only when that command runs.

Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not run, 141 the reader of a pipe went away.
"""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper

from advisor import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable
    from types import ModuleType

BROKEN_PIPE = 141
"""The exit code of a program that SIGPIPE ended, as a shell reports it: 128 and the signal's number."""

COMMANDS = {
    "wizard": "ask questions, show what follows, and write the files to install",
    "check": "check this host, or a copy of it: all its NFS files, and the settings in effect",
    "fleet": "report on many hosts: their classes, the findings, and the outliers",
    "diagnose": "find the cause of a message, in a log, or of a whole question",
    "probe": "ask an NFS server, without mounting, what it would answer a mount",
    "observe": "show what the kernel's counters say of the mounts, and what limits them",
    "sweep": "measure mount options on your own server",
    "lint": "check files of NFS configuration",
    "lsp": "run the language server, for findings in your editor while you type",
    "mcp": "answer assistants, by the Model Context Protocol",
    "recommend": "recommend settings for an environment, with the reasons",
    "why": "show the argument for one setting",
    "why-not": "show what speaks against a value of a setting",
    "what-if": "show which other facts would change a setting",
    "facts": "show what this host reveals about itself",
    "explain": "explain a rule, check, option, sysctl, claim or source",
    "kb": "show what the sources say, and where they disagree",
    "rules": "list, verify or describe the rule base",
    "completion": "print a completion script for a shell",
}

_MODULES = {
    "why-not": "why", "what-if": "why", "kb": "explain", "probe": "facts", "lsp": "servers", "mcp": "servers",
    "completion": "rules",
}
"""The modules of commands that share one; the others have one of their name."""

OF_WORDS = {"lint": None, "diagnose": None, "explain": 1}
"""Commands that read a command line of words without argparse, and how many words they need; None for any number."""

USAGE = """usage: advisor COMMAND [OPTION …]

commands:
{commands}

advisor help COMMAND says more; advisor --version prints the version."""


def usage() -> str:
    return USAGE.format(commands="\n".join(f"  {name:<12}{says}" for name, says in COMMANDS.items()))


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; never raises, never shows a traceback.

    1 means findings, and nothing else: what cannot be written is 2, and a reader that went away 141, as for others."""
    if not _prepare_streams():
        return 2
    # The garbage collector finds next to nothing in a short command, and costs time. Commands that live for more
    # than some seconds turn it on again.
    gc.disable()
    try:
        code = _dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader went away (| head): what was not written is not wanted
        code = BROKEN_PIPE
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        code = 2
        _report_failure(error)
    if argv is not None:
        gc.enable()
        return code
    gc.freeze()  # the process ends here: a last collection would only be slow
    return _flush_streams(code)


def _report_failure(error: Exception) -> None:
    if os.environ.get("ADVISOR_DEBUG"):
        import traceback

        _print_errors(*traceback.format_exc().splitlines())
    elif isinstance(error, OSError):  # without a name it is standard output: a full disk, for instance
        _print_errors(f"{'cannot write' if error.filename is None else error.filename}: {error.strerror or error}")
    elif isinstance(error, ModuleNotFoundError) and error.name and not f"{error.name}.".startswith("advisor."):
        _print_errors(f"this needs the Python package {error.name}, which is not installed; "
             "pipx install . in a checkout of advisor installs it with what it needs")
    else:  # a fault of ours: say so plainly and keep the traceback for those who ask
        _print_errors(
            f"internal error: {type(error).__name__}: {error}. This is a fault in advisor; "
            "run again with ADVISOR_DEBUG=1 and report the output."
        )


def _prepare_streams() -> bool:
    """Make the standard streams writable in any locale; False if standard output is closed."""
    try:
        while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass  # a closed stream's number: else the next file that is opened would get it
        os.close(handle)
    except OSError:
        pass  # there is no /dev here
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  open until the end
    if sys.stdout is None:
        _print_errors("standard output is closed")
        return False
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    return True


def _flush_streams(code: int) -> int:
    """The exit code once everything is written out. What cannot be written is discarded, or Python would try again when
    it ends, and exit with another code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            if stream is sys.stdout and code != BROKEN_PIPE:
                code = BROKEN_PIPE if isinstance(error, BrokenPipeError) else 2
                _print_errors(f"cannot write: {getattr(error, 'strerror', None) or error}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _print_errors(*lines: str) -> None:
    """Print to standard error, if it is open."""
    from advisor.pages.style import visible

    try:
        for line in lines:
            print(f"advisor: {visible(line)}", file=sys.stderr)
    except (OSError, ValueError):
        pass


def _dispatch(args: list[str]) -> int:
    if args and args[0] in ("--version", "-V"):
        print(f"advisor {__version__}")
        return 0
    if not args and sys.stdin and sys.stdin.isatty() and sys.stdout.isatty():
        args = ["wizard"]
    if args[0:1] == ["help"] and args[1:] and not args[1].startswith("-"):
        args = [*args[1:], "--help"]
    if not args or args[0] in ("--help", "-h", "help"):
        print(usage())
        return 0 if args else 2
    if args[0].startswith("-"):
        args = ["wizard", *args]  # its options without its name, as it runs without its name
    if args[0] not in COMMANDS:
        from advisor.rulebase.spelling import near

        hint = near(args[0], (*COMMANDS, "help"), f"commands: {', '.join(COMMANDS)}")
        _print_errors(f"unknown command {args[0]!r}; {hint}")
        return 2
    return _run(args[0], args[1:])


def _run(name: str, args: list[str]) -> int:
    from advisor.cli.terminal import CannotRun

    module = command_module(name)
    try:
        words = [word for word in args if word == "-" or not word.startswith("-")]
        if name in OF_WORDS and words == args and OF_WORDS[name] in (None, len(words)):
            from advisor.cli.options import Words

            return int(module.run(Words(module.configure, words)))
        return _function("run", name)(command_parser(name).parse_args(args))
    except CannotRun as error:
        _print_errors(*error.lines)
        return 2
    except SystemExit as stop:  # argparse has already said what was wrong
        return int(stop.code or 0)


def command_parser(name: str) -> ArgumentParser:
    from advisor.cli.parser import parser

    top = parser(f"advisor {name}", COMMANDS[name], lambda: map(command_parser, COMMANDS))
    configure_command(name, top)
    return top


def configure_command(name: str, top: ArgumentParser) -> None:
    _function("configure", name)(top)


def command_module(name: str) -> ModuleType:
    # As importlib.import_module does, which takes a millisecond to load.
    return __import__(f"advisor.cli.{_MODULES.get(name, name)}", fromlist=["run"])


def _function(what: str, name: str) -> Callable[..., int]:
    """`configure` or `run` of a command. A second command of a module has its own, such as `run_kb`."""
    module = command_module(name)
    function: Callable[..., int] = getattr(module, f"{what}_{name}", None) or getattr(module, what)
    return function
