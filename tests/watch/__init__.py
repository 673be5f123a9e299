"""The screens of observe --live."""
