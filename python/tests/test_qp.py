"""dcopt.solve_qp."""

import numpy as np
import pytest

import dcopt
import need


def test_small():
    x = dcopt.solve_qp(np.eye(2), [-1.0, -1.0], G=[[1.0, 1.0]], h=[1.0], lb=0.0)
    np.testing.assert_allclose(x, [0.5, 0.5], atol=1e-6)


def test_sparse_and_dense_agree():
    sp = need.module("scipy.sparse")
    rng = np.random.default_rng(0)
    a = rng.standard_normal((20, 10))
    p, q, g = a.T @ a, rng.standard_normal(10), rng.standard_normal((15, 10))
    h = np.abs(rng.standard_normal(15))
    dense = dcopt.solve_qp(p, q, g, h, tol=1e-9)
    np.testing.assert_allclose(dcopt.solve_qp(sp.csc_array(p), q, sp.csr_array(g), h, tol=1e-9), dense, atol=1e-6)
    assert np.all(g @ dense <= h + 1e-7)


def test_result():
    r = dcopt.solve_qp(np.eye(2), [-1.0, -1.0], G=[[1.0, 1.0], [1.0, 0.0]], h=[1.0, 9.0], A=[[1.0, -1.0]], b=[0.2], ub=[9.0, 0.3], tol=1e-9, return_result=True)
    assert r.status == "optimal" and r.feasible and r.max_violation < 1e-7 and r.reason in repr(r) + "solved"
    np.testing.assert_allclose(r["x"], [0.5, 0.3], atol=1e-6)
    assert r.objective == pytest.approx(0.5 * 0.34 - 0.8, abs=1e-6)
    stationary = r["x"] - 1 + np.array([[1.0, 1.0], [1.0, 0.0]]).T @ r.duals["G"] + np.array([1.0, -1.0]) * r.duals["A"] + r.duals["bounds"]
    np.testing.assert_allclose(stationary, 0, atol=1e-6)
    assert r.duals["G"].shape == (2,) and r.duals["bounds"][1] > 0.1
    none = dcopt.solve_qp(None, [1.0], G=[[1.0], [-1.0]], h=[0.0, -1.0], return_result=True)
    assert (none.status, none.reason, none.x) == ("infeasible", "primal_infeasible", {}) and np.isnan(none.objective)
    assert dcopt.solve_qp(None, [1.0], return_result=True).status == "unbounded"
    with pytest.raises(KeyError, match="there is no point, the problem is infeasible"):
        none["x"]
    with pytest.raises(KeyError, match="the variables are x"):
        r["y"]


def test_no_solution():
    assert dcopt.solve_qp(None, [1.0], G=[[1.0], [-1.0]], h=[0.0, -1.0]) is None
    assert dcopt.solve_qp(None, [1.0]) is None


@pytest.mark.parametrize("args, text", [
    (dict(q=[1.0, np.nan]), "q contains NaN"),
    (dict(P=np.diag([1.0, np.nan])), "P contains NaN"),
    (dict(P=-np.eye(2)), "P has negative curvature"),
    (dict(P=np.eye(3)), r"P has the shape \(3, 3\), want \(2, 2\)"),
    (dict(P=1j * np.eye(2)), "P has complex numbers"),
    (dict(q="ab"), "q is no array of numbers"),
    (dict(G=[[1.0, 1.0]]), "G without h"),
    (dict(b=[1.0]), "b without A"),
    (dict(G=[[1.0, 1.0, 1.0]], h=[1.0]), r"G has the shape \(1, 3\), want 2 columns"),
    (dict(A=[[1.0, 1.0]], b=[1.0, 2.0]), "b has 2 entries, A has 1 rows"),
    (dict(lb=[0.0, 0.0, 0.0]), "lb has 3 entries, want 2 or 1"),
    (dict(lb=[2.0, 0.0], ub=[1.0, 1.0]), "variable 0 has bounds 2 and 1"),
    (dict(initvals=[0.0]), "initvals has 1 entries, want 2"),
    (dict(tolerance=1e-6), "(?s)there is no setting tolerance.*tol"),
    (dict(tol="small"), "^the setting tol is a string, want a number"),
    (dict(tol=-1.0), "the setting tol is -1"),
    (dict(max_iter=np.float64(1.5)), "^the setting max_iter is 1.5, want an integer"),
])
def test_no_problem(args, text):
    with pytest.raises(dcopt.DcoptError, match=text):
        dcopt.solve_qp(**{"P": np.eye(2), "q": [1.0, 1.0], **args})
