"""Documents of blocks, and their output for a terminal, Textual, Markdown, HTML and SVG. Independent of NFS."""
