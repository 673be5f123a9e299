"""The grammar of mount options: how a list of them is read, and what is wrong with it. The options themselves are data
(kb/tunables/mount)."""
