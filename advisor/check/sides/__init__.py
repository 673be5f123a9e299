"""Two hosts together: what clients mount beside what their server exports, and servers that stand in for each other."""
