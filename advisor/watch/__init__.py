"""`advisor observe --live`: what each mount does and what limits it, continuously, on Textual screens."""
