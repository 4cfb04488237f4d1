"""Sources of outcomes: tables in an engine, arrays, or several sources combined."""
