"""Fuzzing: changed logs of every reader, and public functions with arguments they do not expect.

- `logs`, `functions`: what is tried; `mutants`: how logs are changed.
- `processes`: mutants in a process of their own.
"""
