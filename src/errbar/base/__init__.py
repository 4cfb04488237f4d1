"""Numbers, text, arguments and files; nothing here depends on evaluation."""
