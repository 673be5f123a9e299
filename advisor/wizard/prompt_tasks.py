"""The tasks of the numbered prompts: the export, what is checked, and the causes of a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from advisor.advice.answers import NAMES
from advisor.pages.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.user_files import UserFileError
from advisor.wizard import files
from advisor.wizard.commands import commands_of
from advisor.wizard.rows import finding_row
from advisor.wizard.state import Session
from advisor.wizard.steps import LOSE, STAY
from advisor.wizard.talk import Talk
from advisor.wizard.texts import LINE, NOT_ACCEPTED, NOT_FIXED, CheckedText, read_file_or_text

if TYPE_CHECKING:
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.lint.finding import Finding
    from advisor.lint.fix import LookAtHost
    from advisor.lint.lines import Result
    from advisor.rulebase.model.types import Values

_FINDING = commands_of("finding")
CHECK_HELP = f"{', '.join(f'{one.usage} {one.help}' for one in _FINDING)}. An empty line or q leaves."


def export(talk: Talk, base: RuleBase, session: Session, folder: str) -> bool:
    """Writes the files and prints the status of each; False if they could not be written."""
    try:
        place = Path(folder).expanduser()
        titles = {artefact.path: artefact.title for artefact in files.artefacts(base, session)}
        for problem in files.lint_artefacts(base, session):
            talk.say(f"Beware: {problem}")
        written = files.write(base, session, folder)
    except (ValueError, RuntimeError) as error:
        talk.say(f"Not written: {error}")
        return False
    for file in written:
        title = f" ({titles[file.path]})" if titles.get(file.path) else ""
        talk.say(f"{file.path}{title}: {files.STATUS_TEXT[file.status]}", "  - ")
    kept = sum(file.status in files.KEPT for file in written)
    talk.say(f"Nothing else on this host has changed. {counted(len(written) - kept, 'file')} in")
    talk.line(f"  {place.absolute()}")
    again = f"advisor recommend --answers {quote(str(place / files.ANSWERS))}"
    overwrites = f"{counted(kept, 'file')} kept as edited. This overwrites them:"
    talk.say(overwrites if kept else "This shows the same advice again:")
    talk.line(f"  {again} --write-to {quote(str(place))} --force" if kept else f"  {again}")
    missing = [name for name in NAMES if not session.answers.names.get(name)]
    if missing:
        example = "write for example: name server=nfs1.example"
        talk.say(f"The files have placeholders for {', '.join(missing)}; {example}")
    return True


def check(talk: Talk, base: RuleBase, written: str, facts: Mapping[str, Values]) -> None:
    """Lints a text. `written`: the name of a file, or a line of fstab. `facts`: those to judge it by."""
    try:
        text = CheckedText.read(base, written, facts)
    except UserFileError as error:
        talk.say(str(error))
        return
    _check_text(talk, base, text)


def _check_text(talk: Talk, base: RuleBase, text: CheckedText) -> None:
    """Prints the findings in a text, and fixes or accepts them, until the user leaves it."""
    while True:
        try:
            result = text.check()
        except ValueError as error:
            talk.say(str(error))
            return
        talk.say()
        talk.say(f"{counted(len(text.findings), 'finding')}:" if text.findings else "Nothing to object to.")
        talk.rows((
            finding_row(("finding", ""), finding, fixable=finding.fix is not None) for finding in text.findings
        ), numbered=True)
        if result.open:
            talk.say(f"{counted(len(result.open), 'setting')} not judged: questions settle them.")
        if text.name == LINE and text.past:
            talk.say("The text now:")
            for line in text.text.split("\n"):
                talk.line(line)
        if not text.findings and not text.past:
            return
        talk.say(CHECK_HELP)
        written = talk.ask_in_command("Finding:")
        if written:
            _do_in_check(talk, base, text, written, result)
        elif not text.past:
            return
        else:
            talk.say(f"{text.unsaved}.")
            if talk.confirms(STAY, LOSE):
                return


def _do_in_check(talk: Talk, base: RuleBase, text: CheckedText, written: str, result: Result) -> None:
    word, place = _word_and_place(written, len(text.findings))
    does = next((command.name for command in _FINDING if command.words == word), "")
    if does == "undo" and text.past:
        text.undo()
    elif does == "save":
        try:
            saved = text.save(written[1:].strip() or text.name_to_save)
        except ValueError as error:
            talk.say(str(error))
            return
        talk.say("Saved; install it yourself:")
        talk.line(f"  {saved}")
    elif does not in ("explain", "fix", "accept") or place is None:
        talk.say(CHECK_HELP)
    elif does == "explain":
        _explain(talk, base, text.findings[place], result)
    elif does == "fix":
        if not text.fix(text.findings[place]):
            talk.say(f"{NOT_FIXED} Its number says what to do.")
    elif reason := " ".join(written.split()[2:]):
        if not text.accept(text.findings[place], reason):
            talk.say(NOT_ACCEPTED)
    else:
        talk.say("Write the reason too: a 2 the vendor asked for it")


def _explain(talk: Talk, base: RuleBase, finding: Finding, result: Result) -> None:
    from advisor.lint.evidence import evidence  # noqa: PLC0415  only for those who ask
    from advisor.pages.finding import finding_page as page  # noqa: PLC0415

    talk.say()
    talk.page(page(
        base, finding, evidence(result, finding), lambda _, number: str(result.line(number)), talk.columns
    ))


def check_host(talk: Talk, base: RuleBase, look: LookAtHost | None, facts: Mapping[str, Values]) -> None:
    """Checks this host: its files that concern NFS, and the settings in effect. `look`: checks it; None if that is not
    possible. `facts`: those that are known of the host."""
    if look is None:
        talk.say("advisor check looks at a whole host.")
        return
    talk.say("Looking at this host …")
    try:
        judged = look(facts)
    except (ValueError, OSError) as error:
        talk.say(str(error))
        return
    findings = [(file, finding) for file in judged for finding in file.findings]
    if not findings:
        talk.say("Nothing to object to.")
    while findings:
        for number, (file, finding) in enumerate(findings, 1):
            where = f"{file.result.name}, line {finding.line}" if file.written else file.result.name
            talk.say(f"{finding.severity}, {where}: {finding.message}", f"  {number}  ")
        talk.say("A number explains a finding, f 2 goes to the second in its file, to fix or accept it there. An "
                      "empty line or q leaves.")
        written = talk.ask_in_command("Finding:")
        if not written:
            return
        word, place = _word_and_place(written, len(findings))
        if place is None:
            talk.say(f"Write a number from 1 to {len(findings)}, or f and a number.")
            continue
        file, finding = findings[place]
        if word == "f" and file.written:
            _check_text(talk, base, CheckedText(base, file.result.name, file.result.text, file.facts))
            continue
        _explain(talk, base, finding, file.result)
        if not file.written:
            talk.say("This is what is in effect, not a file that could be fixed here.")


def diagnose(talk: Talk, base: RuleBase, written: str) -> None:
    """`written`: a message, or the name of a file; if it is empty, lines are read up to an empty one."""
    from advisor.diagnose.diagnosis import Diagnosis  # noqa: PLC0415
    from advisor.diagnose.text import without_secrets  # noqa: PLC0415  seldom used
    from advisor.pages.diagnose import page  # noqa: PLC0415

    if not written:
        talk.say("Write or paste the message, or the name of a file; an empty line ends it.")
        lines = []
        while line := talk.ask(">"):
            lines.append(line)
        written = "\n".join(lines)
    try:
        text = read_file_or_text(written)
    except UserFileError as error:
        talk.say(str(error))
        return
    if text:
        diagnosis = Diagnosis(base, text)
        narrow_down(
            talk, diagnosis, lambda: talk.page(page(diagnosis, without_secrets, steps=False))
        )


def _word_and_place(text: str, most: int) -> tuple[str, int | None]:
    """The letter of a command ("" for a number alone), and the index that its number means, None if the number is not
    from 1 to `most`."""
    parts = text.split()
    word, number = ("", parts[0]) if parts[0].isdecimal() else (parts[0].lower(), parts[1] if parts[1:] else "")
    place = int(number[:6]) - 1 if number.isdecimal() else -1
    return word, place if 0 <= place < most else None


def narrow_down(talk: Talk, diagnosis: Diagnosis, show: Callable[[], object]) -> None:
    """Asks for one check or answer at a time, until a cause is confirmed or no check is left. `show`: prints the
    diagnosis so far. Raises InputEnded."""
    show()
    while (step := diagnosis.step()) is not None:
        talk.say()
        talk.say(step.do, f"Check on the {step.on}: " if step.on else "", "  ")
        for meaning in step.tells:
            talk.say(meaning, "  ")
        for number, (_, words) in enumerate(step.choices, 1):
            talk.say(words, f"  {number}  ", "     ")
        written = talk.ask_in_command("Number (q leaves):")
        if not written:
            return
        if not written.isdecimal() or not 1 <= int(written[:4]) <= len(step.choices):
            talk.say(f"A number from 1 to {len(step.choices)}.")
            continue
        diagnosis.choose(step, step.choices[int(written[:4]) - 1][0])
        show()
