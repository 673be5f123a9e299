"""Advice and the linter together: what somebody has today, beside what is recommended."""
