"""What type checkers find in a user's program: each line with "# wrong" and no other; and in the package: nothing."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import dcopt
import need

PROGRAM = '''
import numpy as np

import dcopt
from dcopt import LDERegressor, LDERegresor, dc  # wrong: a name

model = dc.Model()
x = model.var("x", (3, 2), at_least=0, at_most=[1.0, 2.0])
y = model.var("y", at_leest=0)  # wrong: a name
p = model.param("p", 3, np.ones(3))
model.minimize(dc.sum_squares(x @ [1.0, 2.0] - p) + dc.norm2(x, axis=1)[0] - 2 * dc.max(x, 1.5))
model.minimise(dc.sum(x))  # wrong: a name
model.subject_to((x >= 0.5).named("floor"), dc.between(0, x, 1), np.ones(2) @ x.T <= p)
model.subject_to(x)  # wrong: no constraint
result = model.solve(starts=5, effort="quick", callback=lambda progress: print(progress.best), time_limit=None)
model.solve(strats=5)  # wrong: a setting
model.solve(effort="slow")  # wrong: a value
model.solve(max_iter="many")  # wrong: a type
print(result.objective + 1, result.status.upper(), result.bound)
print(result.stat)  # wrong: a name
best: float = result.gap  # wrong: it may be None
a = dcopt.solve_qp([[1.0]], [1.0], lb=0.0, tol=1e-9)
print(a.shape)  # wrong: it may be None
print(dcopt.solve_qp(np.eye(2), np.ones(2), return_result=True).objective)
dcopt.solve_qp([[1.0]], [1.0], tolerance=1e-9)  # wrong: a setting
dcopt.solve_pq  # wrong: a name
dcopt.solve_file("m.dc", params={"n": 3, "A": np.eye(2)}, global_=True).plot()
dcopt.from_dc("var x").solve(starts=2.5)  # wrong: a type
dcopt.from_dc(3)  # wrong: a type
regressor = LDERegressor(method="ensemble", max_features=5, random_state=None)
LDERegressor(method="assemble")  # wrong: a value
LDERegressor(piece=(1, 2))  # wrong: a name
print(regressor.fit(np.ones((2, 2)), np.ones(2)).predict([[1.0, 2.0]]).sum())


async def later() -> float:
    return (await dcopt.solve_async(model, seed=1)).objective + (await dcopt.solve_async(model)).objectives  # wrong: a name


try:
    dcopt.worker()  # wrong: a name
except dcopt.DcoptError as e:
    print(e.help.lower(), e.place)
'''
CVXPY = '''
import cvxpy as cp

import dcopt

v = cp.Variable(2)
problem = cp.Problem(cp.Minimize(v[0]), [v >= 1])
value: float = dcopt.solve(problem, seed=1, callback="tqdm", gp=False)
dcopt.solve(problem, sed=1)  # wrong: a setting
dcopt.solve(problem, 3)  # wrong: an argument
why = dcopt.why_not(problem)
print(why.help)  # wrong: it may be None
text: str = dcopt.to_dc(problem)
dcopt.Function(problem, [], [v], starts=3)([1.0])[0].sum()
'''


def wrong(text):
    return [k for k, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


def where():
    """What makes a checker find the package where it is not installed: types are then read from the sources."""
    folder = str(Path(dcopt.__file__).resolve().parent.parent)
    return None if folder == str(Path(sysconfig.get_paths()["purelib"]).resolve()) else folder


def lines(output, pattern):
    return sorted({int(k) for k in re.findall(pattern, output, re.M)})


@pytest.mark.parametrize("text", [PROGRAM, CVXPY], ids=["alone", "cvxpy"])
def test_mypy_strict(text, tmp_path):
    need.module("mypy")
    if text is CVXPY:
        need.module("cvxpy")
    (tmp_path / "program.py").write_text(text)
    env = {**os.environ, **({"MYPYPATH": where()} if where() else {})}
    p = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), "program.py"],
                       cwd=tmp_path, env=env, capture_output=True, text=True)
    assert lines(p.stdout, r"^program\.py:(\d+): error") == wrong(text), p.stdout + p.stderr


def test_sources_mypy_strict(tmp_path):
    need.module("mypy")
    folder = Path(__file__).resolve().parents[1]
    need.that((folder / "src" / "dcopt").is_dir(), need.Thing.CHECKOUT, "for src")
    p = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "src/dcopt"], cwd=folder, capture_output=True, text=True)
    assert p.returncode == 0, p.stdout + p.stderr


@pytest.mark.parametrize("text", [PROGRAM, CVXPY], ids=["alone", "cvxpy"])
def test_pyright(text, tmp_path):
    need.module("pyright")
    if text is CVXPY:
        need.module("cvxpy")
    (tmp_path / "program.py").write_text(text)
    (tmp_path / "pyrightconfig.json").write_text('{"reportMissingModuleSource": false' + (f', "extraPaths": ["{where()}"]' if where() else "") + "}")
    p = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True)
    need.that(re.search(r"^\d+ errors?", p.stdout, re.M), need.Thing.PYTHON, "pyright, which fetches a part of itself when it first runs")
    assert lines(p.stdout, r"program\.py:(\d+):\d+ - error") == wrong(text), p.stdout + p.stderr


def test_settings_are_those_of_the_protocol():
    path = Path(__file__).resolve().parents[2] / "docs" / "protocol-requests.md"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    from dcopt._settings import FileSettings, QPSettings, Settings, names

    def table(mark):
        rows = path.read_text().split(f"<!-- {mark} -->\n")[1].split("<!-- end -->")[0].splitlines()[2:]
        return {re.search(r"`(\w+)`", row).group(1) for row in rows}

    assert names(Settings) == table("settings") and names(FileSettings) < names(Settings) and names(QPSettings) == table("settings of matrices")
