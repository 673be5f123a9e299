"""Hosts compared: what clients mount with what their server exports, and the nodes of a cluster with each other."""
