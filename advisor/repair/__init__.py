"""Repairs a checked host: writes the files that it should have, and scripts to apply, to verify and to undo them."""
