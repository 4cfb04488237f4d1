"""Readers of logs, a module per harness, and of tables of any common shape.

A harness with logs of several kinds has modules that begin with its name. What readers share:

- `paths` reads whatever is at a path; `finding` finds files and says of which kind they are,
  `copies` which are the same, `file_content` reads bytes and lines, `archive` the members of a zip
  archive, `documents` JSON whole or in part.
- `base` says what a reader is and finds the reader of a file; `logs` is what a reader returns;
  `totals` recognises files without questions.
- `log_names` and `settings` tell systems apart, `likelihoods` takes the likeliest answer of a
  multiple choice, `exports` the records of platforms.
- `tables` reads all that is no log of a harness; `games` reads preferences.
"""
