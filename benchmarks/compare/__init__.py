"""Whether comparisons hold their level, and how much they see: a study of `runs.compare`."""
