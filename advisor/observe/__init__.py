"""The kernel's NFS counters: readings, the quantities between two readings, and conclusions from them."""
