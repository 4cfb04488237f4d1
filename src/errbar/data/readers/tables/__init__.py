"""Tables and JSON in the shapes people keep them in, as one table of outcomes.

Where do rows come from?

- `table_files`: any file; `frames`: DataFrames and records in memory.
- `containers`: lists, dicts and arrays of Python.
- `workbooks`: Excel; `markdown_tables`: Markdown; `other_formats`: SQLite, YAML, JUnit, Arrow, and
  CSV that is not UTF-8; `matrix_files`: numbers only.
- `json_documents`, `json_objects`: records and lists inside JSON; `single_rows`: documents of one
  row; `nested_keys`: outcomes by system, task and question; `column_documents`: columns;
  `verdict_lists`: ids by verdict; `listed_outcomes`: lists beside their means.
- `keyed_records`: a record for each system; `surrounding_names`: names around a list of rows.
- `named_scores`: several scores of a response; `printed_values`: lists and objects as text.
- `records`: nested and wide data made flat.
- `reshaping`: all steps in their order, with remarks; `first_look`: totals that several steps need.

What is no row?

- `stray_lines`: repeated headers and notes; `summaries`: averages and empty files;
  `episode_steps`: steps before the last one of an episode.
- `total_tables`, `stated_shares`, `document_totals`: totals only.
- `file_roles`: settings, trusted labels.

Which column is what?

- `column_choice`: the question, the outcome, the system, the trial; `nested_names`: these inside
  objects.
- `id_names`: ids without a known name; `id_check`: whether the rows agree that it is the id;
  `grouped_rows`: columns that may be the id where none is.
- `competing_outcomes`: which of several columns is the outcome; `score_columns`: scores without a
  known name.
- `false_outcomes`: columns that look like the outcome and are refused, as a confidence.
- `outcome_text`: words and percentages; `statuses`: words of a status, as crashed and done.
- `graded_classes`: predictions of a classifier and their labels.
- `flagged_rows`: rows marked as failed; `directions`: whether higher is better.

Is it a row per trial?

- `wide_tables`, `wide_names`: a column per system, trial or question.
- `derived_columns`: nested objects as columns, and columns that follow from others.
- `counted_rows`: so many of so many trials right; `derived_counts`: by a share or a sum.
- `conditions`: prompts and temperatures; `repeated_ids`: parts, scorers, retries, attempts.

What are several files?

- `naming`: which file is which system, task or trial (run1, run2); `repeat_numbers`: which number
  in a name counts repeats.
- `file_names`: these names as a column of every row; `system_names`: systems by column.
- `question_files`: a file per question; `split_files`: parts of one table.
- `compared_files`: whether they have the same questions.
"""
