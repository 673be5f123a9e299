"""Files of YAML, for every kind of file that is."""

from __future__ import annotations

import pytest

from advisor.readers.mounts import read


@pytest.mark.parametrize("kind", ["kubernetes", "compose", "ansible", "cloud-init", "salt"])
@pytest.mark.parametrize(("text", "line"), [
    ("a: 1\nb: 2\n\tc: 3\nd: 4\n", 3),  # a tab cannot indent
    ("a: 1\nb: }\nc: 3\n", 2),
    ("a: 1\n\n\nb: [1, 2", 4),  # it goes on until the end
])
def test_what_is_not_yaml_is_told_where_it_cannot_be_read(kind: str, text: str, line: int) -> None:
    table = read(kind, text, "x.yaml")
    assert [span.line for span, _ in table.bad] == [line]
    assert not table.mounts
