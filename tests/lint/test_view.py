"""Server names that give a platform away."""

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from advisor.lint.view import fits

WORDS = st.text(alphabet="ab.", max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=4), WORDS)
def test_a_pattern_fits_as_a_shell_glob_does(parts, name):
    assert fits(name, parts) is fnmatchcase(name, "*".join(parts))


@given(st.lists(WORDS, min_size=2, max_size=4), st.data())
def test_a_name_made_from_the_pattern_fits(parts, data):
    name = "".join(p + data.draw(WORDS) for p in parts[:-1]) + parts[-1]
    assert fits(name, parts)
