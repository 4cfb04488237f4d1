"""One page that can be sent to a colleague: scores, comparisons, questions, methods."""
