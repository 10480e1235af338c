"""The notebooks of docs/notebooks run, with all that they assert."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
client = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("cvxpy")
pytest.importorskip("sklearn")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
if not FOLDER.is_dir():
    pytest.skip("no checkout with docs/notebooks", allow_module_level=True)

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
