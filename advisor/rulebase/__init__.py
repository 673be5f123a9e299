"""The rule base: its schema, how it is loaded and checked, and how it is compiled to one JSON."""
