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
    (dict(tol="small"), "settings.tol is a string, want a number"),
    (dict(tol=-1.0), "the setting tol is -1"),
    (dict(max_iter=np.float64(1.5)), "settings.max_iter is 1.5, want an integer"),
])
def test_no_problem(args, text):
    with pytest.raises(dcopt.DcoptError, match=text):
        dcopt.solve_qp(**{"P": np.eye(2), "q": [1.0, 1.0], **args})
