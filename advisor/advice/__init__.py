"""From answers to advice: what to set, why, what is still open, and what to ask next. `advise.advise` is the way in.

It reads the compiled rule base and nothing else: no files, no host, no screen."""
