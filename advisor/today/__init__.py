"""Advice and the linter together: what a host has today, compared with what is recommended."""
