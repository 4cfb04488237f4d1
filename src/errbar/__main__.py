"""`python -m errbar` is the command `errbar`."""

from errbar.cli.main import main

if __name__ == "__main__":
    main(prog_name="errbar")
