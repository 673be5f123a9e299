"""What brings a checked host to the advice: files, a script to apply them, one to look, and one to undo it all."""
