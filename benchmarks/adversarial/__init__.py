"""Shapes of data on which no interval of errbar was tuned: how often intervals and verdicts hold.

The shapes were written down, with their sizes, seeds and limits, before the methods that are tried
on them. A shape may be added; none is removed, and no constant of errbar is chosen by them.

- `cells`: data sets with a known truth, and what is asked of errbar.
- `counts`, `samples`, `ranked`, `verdicts`: the first trial, by what is asked.
- `outside`, `third`, `fourth`, `fifth`, `sixth`, `seventh`, `eighth`: later trials.
- `rare`: rare errors beside questions that are never solved.
"""
