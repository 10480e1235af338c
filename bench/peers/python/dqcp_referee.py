"""A plugin of pytest that solves the problems of CVXPY's test_dqcp.py by dcopt, and judges each answer that is not Clarabel's.

    cd bench/peers/python && python -m pytest -s -p dqcp_referee --pyargs cvxpy.tests.test_dqcp

The problems are those of bisections: is there a point for this value of the parameter? Each bisection follows dcopt's answers. The judge is the least t by which the
cones have to be relaxed, t times a point inside each of them, so that there is a point, found by Clarabel with a tolerance of 1e-11: where t > 0 there is none. A line for each test and pair of
answers has their number, the range of t, and the largest violation of dcopt's points.
"""

import collections
import os
import warnings

import clarabel
import cvxpy as cp
import numpy as np
import scipy.sparse as sp

import dcopt  # noqa: F401: registers the method

_solve = cp.Problem.solve
_nested = []
_solves = [0]
_others = collections.defaultdict(list)


def relaxation(problem):
    """The least t, at least -1."""
    data, _, _ = problem.get_problem_data(cp.CLARABEL)
    dims, inside, cones = data["dims"], [], []

    def add(cone, point):
        cones.append(cone)
        inside.extend(point)

    if dims.zero:
        add(clarabel.ZeroConeT(dims.zero), [0] * dims.zero)
    if dims.nonneg:
        add(clarabel.NonnegativeConeT(dims.nonneg), [1] * dims.nonneg)
    for k in dims.soc:
        add(clarabel.SecondOrderConeT(k), [1] + [0] * (k - 1))
    for k in dims.psd:
        add(clarabel.PSDTriangleConeT(k), [float(i == j) for j in range(k) for i in range(j + 1)])
    for _ in range(dims.exp):
        add(clarabel.ExponentialConeT(), [-1, 1, 1])
    for alpha in dims.p3d:
        add(clarabel.PowerConeT(alpha), [1, 1, 0])
    n = data["A"].shape[1]
    a = sp.block_array([[data["A"], -np.array(inside, dtype=float)[:, None]], [None, -np.ones((1, 1))]], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, 500
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cost = np.append(np.zeros(n), 1.0)
    return clarabel.DefaultSolver(sp.csc_matrix((n + 1, n + 1)), cost, a, np.append(data["b"], 1.0), [*cones, clarabel.NonnegativeConeT(1)], settings).solve().x[-1]


def _judged(problem, *args, **kwargs):
    if _nested or kwargs.get("qcp") or kwargs.get("method") or not problem.is_dcp():
        return _solve(problem, *args, **kwargs)
    _solves[0] += 1
    _nested.append(problem)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _solve(problem, solver=cp.CLARABEL)
        theirs = problem.status
    except cp.SolverError:
        theirs = "SolverError"
    finally:
        _nested.pop()
    value = _solve(problem, method="dcopt")
    if problem.status != theirs:
        broken = max((float(np.max(c.violation(), initial=0)) for c in problem.constraints), default=0.0) if problem.status == "optimal" else None
        _others[os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].split(" ")[0], problem.status, theirs].append((relaxation(problem), broken))
    return value


cp.Problem.solve = _judged


def pytest_sessionfinish(session, exitstatus):
    print(f"\n{_solves[0]} solves, {sum(map(len, _others.values()))} other answers\n| test | dcopt | Clarabel | number | t | violation |\n|---|---|---|---|---|---|")
    for (test, ours, theirs), found in sorted(_others.items()):
        t = [v for v, _ in found]
        broken = [b for _, b in found if b is not None]
        print(f"| {test} | {ours} | {theirs} | {len(found)} | {min(t):.0e} to {max(t):.0e} | {max(broken):.0e} |" if broken else
              f"| {test} | {ours} | {theirs} | {len(found)} | {min(t):.0e} to {max(t):.0e} | |")
