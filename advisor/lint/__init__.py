"""Findings: what stands in a file, compared with what the rule base says. Standard library only."""
