"""What importing the package costs, and the versions of others that it works with."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import need

TESTS = Path(__file__).resolve().parent


def run(code):
    """What a program prints in a Python of its own, that has the paths of this one."""
    p = subprocess.run([sys.executable, "-W", "error", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return p.stdout


@pytest.mark.parametrize("code, without", [
    ("import dcopt; dir(dcopt)", "cvxpy numpy scipy sklearn"),
    ("import dcopt; dcopt.solve_qp([[2.0]], [-2.0])", "cvxpy scipy sklearn"),
])
def test_import_is_lazy(code, without):
    assert run(f"{code}\nprint([m for m in {without.split()} if m in sys.modules])") == "[]\n"


def test_the_regressor_needs_no_cvxpy():
    need.module("sklearn")
    code = "import dcopt, numpy as np\nx = np.arange(20.0).reshape(-1, 1)\ndcopt.LDERegressor(method='cheap').fit(x, abs(x[:, 0] - 9))"
    assert run(f"{code}\nprint('cvxpy' in sys.modules)") == "False\n"


@pytest.mark.parametrize("first", ["import dcopt, cvxpy as cp", "import cvxpy as cp, dcopt", "import dcopt\nfrom cvxpy import Problem\nimport cvxpy as cp",
                                   "from dcopt import is_dc\nimport cvxpy as cp",
                                   "from dcopt import DCOPT\nimport cvxpy as cp", "import dcopt, importlib.util\nimportlib.util.find_spec('cvxpy')\nimport cvxpy as cp, importlib\nimportlib.reload(cp)"])
def test_the_method_is_there_whatever_is_imported_first(first):
    need.module("cvxpy")
    if "DCOPT" in first:
        need.cvxpy((1, 8), "for dcopt.DCOPT")
    code = "x = cp.Variable()\nprob = cp.Problem(cp.Minimize(cp.abs(x) - 2 * cp.abs(x - 1)), [x >= -2, x <= 3])\nprint(round(prob.solve(method='dcopt'), 4))"
    assert run(f"{first}\n{code}") == "-4.0\n"


def test_a_cvxpy_that_lacks_a_name_can_be_imported():
    need.module("cvxpy")
    code = """import warnings, cvxpy
del cvxpy.lin_ops.lin_op
sys.modules["cvxpy.lin_ops.lin_op"] = None
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import dcopt
print(len(told), str(told[0].message).startswith("dcopt cannot solve problems of CVXPY " + cvxpy.__version__))"""
    assert run(code) == "1 True\n"


def test_the_command():
    def command(*args):
        return subprocess.run([sys.executable, "-m", "dcopt", *args], capture_output=True, text=True, input="var x >= 1\nminimize x",
                              env=dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p)))

    assert "objective    1" in command("solve", "-").stdout
    p = command("solve", "nonexistent.dc")
    assert p.returncode == 1 and "no such file" in p.stderr


def test_bounds_of_versions():
    """oldest.txt has the lower bounds of pyproject.toml, requirements.txt has versions within the bounds."""
    tomllib = need.module("tomllib")
    path = TESTS.parent / "pyproject.toml"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    project = tomllib.loads(path.read_text())["project"]
    extras = project["optional-dependencies"]
    bounds = dict(re.fullmatch(r"([\w-]+)>=(.*)", d).groups() for d in project["dependencies"] + extras["cvxpy"] + extras["sklearn"])

    def pins(name):
        return dict(line.split("==") for line in (TESTS / name).read_text().splitlines() if "==" in line)

    def number(version):
        return tuple(map(int, version.split(".")))

    oldest, newest = pins("oldest.txt"), pins("requirements.txt")
    for name, bound in bounds.items():
        low, _, high = bound.partition(",<")
        assert oldest[name] == low + ".0" * (oldest[name].count(".") - low.count(".")) or number(oldest[name])[:2] == number(low), name
        assert number(low) <= number(newest[name]) and (not high or number(newest[name]) < number(high)), name
        assert bool(high) == (name == "cvxpy"), "private names of CVXPY are used, and those of no other"
