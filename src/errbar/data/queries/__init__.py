"""Queries of a table of outcomes in its engine, each one GROUP BY or one scan.

- `expressions`: which column holds what (`Columns`), expressions on columns; NaN is null
  (`without_nan`), a failed row has no result (`result_of`).
- `questions`: the GROUP BY, the `Slice` that it gives, and rows without a result (`failures_as`).
- `named_questions`: questions by name.
- `properties`: clusters and weights, refused if they differ within a question.
- `count_tables`: tables that are counts already.
- `tallies`: votes by answer, statuses, rewards; `costs`: sums over trials, and prices of tokens.
- `repeats`: trials that occur twice; `row_order`: trials in the order of the log.
- `ranked_rows`: rows with a confidence; `ranked_totals`: their totals per confidence.
- `label_rows`: answers to be labelled, and which trial a label is of (`same_answers`).
"""
