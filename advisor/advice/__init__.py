"""From answers to advice: what to set, why, what is open, and what to ask next. The entry point is `advise.advise`.

It reads the compiled rule base only, no files or hosts."""
