"""The kernel's NFS counters: readings of them, what lies between two readings, and what follows from it."""
