"""Where the settings of nfs.conf and its like are."""

from __future__ import annotations

from advisor.readers.conffile import read_settings
from advisor.readers.spans import Span


def test_a_continued_value_is_marked_to_the_end_of_its_first_line() -> None:
    (setting,) = read_settings("[nfsd]\nhost = abc\\\ndef\n", "/etc/nfs.conf", "nfs.conf").settings
    assert setting.value.text == "abc  def"
    assert setting.value.span == Span(2, len("host = ") + 1, len("host = abc\\") + 1)
