"""Whether comparisons hold their level, and how much they see: a study of `runs.compare`.

- `study`: the simulation; `worlds`: pairs of systems; `tests`: errbar's tests and others.
- `report`: what is published; `speed`: all pairs of fifty systems.
"""
