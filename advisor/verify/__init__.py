"""`advisor rules verify` and `rules test`: what only the linter can tell of a rule base. A step above both."""
