"""Runs the command line in this process."""

from tests.cli.conftest import advisor

__all__ = ["advisor"]
