"""Decisions: which system is better, who ranks where, whether a release may go out."""
