"""Tables and JSON in the shapes people keep them in, as one table of outcomes."""
