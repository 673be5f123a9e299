"""`advisor rules verify` and `rules test`: checks of a rule base that need the linter. A layer above both."""
