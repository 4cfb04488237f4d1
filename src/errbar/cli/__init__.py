"""The command `errbar`: parse, call one function, print."""
