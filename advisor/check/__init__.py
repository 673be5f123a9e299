"""A whole host: every file that concerns NFS, what is in effect, and what follows from both."""
