"""Queries of a table of outcomes in its engine, each one GROUP BY or one scan."""
