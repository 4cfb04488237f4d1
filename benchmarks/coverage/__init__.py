"""How often the intervals of repeated trials hold the truth, and how wide they are.

- `unit`: the simulation; `cells`: one metric and target; `methods`: ours, and those of peers.
- `difficulties`: how hard questions are; `grid`: sizes and metrics.
- `beyond`: k beyond the trials; `evalperf`, `leaderboards`: real counts; `wide`: former widths.
- `runner`: all units in turn; `store`: what is finished; `report`, `tables`: what is published.
"""
