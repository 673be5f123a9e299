"""The wizard: its state without a screen, the same questions as Textual screens and as numbered prompts, a browser."""
