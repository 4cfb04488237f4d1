"""Fuzzing: changed logs of every reader, and public functions with arguments they do not expect."""
