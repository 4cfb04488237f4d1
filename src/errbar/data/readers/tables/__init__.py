"""Tables and JSON in the shapes people keep them in, as one table of outcomes.

Each module answers one question.

- Where do rows come from? `table_files` (any file), `frames` (DataFrames and records in memory),
  `containers` (lists, dicts and arrays of Python), `workbooks` (Excel), `other_formats` (SQLite,
  YAML, JUnit), `matrix_files` (numbers), `json_documents` and
  `json_objects` (records and lists inside JSON), `verdict_lists` (ids by verdict), `keyed_records`
  (a record for each system), `surrounding_names` (names next to a list of rows), `named_scores` and
  `printed_values` (values that contain several),
  `records` (nested and wide data made flat), `reshaping` (all steps in their order, with remarks),
  `first_look` (totals that several steps need).
- What is no row? `stray_lines` (repeated headers, notes), `summaries` (averages, empty files),
  `total_tables` and `document_totals` (totals only), `settings_files` (settings).
- Which column is what? `column_choice`; `id_names` and `id_check` (ids), `competing_outcomes`
  (several outcomes), `label_files` (trusted labels), `graded_classes` (predictions and labels),
  `flagged_rows` (rows marked as failed), `outcome_text` (words and text).
- One row per trial? `wide_tables`, `wide_names` and `derived_columns` (a column per system, trial
  or question), `counted_rows` (counts of trials), `conditions` (prompts, temperatures),
  `repeated_ids` (parts, retries, attempts).
- What are several files? `naming` and `file_names` (systems, tasks, trials by file),
  `question_files` (files with one question each), `system_names` (systems by column),
  `split_files` (parts of one table), `compared_files` and `paired_sources` (whether they have the
  same questions).
"""
