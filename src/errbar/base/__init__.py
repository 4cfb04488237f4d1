"""Numbers, words, arguments and files: nothing here knows of evaluation."""
