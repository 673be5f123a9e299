"""Lossless readers of configuration files. They report what is in a file and where; they judge nothing."""
