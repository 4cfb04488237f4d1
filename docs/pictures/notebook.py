"""Executes the notebook of the documentation anew: python docs/pictures/notebook.py"""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "notebook.ipynb"


def executed() -> nbformat.NotebookNode:
    """The notebook with the outputs of its code as it is now."""
    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, record_timing=False).execute()
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
