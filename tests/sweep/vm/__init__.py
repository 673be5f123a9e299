"""A small virtual machine with an NFS server and a host that sweeps it, each in namespaces of its own."""
