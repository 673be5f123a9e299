"""The answers file in YAML, which the wizard exports and `recommend --answers` reads."""

from __future__ import annotations

import io

from advisor import user_files
from advisor.advice.answers import AnswerError, Answers, from_plain, to_plain
from advisor.advice.mounts import sections
from advisor.advice.parse import check_answers
from advisor.rulebase.model import RuleBase
from advisor.sections import Section, SectionError
from advisor.user_files import UserFileError


class AnswersFileError(ValueError):
    """An answers file cannot be used. The message begins with file:line:column if the place is known."""


def answers_text(answers: Answers) -> str:
    """The file's text. Equal answers give equal texts."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import

    yaml = YAML(typ="rt", pure=True)
    yaml.width = 120
    yaml.default_flow_style = False
    stream = io.StringIO()
    yaml.dump({key: value for key, value in to_plain(answers).items() if value}, stream)
    return stream.getvalue()


def read_answers(base: RuleBase, path: str) -> Answers:
    """The answers in a file, checked against the rule base. Raises AnswersFileError."""
    try:
        return parse_answers(base, user_files.read_text(path), path)
    except UserFileError as error:
        raise AnswersFileError(str(error)) from None


def parse_answers(base: RuleBase, text: str, path: str) -> Answers:
    """The answers in a file's text; `path` is for messages. Raises AnswersFileError."""
    try:
        tree = user_files.parse_yaml(text, path, places=True)
    except UserFileError as error:
        raise AnswersFileError(str(error)) from None
    try:
        answers_data = from_plain(user_files.without_places(tree))
        return check_answers(base, answers_data._replace(mounts=sections_in(base, tree, path)))
    except SectionError as error:
        raise AnswersFileError(str(error)) from None
    except AnswerError as error:
        line, column = user_files.place_of(tree, error.where)
        raise AnswersFileError(f"{path}:{line}:{column}: {error}") from None


def sections_in(base: RuleBase, tree: object, path: str) -> tuple[Section, ...]:
    """The sections under the key `mounts` of a YAML text. `tree`: parsed with places; `path`: for messages. Raises
    SectionError."""
    if not isinstance(tree, dict) or "mounts" not in tree:
        return ()

    def place(number: int, key: str) -> str:
        line, column = user_files.place_of(tree, ("mounts", number, key, *key.split(".")))
        return f"{path}:{line}:{column}"

    return sections(base, user_files.without_places(tree["mounts"]), place)
