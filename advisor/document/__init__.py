"""Text as blocks, and how a terminal, Textual, Markdown, HTML and SVG show them. Knows nothing of NFS."""
