"""Lossless readers of configuration files. They report what stands in a file and where; they judge nothing."""
