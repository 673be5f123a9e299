"""A small virtual machine that mounts what is recommended: a real client against the kernel's own server.

`python -m tests.kernel.vm --kernel 6.12` prints what it saw, one JSON line a scenario."""
