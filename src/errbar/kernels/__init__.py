"""Arrays in, arrays out: no names, no validation, no input or output."""
