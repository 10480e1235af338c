"""CVXPY's own acceptance tests for solvers, by both ways in."""

import inspect
import sys
import types

import numpy as np
import pytest

import need

cp = need.module("cvxpy")
need.cvxpy((1, 8), "for dcopt.DCOPT")
helpers = need.module("cvxpy.tests.solver_test_helpers")

import dcopt  # noqa: E402

CLASSES = ["StandardTestLPs", "StandardTestQPs", "StandardTestSOCPs", "StandardTestSDPs", "StandardTestECPs", "StandardTestMixedCPs", "StandardTestPCPs",
           "StandardTestInfeasibleProblems"]

# A flat solution: its third digit is that of an objective to 1e-10.
TIGHT = {"test_pcp_1": 1e-10}


def tight(test, setting):
    return {setting: TIGHT[test.__name__]} if test.__name__ in TIGHT else {}


def cases():
    for name in CLASSES:
        for test, f in inspect.getmembers(getattr(helpers, name), callable):
            if test.startswith("test") and "mi_" not in test:
                yield pytest.param(f, id=f"{name}.{test}")


@pytest.fixture(autouse=True)
def many_digits(monkeypatch):
    """test_lp_7 asks the package sdpap whether solvers of many digits are there, and does nothing without."""
    call = types.SimpleNamespace(get_backend_info=lambda: {"gmp": True})
    monkeypatch.setitem(sys.modules, "sdpap", types.SimpleNamespace(sdpacall=types.SimpleNamespace(sdpacall=call)))


def test_there_are_37():
    assert len(list(cases())) == 37  # of CVXPY 1.9.3


@pytest.mark.parametrize("test", list(cases()))
def test_solver(test, monkeypatch):
    solve = cp.Problem.solve

    def tightly(self, *args, solver=None, **kwargs):  # the test asks another solver too
        return solve(self, *args, solver=solver, **kwargs, **(tight(test, "tol") if isinstance(solver, dcopt.DCOPT) else {}))

    monkeypatch.setattr(cp.Problem, "solve", tightly)
    test(solver=dcopt.DCOPT())


@pytest.mark.parametrize("test", list(cases()))
def test_method(test, monkeypatch):
    solve = cp.Problem.solve
    monkeypatch.setattr(cp.Problem, "solve", lambda self, *args, **kwargs: solve(self, method="dcopt", **tight(test, "backend_tol")))
    test(solver=dcopt.DCOPT())


@pytest.mark.parametrize("name", ["test_qp_0", "test_qp_bound_attr"])
def test_quadratic_solver(name):
    getattr(helpers.StandardTestQPs, name)(solver=dcopt.DCOPT_QP())


def test_cache_keeps_the_problem():
    import numpy as np

    p = cp.Parameter(2, value=np.array([1.0, 2.0]))
    x = cp.Variable(2)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - p) + cp.norm1(x)), [x >= 0])
    solver = dcopt.DCOPT()
    for p.value in ([1.0, 2.0], [3.0, 0.1], [2.0, 2.0]):
        p.value = np.asarray(p.value)
        prob.solve(solver=solver)
        np.testing.assert_allclose(x.value, np.maximum(p.value - 0.5, 0), atol=1e-5)


def test_by_name_class_and_object():
    x = cp.Variable(2)
    quadratic, linear = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), [x >= 2]), cp.Problem(cp.Minimize(cp.sum(x)), [x >= 2])
    for solver in ("DCOPT", "dcopt", dcopt.DCOPT, dcopt.DCOPT()):
        assert linear.solve(solver=solver) == pytest.approx(4, abs=1e-6) and linear.solver_stats.solver_name == "DCOPT"
    for solver in ("DCOPT_QP", dcopt.DCOPT_QP):
        assert quadratic.solve(solver=solver) == pytest.approx(2, abs=1e-6) and quadratic.solver_stats.solver_name == "DCOPT_QP"
    assert isinstance(dcopt.DCOPT(), dcopt.DCOPT) and not isinstance(dcopt.DCOPT_QP(), dcopt.DCOPT)
    for prob in (quadratic, linear):
        prob.solve()
        assert "DCOPT" not in prob.solver_stats.solver_name, "dcopt is nobody's default"
    assert "DCOPT" in cp.installed_solvers()


def test_options_and_errors():
    x = cp.Variable(name="x")
    prob = cp.Problem(cp.Minimize(x), [x >= 1])
    prob.solve(solver=dcopt.DCOPT(), tol=1e-9, max_iter=50)
    assert x.value == pytest.approx(1, abs=1e-7)
    with pytest.raises(Exception, match="no_such_option"):
        prob.solve(solver=dcopt.DCOPT(), no_such_option=1)


def test_points_are_as_exact_as_the_tolerance_asks():
    """An objective to a share of backend_tol leaves about its root in a point: a finer tolerance is the way to finer points."""
    x, y, weights = cp.Variable(), cp.Variable(4), np.arange(1.0, 5.0)
    problems = (
        (cp.Problem(cp.Minimize(cp.exp(x) - 2 * x)), x, np.log(2)), (cp.Problem(cp.Minimize(cp.logistic(x) - 0.3 * x)), x, np.log(3 / 7)),
        (cp.Problem(cp.Maximize(cp.sum(cp.log(y))), [weights @ y <= 4]), y, 1 / weights),
    )
    for tol in (1e-8, 1e-12):
        for prob, v, exact in problems:
            prob.solve(method="dcopt", backend_tol=tol)
            assert prob.status == "optimal"
            np.testing.assert_allclose(v.value, exact, atol=10 * tol**0.5)


@pytest.mark.filterwarnings("ignore")  # near the threshold a point is found neither feasible nor not
def test_generalised_eigenvalues_by_bisection():
    """The matrix that is completed stays positive definite, and the largest generalised eigenvalue is what is told."""
    need.cvxpy((1, 9), "before it bisection ends where a solver does not decide")
    a, b = cp.Variable((3, 3)), cp.Variable((3, 3), PSD=True)
    prob = cp.Problem(cp.Minimize(cp.gen_lambda_max(a, b)),
                      [a[0, 0] == 1, a[0, 1] == 1.9, a[1, 1] == 3, a == a.T, b[0, 0] == 3, b[0, 2] == 1.4, b[1, 1] == 0.2])
    prob.solve(qcp=True, solver="DCOPT")
    assert np.linalg.eigvalsh(b.value)[0] > 0.05
    assert np.linalg.eigvals(np.linalg.solve(b.value, a.value)).real.max() == pytest.approx(prob.value, rel=1e-3)


@pytest.mark.filterwarnings("ignore")  # as above
def test_matrix_completion_by_bisection():
    """CVXPY's own problem. Its minimum is 0.8 / 0.2: a diagonal entry of t b - a alone shows that no t below has a point."""
    need.cvxpy((1, 9), "before it bisection ends where a solver does not decide")
    a, b = cp.Variable((3, 3)), cp.Variable((3, 3), PSD=True)
    known = ([0, 0, 1], [0, 2, 1])
    prob = cp.Problem(cp.Minimize(cp.gen_lambda_max(a, b)), [a[known] == [1, 1.9, 0.8], b[known] == [3, 1.4, 0.2]])
    prob.solve(qcp=True, solver="DCOPT")
    assert np.linalg.eigvalsh(b.value)[0] > 0.05
    assert prob.value == pytest.approx(4, rel=1e-5)


@pytest.mark.parametrize("gap", [-2e-7, -2e-6, 0.0])
def test_an_equation_next_to_a_bound_ends(gap):
    x = cp.Variable()
    prob = cp.Problem(cp.Minimize(0), [x >= 0, x == gap])
    prob.solve(method="dcopt")
    assert prob.status == ("infeasible" if gap < 0 else "optimal") and prob.solver_stats.num_iters <= 5


def test_a_point_on_a_face_is_semidefinite():
    x = cp.Variable((3, 3), PSD=True)
    prob = cp.Problem(cp.Minimize(0), [x[0, 0] == 3, x[0, 2] == 1.4, x[1, 1] == 0.2])
    prob.solve(method="dcopt")
    assert prob.status == "optimal" and np.linalg.eigvalsh(x.value)[0] > -1e-8
