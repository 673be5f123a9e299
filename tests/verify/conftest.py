"""The rule base that the tests of `rulebase` have too."""

from tests.rulebase.conftest import root

__all__ = ["root"]
