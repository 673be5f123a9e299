from __future__ import annotations


def written(text: str, span: tuple[int, int, int]) -> str:
    """What stands at a place: (line, first column, the column after it), from 1."""
    line, column, end = span
    return text.split("\n")[line - 1][column - 1 : end - 1]
