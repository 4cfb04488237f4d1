"""Outcomes, wherever they are, as the sufficient statistics that metrics are computed from.

- `readers`: files as tables of outcomes; `sources`: tables, arrays, or several of them as one.
- `queries`: a table of outcomes as few numbers; `engines`: DuckDB and Spark.
- `columns`: what a column means, what it may be called, what a status means (`FAILED`, `UNSCORED`).
- `outcome_words`: words for right and wrong.
- `counts`: counts per question; `matrices`: matrices, counted.
- `predictions`: items with a confidence; `labelled_scores`: scores with a true label, for ROC.
- `games`: preferences between two systems; `ratings`: answers graded by several raters.
- `live_logs`: logs that are still being written.
"""
