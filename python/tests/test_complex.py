"""Complex problems of DCCP's users (issues 62, 64, 67 and 69 of cvxgrp/dccp), and CVXPY's own tests of complex
numbers with each solve sent to dcopt."""

import numpy as np
import pytest

import need

cp = need.module("cvxpy")
import dcopt  # noqa: E402, F401


def hermitian(n, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    return p.conj().T @ p


@pytest.mark.parametrize("equal", [False, True])
def test_largest_eigenvalue_by_a_quadratic_form(equal):
    """Issue 62: with norm(x) <= 1 it worked, with norm(x) == 1 "inequality constraints cannot be complex". Both have the
    same answer."""
    a = hermitian(8)
    x = cp.Variable(8, complex=True, name="x")
    prob = cp.Problem(cp.Maximize(cp.quad_form(x, a)), [cp.norm(x) == 1 if equal else cp.norm(x) <= 1])
    value, vector = np.linalg.eigh(a)
    assert prob.solve(method="dcopt") == pytest.approx(value[-1], rel=1e-5)
    assert abs(np.vdot(vector[:, -1], x.value)) == pytest.approx(1, abs=1e-4)


def test_simultaneous_diagonalisation():
    """Issue 64: the vector on the unit sphere with the largest sum of two Hermitian forms, and one orthogonal to it; DCCP's
    convex problems were not convex where variables are complex."""
    a, b = hermitian(4, 2), hermitian(4, 3)
    z = cp.Variable(4, complex=True, name="z")
    form = cp.quad_form(z, a) + cp.quad_form(z, b)
    value, vector = np.linalg.eigh(a + b)
    assert cp.Problem(cp.Maximize(form), [cp.norm(z) == 1]).solve(method="dcopt") == pytest.approx(value[-1], rel=1e-5)
    first = vector[:, -1].conj()
    assert cp.Problem(cp.Maximize(form), [cp.norm(z) == 1, first @ z == 0]).solve(method="dcopt", starts=3) == pytest.approx(value[-2], rel=1e-5)


def test_sums_of_real_and_imaginary_multiples():
    """Issue 67: a*I + 1j*b*I with real a and b threw an error about casting. It is Hermitian for b = 0 alone."""
    a, b = cp.Variable(name="a"), cp.Variable(name="b")
    w = a * np.eye(2) + 1j * b * np.eye(2)
    prob = cp.Problem(cp.Maximize(cp.norm(w)), [w >> 0, cp.trace(w) == 1])
    assert prob.solve(method="dcopt") == pytest.approx(0.5, abs=1e-5)  # the spectral norm
    assert a.value == pytest.approx(0.5, abs=1e-5) and b.value == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("stated", ["difference", "equation"])
def test_difference_of_convex_functions_of_complex_variables(stated):
    """Issue 69: min C1(x) - C2(x), and the same with C2(x) == t, over complex x without constraints."""
    rng = np.random.default_rng(5)
    m = rng.standard_normal((6, 3)) + 1j * rng.standard_normal((6, 3))
    y = rng.standard_normal(6) + 1j * rng.standard_normal(6)
    x, t = cp.Variable(3, complex=True, name="x"), cp.Variable(name="t")
    first, second = cp.sum_squares(m @ x - y), cp.norm(x)
    if stated == "difference":
        prob = cp.Problem(cp.Minimize(first - second))
    else:
        prob = cp.Problem(cp.Minimize(first - t), [second == t])
    value = prob.solve(method="dcopt", starts=3)
    assert value == pytest.approx(np.linalg.norm(m @ x.value - y) ** 2 - np.linalg.norm(x.value), abs=1e-4)
    gradient = 2 * m.conj().T @ (m @ x.value - y) - x.value / np.linalg.norm(x.value)
    np.testing.assert_allclose(gradient, 0, atol=2e-3)


def test_duals_are_complex():
    z = cp.Variable(2, complex=True, name="z")
    a = np.array([3 + 4j, -1j])
    prob = cp.Problem(cp.Minimize(cp.sum_squares(z - a)), [z[0] == 1 + 1j, cp.abs(z) <= 5])
    mine, value = prob.solve(method="dcopt"), []
    value.append(prob.constraints[0].dual_value)
    prob.solve(solver=cp.CLARABEL)
    assert mine == pytest.approx(prob.value, abs=1e-5)
    assert np.iscomplexobj(value[0])
    np.testing.assert_allclose(value[0], prob.constraints[0].dual_value, atol=1e-4)
    np.testing.assert_allclose(value[0], 4 + 6j, atol=1e-4)


def cvxpy_tests():
    tests = need.module("cvxpy.tests.test_complex")
    return [(c, name) for c in vars(tests).values() if isinstance(c, type) and c.__module__ == tests.__name__ for name in dir(c) if name.startswith("test")]


@pytest.mark.parametrize("case", cvxpy_tests(), ids=lambda c: c[1])
def test_of_cvxpy(case, monkeypatch):
    """All of cvxpy.tests.test_complex: each solve of a problem that dcopt can state (continuous, and not one that a
    test expects to be refused) goes to dcopt."""
    original = cp.Problem.solve

    def solve(self, *args, **kwargs):
        if self.is_mixed_integer() or not self.is_dcp():
            return original(self, *args, **kwargs)
        return original(self, method="dcopt")

    monkeypatch.setattr(cp.Problem, "solve", solve)
    suite, name = case
    test = suite(name) if hasattr(suite, "assertEqual") else suite()
    for prepare in ("setUp", "setup_method"):
        if hasattr(test, prepare):
            getattr(test, prepare)()
    getattr(test, name)()
