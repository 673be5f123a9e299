"""Measuring mount options on your own server: plan, isolation, runs, analysis, evidence."""
