"""Combines advice and the linter: compares the current configuration with the recommended one."""
