"""dcopt.solve_qp."""

import numpy as np
import pytest

import dcopt


def test_small():
    x = dcopt.solve_qp(np.eye(2), [-1.0, -1.0], G=[[1.0, 1.0]], h=[1.0], lb=0.0)
    np.testing.assert_allclose(x, [0.5, 0.5], atol=1e-6)


def test_sparse_and_dense_agree():
    sp = pytest.importorskip("scipy.sparse")
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


@pytest.mark.parametrize("args", [
    dict(P=np.eye(2), q=[1.0, np.nan]), dict(P=-np.eye(2), q=[1.0, 1.0]), dict(P=np.eye(3), q=[1.0, 1.0]), dict(P=np.eye(2), q=[1.0, 1.0], G=[[1.0, 1.0]]),
    dict(P=np.eye(2), q=[1.0, 1.0], lb=[2.0, 0.0], ub=[1.0, 1.0]), dict(P=np.eye(2), q=[1.0, 1.0], A=[[1.0, 1.0]], b=[1.0, 2.0]),
])
def test_no_problem(args):
    with pytest.raises(dcopt.DcoptError):
        dcopt.solve_qp(**args)
