"""How often the intervals of repeated trials hold the truth, and how wide they are."""
