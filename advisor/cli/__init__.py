"""The command line. Each command is a module, imported only when that command runs.

Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not run.
"""

from __future__ import annotations

import os
import sys

from advisor import __version__

COMMANDS = {
    "wizard": "ask, show what follows, and write the files to install",
    "lint": "check fstab files",
    "recommend": "what to set for an environment, and why",
    "why": "the argument for one setting",
    "why-not": "what stands against a value of a setting",
    "what-if": "which changes of what is known would change a setting",
    "facts": "what this host says of itself",
    "explain": "what a rule, check, option, sysctl, claim or source says, and why",
    "kb": "what the sources say, and where they disagree",
    "rules": "list, verify or describe the rule base",
    "completion": "print a completion script for a shell",
}

USAGE = """usage: advisor COMMAND [OPTION …]

commands:
{commands}

advisor COMMAND --help says more; advisor --version prints the version."""


def usage() -> str:
    return USAGE.format(commands="\n".join(f"  {name:<12}{says}" for name, says in COMMANDS.items()))


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; never raises, never shows a traceback."""
    args = sys.argv[1:] if argv is None else argv
    if args and args[0] in ("--version", "-V"):
        print(f"advisor {__version__}")
        return 0
    if not args and sys.stdin and sys.stdin.isatty() and sys.stdout.isatty():
        args = ["wizard"]
    if not args or args[0] in ("--help", "-h", "help"):
        print(usage())
        return 0 if args else 2
    if args[0] not in COMMANDS:
        return _unknown(args[0])
    try:
        return _run(args[0], args[1:])
    except BrokenPipeError:
        # The reader went away (| head): what was not written is not wanted.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130
    finally:
        if argv is None:  # the process ends here, and need not look through all that it holds for garbage: that is slow
            import gc

            gc.freeze()


def _unknown(name: str) -> int:
    from difflib import get_close_matches

    from advisor.render.escape import visible

    near = get_close_matches(name, COMMANDS, 1)
    hint = f" Did you mean {near[0]!r}?" if near else f" Commands: {', '.join(COMMANDS)}."
    print(f"advisor: there is no command {visible(name)!r}.{hint}", file=sys.stderr)
    return 2


def _run(name: str, args: list[str]) -> int:
    from importlib import import_module

    from advisor.cli.common import CannotRun, parser

    command = import_module(f"advisor.cli.{name.replace('-', '_')}")
    top = parser(f"advisor {name}", COMMANDS[name])
    command.configure(top)
    try:
        code = int(command.run(top.parse_args(args)))
        sys.stdout.flush()
        return code
    except CannotRun as error:
        for line in error.lines:
            print(f"advisor: {line}", file=sys.stderr)
        return 2
    except SystemExit as stop:  # argparse has already said what was wrong
        return int(stop.code or 0)
    except BrokenPipeError:
        raise
    except Exception as error:  # a fault of ours: say so plainly and keep the traceback for those who ask
        if os.environ.get("ADVISOR_DEBUG"):
            raise
        print(
            f"advisor: internal error: {type(error).__name__}: {error}. This is a fault of advisor; "
            "run again with ADVISOR_DEBUG=1 and report what it prints.", file=sys.stderr,
        )
        return 2
