"""What the models cannot see: names that must exist elsewhere, domains, citations, examples. Each module returns problems."""
