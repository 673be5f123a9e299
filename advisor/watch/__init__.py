"""`advisor observe --live`: what each mount does and what limits it, as it goes on, on screens of Textual."""
