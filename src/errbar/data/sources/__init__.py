"""Sources of outcomes: tables in an engine, arrays, or several sources combined.

- `tables`: what a source can be asked, and tables in an engine.
- `arrays`: arrays and counts; `joined`: several sources, each system under a unique name, with the
  same ids (`with_checked_ids`).
"""
