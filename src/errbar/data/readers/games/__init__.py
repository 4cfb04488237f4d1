"""Preferences between two systems, from files and tables of any common shape."""
