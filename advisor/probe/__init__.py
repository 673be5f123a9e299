"""What an NFS server answers to questions that any user may ask, without mounting."""
