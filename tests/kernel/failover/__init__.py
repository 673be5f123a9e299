"""A pair of NFS servers that fail over, and clients that write down what they see.

`python -m tests.kernel.failover --kernel 6.12` prints what was seen, one JSON line a case."""
