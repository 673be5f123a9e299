"""Tables of mistakes, each with the place and the words of its refusal.

A row: a file, what is replaced in it (nothing: the whole file), by what, and words of the message. `‸` in the new text
stands where the error is expected; without it the place is not looked at."""

Case = tuple[str, str, str, tuple[str, ...]]

NCONNECT = "rules/mount/nconnect.yaml"
VERS = "rules/mount/vers.yaml"
SLOTS = "rules/sysctl/slots.yaml"
FACTS = "rules/facts/all.yaml"
MOUNT = "kb/tunables/mount.yaml"
SYSCTL = "kb/tunables/sysctl.yaml"
CLAIMS = "kb/claims/handbook.yaml"
ABLE = "kb/capabilities.yaml"
CHECK = "rules/checks/intr-with-nconnect.yaml"
BUG = "rules/errata/el8-hang.yaml"
