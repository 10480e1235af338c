"""The code of the documents runs as it stands."""

import re
from pathlib import Path

import numpy as np

import need

cvxpy = need.module("cvxpy")
need.module("sklearn")

README = Path(__file__).resolve().parent.parent / "README.md"
need.that(README.is_file(), need.Thing.CHECKOUT, "for README.md")


def blocks(path=README):
    """The blocks of Python, in turn."""
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def test_the_problem_and_the_formula(capsys):
    assert len(blocks()) == 3
    packing, alone, formula = ({"__name__": "__main__"} for _ in range(3))
    exec(blocks()[0], packing)
    prob, c, r = packing["prob"], packing["c"], packing["r"]
    assert prob.status == "optimal" and prob.value < 6.5
    gaps = [np.linalg.norm(c.value[i] - c.value[j]) - r[i] - r[j] for i in range(len(r)) for j in range(i)]
    assert min(gaps) > -1e-5
    capsys.readouterr()
    exec(blocks()[1], alone)
    assert capsys.readouterr().out.startswith("optimal ") and alone["result"].objective < 6.5
    exec(blocks()[2], formula)
    printed = capsys.readouterr().out
    assert "max(" in printed and formula["model"].score(formula["X"], formula["y"]) > 0.8


def test_the_readme_of_the_repository():
    path = README.parent.parent / "README.md"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    (code,) = blocks(path)
    x = cvxpy.Variable(3)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    known = {"cost": cvxpy.norm1(x) - cvxpy.norm2(x), "constraints": [cvxpy.sum(x) == 1], "X": X, "y": np.abs(X[:, 0])}
    exec(code, known)
    assert known["prob"].status == "optimal" and abs(known["prob"].value) < 1e-5


def test_the_tutorial(capsys):
    """docs/tutorial-cvxpy.md: its blocks run in one go, and print what it says."""
    need.cvxpy((1, 8), "for dcopt.DCOPT")
    path = README.parent.parent / "docs" / "tutorial-cvxpy.md"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    text = path.read_text()
    known = {"__name__": "__main__"}
    code = blocks(path)
    assert len(code) >= 5
    for block in code:
        exec(block, known)
        printed = capsys.readouterr().out
        after = text.split(block + "```\n\n", 1)[1]
        if after.startswith("```text\n"):
            assert printed == after.split("```text\n", 1)[1].split("```", 1)[0]
        else:
            assert printed == ""


def test_the_page_of_derivatives():
    """docs/derivatives.md: its blocks run in one go."""
    path = README.parent.parent / "docs" / "derivatives.md"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    known = {}
    code = blocks(path)
    assert len(code) == 2
    for block in code:
        exec(block, known)
    assert np.allclose(known["value"], [0.6, 0.8], atol=1e-6) and np.allclose(known["change"], known["gradient"], atol=1e-6)
