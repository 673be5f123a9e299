"""The examples of the checks of files."""

from tests.check_examples import holds, listed
from tests.each import each
from tests.tiers import in_both, part

test_a_check_finds_what_its_examples_say = in_both(each(lambda: part(listed(of_hosts=False), 4))(holds))
