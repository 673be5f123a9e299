"""Many hosts at once: their bundles, grouped by identical configuration, each group judged once."""
