"""Shapes of data on which no interval of errbar was tuned: how often intervals and verdicts hold.

The shapes were written down, with their sizes, seeds and limits, before the methods that are tried
on them. A shape may be added; none is removed, and no constant of errbar is chosen by them.
"""
