"""Finds the causes of a problem in pasted text: reads messages, facts and configuration, and ranks the causes."""
