"""The language server: findings, hover texts and completion in an editor. It knows the protocol, but not NFS."""
