"""Analyses of outcomes: scores, comparisons, ranks, curves, monitoring and plans."""
