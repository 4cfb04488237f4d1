"""`python -m errbar` runs the command `errbar`."""

from errbar.cli import main

if __name__ == "__main__":
    main(prog_name="errbar")
