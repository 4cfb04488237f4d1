"""Where outcomes are: tables in an engine, files, frames, arrays, or several of these."""
