"""The answers file: what the wizard keeps and `recommend --answers` reads. YAML, with comments left alone."""

from __future__ import annotations

import io

from advisor import given
from advisor.advice.answers import AnswerError, Answers, from_plain, to_plain
from advisor.advice.mounts import sections
from advisor.advice.parse import checked
from advisor.given import GivenError
from advisor.rulebase.model import RuleBase
from advisor.sections import Section, SectionError


class AnswersFileError(ValueError):
    """A file that cannot be used; the message begins with file:line:column where there is one."""


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
        return parse_answers(base, given.text(path), path)
    except GivenError as error:
        raise AnswersFileError(str(error)) from None


def parse_answers(base: RuleBase, text: str, path: str) -> Answers:
    """The answers in a file's text; `path` is for messages. Raises AnswersFileError."""
    try:
        tree = given.yaml_data(text, path, places=True)
    except GivenError as error:
        raise AnswersFileError(str(error)) from None
    try:
        told = from_plain(_plain(tree))
        return checked(base, told._replace(mounts=sections_in(base, tree, path)))
    except SectionError as error:
        raise AnswersFileError(str(error)) from None
    except AnswerError as error:
        line, column = _place(tree, error.where)
        raise AnswersFileError(f"{path}:{line}:{column}: {error}") from None


def _plain(node: object) -> object:
    """Without the parser's own types."""
    if isinstance(node, dict):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    if isinstance(node, bool) or node is None:
        return node
    for plain in (int, float, str):
        if isinstance(node, plain):
            return plain(node)
    return str(node)


def sections_in(base: RuleBase, tree: object, path: str) -> tuple[Section, ...]:
    """The sections that a YAML text holds under the key `mounts`. `tree`: as parsed with places; `path`: for messages.
    Raises SectionError."""
    if not isinstance(tree, dict) or "mounts" not in tree:
        return ()

    def place(number: int, key: str) -> str:
        line, column = _place(tree, ("mounts", number, key, *key.split(".")))
        return f"{path}:{line}:{column}"

    return sections(base, _plain(tree["mounts"]), place)


def _place(tree: object, where: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column, from 1, of the innermost of these keys and numbers that the file has."""
    line, column = 0, 0
    node = tree
    for key in where:
        if isinstance(node, list) and isinstance(key, int):
            if key >= len(node):
                break
            line, column = node.lc.item(key)  # type: ignore[attr-defined]
            node = node[key]
            continue
        if isinstance(node, list) and key in node:
            line, column = node.lc.item(node.index(key))  # type: ignore[attr-defined]
            break
        if isinstance(node, dict):
            found = next((one for one in node if str(one) == key), None)
            if found is not None:
                line, column = node.lc.key(found)  # type: ignore[attr-defined]
                node = node[found]
    return line + 1, column + 1
