"""What is said, as blocks, and how a terminal, Textual, Markdown and HTML show them. Knows nothing of NFS."""
