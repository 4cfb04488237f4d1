"""Outcomes → the files of others, one module each."""
