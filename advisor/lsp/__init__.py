"""The language server: what editors show of files while they are written. Knows the protocol, and no NFS."""
