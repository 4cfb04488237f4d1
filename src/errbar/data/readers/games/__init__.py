"""Preferences between two systems, and ratings that tools nest, from files of any common shape.

- `tables`: which column is which; `winners`: what a cell of the column winner means.
- `wins`: tables without such a column.
- `tools`: judgments of Arena-Hard, MT-Bench and platforms; `nested_ratings`: ratings of platforms.
- `lengths`: lengths of answers, for AlpacaEval.
"""
