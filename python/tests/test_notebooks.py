"""The notebooks of docs/notebooks run, with all that they assert."""

from pathlib import Path

import pytest

import need

nbformat = need.module("nbformat")
client = need.module("nbclient")
need.module("ipykernel")
need.module("matplotlib")
need.module("cvxpy")
need.module("sklearn")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
need.that(FOLDER.is_dir(), need.Thing.CHECKOUT, "for docs/notebooks")

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path):
    notebook = nbformat.read(path, 4)
    kept = [c for c in notebook.cells if c.cell_type == "code"]
    assert path.stat().st_size < 100_000
    assert all(c.execution_count for c in kept), "committed without its output"
    assert any("image/png" in o.get("data", {}) for c in kept for o in c.outputs), "no picture"
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
