"""The code of README.md runs as it stands."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cvxpy")
pytest.importorskip("sklearn")

README = Path(__file__).resolve().parent.parent / "README.md"
if not README.is_file():
    pytest.skip("no README.md beside the tests", allow_module_level=True)


def blocks():
    """The indented blocks that are Python, in turn."""
    out, block = [], []
    for line in (*README.read_text().splitlines(), "end"):
        if line.startswith("    ") or not line.strip() and block:
            block.append(line[4:])
        elif block:
            out.append("\n".join(block))
            block = []
    return [b for b in out if "import" in b]


def test_the_problem_and_the_formula(capsys):
    assert len(blocks()) == 2
    packing, formula = ({"__name__": "__main__"} for _ in range(2))
    exec(blocks()[0], packing)
    prob, c, r = packing["prob"], packing["c"], packing["r"]
    assert prob.status == "optimal" and prob.value < 6.5
    gaps = [np.linalg.norm(c.value[i] - c.value[j]) - r[i] - r[j] for i in range(len(r)) for j in range(i)]
    assert min(gaps) > -1e-5
    capsys.readouterr()
    exec(blocks()[1], formula)
    printed = capsys.readouterr().out
    assert "max(" in printed and formula["model"].score(formula["X"], formula["y"]) > 0.8
