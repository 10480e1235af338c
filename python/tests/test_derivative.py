"""Derivatives of solutions. The problems are those of CVXPY's test_derivative.py, stated anew."""

import cvxpy as cp
import numpy as np
import pytest
from cvxpy.reductions.reduction import Reduction

import dcopt
import need


def check(problem, rtol=5e-4, **settings):
    """backward and derivative agree with finite differences along a random change."""
    rng = np.random.default_rng(0)
    problem.solve(method="dcopt", requires_grad=True, **settings)
    assert problem.status == cp.OPTIMAL
    for v in problem.variables():
        v.gradient = rng.standard_normal(v.shape)
    problem.backward()
    for p in problem.parameters():
        p.delta = rng.standard_normal(p.shape)
        if p.attributes["nonneg"]:
            p.delta = np.abs(p.delta)
    problem.derivative()
    forward = sum(np.sum(v.gradient * v.delta) for v in problem.variables())
    adjoint = sum(np.sum(p.gradient * p.delta) for p in problem.parameters())
    scale = max(1.0, abs(forward))
    assert abs(forward - adjoint) <= 1e-6 * scale
    h, ends = 1e-3, []
    values = [(p, p.value) for p in problem.parameters()]
    for sign in (1, -1):
        for p, value in values:
            p.save_value(value + sign * h * p.delta)
        problem.solve(method="dcopt", backend_tol=1e-12, **settings)
        ends.append([np.array(v.value) for v in problem.variables()])
    for p, value in values:
        p.save_value(value)
    for v, up, down in zip(problem.variables(), *ends):
        diff = (up - down) / (2 * h)
        assert np.max(np.abs(diff - v.delta)) <= rtol * max(1.0, np.max(np.abs(v.delta))), v


def test_scalar_quadratic():
    b, x = cp.Parameter(), cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.square(x - 2 * b)), [x >= 0])
    b.value = 3.0
    problem.solve(method="dcopt", requires_grad=True)
    assert x.value == pytest.approx(6, abs=1e-6)
    problem.backward()
    assert b.gradient == pytest.approx(2, abs=1e-6)
    x.gradient = 4.0
    problem.backward()
    assert b.gradient == pytest.approx(8, abs=1e-6)
    b.delta = 1e-3
    problem.derivative()
    assert x.delta == pytest.approx(2e-3, abs=1e-9)
    check(problem)


def test_l1_square():
    rng = np.random.default_rng(0)
    x, A, b = cp.Variable(3), cp.Parameter((3, 3)), cp.Parameter(3)
    problem = cp.Problem(cp.Minimize(cp.pnorm(A @ x - b, p=1)))
    assert problem.is_dpp()
    L = rng.standard_normal((3, 3))
    A.value, b.value = L.T + L + 4 * np.eye(3), rng.standard_normal(3)
    check(problem)


def test_least_squares():
    rng = np.random.default_rng(0)
    A, b, x = cp.Parameter((20, 5)), cp.Parameter(20), cp.Variable(5)
    A.value, b.value = rng.standard_normal((20, 5)), rng.standard_normal(20)
    check(cp.Problem(cp.Minimize(cp.sum_squares(A @ x - b) + cp.sum_squares(x))))


def test_logistic_regression():
    rng = np.random.default_rng(0)
    N, n = 5, 2
    X, y, lam = rng.standard_normal((N, n)), rng.integers(0, 2, N).astype(float), cp.Parameter(nonneg=True)
    beta, b = cp.Variable(n), cp.Parameter(n)
    score = X @ (beta + b)
    loss = -cp.sum(cp.multiply(y, score) - cp.logistic(score)) / N
    lam.value, b.value = 0.3, rng.standard_normal(n)
    check(cp.Problem(cp.Minimize(loss + lam * cp.sum_squares(beta))))


def test_entropy_maximization():
    rng = np.random.default_rng(0)
    n, m, p = 5, 3, 2
    tmp = rng.random(n)
    A, F = rng.standard_normal((m, n)), rng.standard_normal((p, n))
    b, g, x = cp.Parameter(m), cp.Parameter(p), cp.Variable(n)
    b.value, g.value = A @ tmp, F @ tmp + 0.5
    check(cp.Problem(cp.Maximize(cp.sum(cp.entr(x))), [A @ x == b, F @ x <= g]))


def test_lml():
    rng = np.random.default_rng(0)
    k, x, y = 2, cp.Parameter(4), cp.Variable(4)
    x.value = rng.standard_normal(4)
    check(cp.Problem(cp.Minimize(-x @ y - cp.sum(cp.entr(y)) - cp.sum(cp.entr(1 - y))), [cp.sum(y) == k]))


def test_sdp():
    rng = np.random.default_rng(2)
    n = 3
    C, A, b = cp.Parameter((n, n)), cp.Parameter((n, n)), cp.Parameter()
    C0 = rng.standard_normal((n, n))
    C.value, A.value, b.value = C0 + C0.T, np.eye(n), 1.0
    X = cp.Variable((n, n), symmetric=True)
    problem = cp.Problem(cp.Minimize(cp.trace(C @ X)), [X >> 0, cp.trace(A @ X) == b])
    problem.solve(method="dcopt", requires_grad=True)
    problem.backward()
    assert np.sum(X.value) == pytest.approx(b.gradient * b.value, rel=1e-4)  # X is proportional to b


def test_nonconvex():
    rng = np.random.default_rng(1)
    a, r, x = cp.Parameter(3), cp.Parameter(), cp.Variable(3)
    a.value, r.value, x.value = rng.standard_normal(3) * 0.3, 2.0, np.ones(3)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - a)), [cp.norm(x) >= r])
    problem.solve(method="dcopt", requires_grad=True)
    x.gradient = np.array([1.0, 0, 0])
    problem.backward()
    size = np.linalg.norm(a.value)
    want = 2 * (np.array([1.0, 0, 0]) - a.value[0] * a.value / size**2) / size
    assert a.gradient == pytest.approx(want, abs=1e-5)
    assert r.gradient == pytest.approx(a.value[0] / size, abs=1e-6)


def test_reduced():
    need.that(hasattr(Reduction, "param_forward"), need.Thing.CVXPY, "before 1.9 there are no derivatives through its reductions")
    a, x, y = cp.Parameter(pos=True, value=2.0), cp.Variable(pos=True), cp.Variable(pos=True)
    problem = cp.Problem(cp.Minimize(x + y), [x * y ** 2 >= a])  # x = (a / 4)^(1/3), y = 2 x
    problem.solve(method="dcopt", gp=True, requires_grad=True)
    problem.backward()
    assert a.gradient == pytest.approx(0.25 * 0.5 ** (-2 / 3), rel=1e-5)
    a.delta = 2.0
    problem.derivative()
    assert x.delta + y.delta == pytest.approx(2 * a.gradient, rel=1e-6)
    p, z = cp.Parameter(2, complex=True, value=[1 + 2j, 3]), cp.Variable(2, complex=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(z - 3 * p)), [cp.abs(z) <= 100])
    problem.solve(method="dcopt", requires_grad=True)
    p.delta = np.array([1 - 1j, 2j])
    problem.derivative()
    assert z.delta == pytest.approx([3 - 3j, 6j], abs=1e-6)


def test_attributes():
    """Changes of parameters are those that their attributes leave, and gradients count for these."""
    rng = np.random.default_rng(4)
    y, g = cp.Variable((2, 2)), rng.standard_normal((2, 2))
    for attribute, want in (("symmetric", g + g.T - np.diag(np.diag(g))), ("PSD", g + g.T - np.diag(np.diag(g))), ("diag", np.diag(np.diag(g)))):
        p = cp.Parameter((2, 2), **{attribute: True})
        p.value = np.eye(2)
        problem = cp.Problem(cp.Minimize(cp.sum_squares(y - p)))
        problem.solve(method="dcopt", requires_grad=True)
        y.gradient = g
        problem.backward()
        if hasattr(Reduction, "param_backward") or attribute == "diag":  # CVXPY 1.9 counts the mirror, too
            assert p.gradient == pytest.approx(want, abs=1e-6)
        if attribute != "diag":
            f = dcopt.Function(problem, [p], [y])
            f(np.eye(2))
            assert f.adjoint(g)[0] == pytest.approx((g + g.T) / 2, abs=1e-6)
            assert f.batch(np.array([np.eye(2)] * 2)).adjoint(g)[0][1] == pytest.approx((g + g.T) / 2, abs=1e-6)
    if not hasattr(Reduction, "param_backward"):
        return
    p, x = cp.Parameter((2, 2), hermitian=True), cp.Variable()
    p.value = np.array([[1, 0.5j], [-0.5j, 2]])
    problem = cp.Problem(cp.Minimize(x), [x * np.eye(2) >> p])  # the real form has each eigenvalue twice
    problem.solve(method="dcopt", requires_grad=True, backend_tol=1e-11)
    x.gradient, p.delta = 1.0, np.array([[0.1, 0.05j], [-0.05j, 0.2]])
    problem.backward()
    problem.derivative()
    v = np.linalg.eigh(p.value)[1][:, -1]
    assert x.delta == pytest.approx(np.real(v.conj() @ p.delta @ v), abs=1e-6)
    outer = np.outer(v, v.conj())
    assert p.gradient == pytest.approx(outer * (2 - np.eye(2)), abs=1e-6)


def test_not_unique():
    u, b = cp.Variable(2), cp.Parameter(value=1.0)
    problem = cp.Problem(cp.Minimize(cp.sum(u)), [cp.sum(u) >= b, u >= 0])
    problem.solve(method="dcopt", requires_grad=True)
    u.gradient, b.delta = np.array([1.0, 0]), 2.0
    with pytest.warns(dcopt.NotUniqueWarning):
        problem.backward()
    with pytest.warns(dcopt.NotUniqueWarning):
        problem.derivative()
    assert b.gradient == pytest.approx(0.5, abs=1e-6)
    assert u.delta == pytest.approx([1, 1], abs=1e-6)
    f = dcopt.Function(problem, [b], [u])
    with pytest.warns(dcopt.NotUniqueWarning):
        assert f.batch([1.0, 2.0]).adjoint(np.array([1.0, 0]))[0] == pytest.approx([0.5, 0.5], abs=1e-6)


def test_one_sided():
    x, p, w = cp.Variable(), cp.Parameter(value=1.0), cp.Parameter(nonneg=True, value=1.0)
    problem = cp.Problem(cp.Minimize(w * cp.square(x - p)), [x <= 1])
    problem.solve(method="dcopt", requires_grad=True)
    with pytest.raises(dcopt.UnsupportedError, match="holds at the solution with multiplier zero(.|\n)*one_sided"):
        problem.derivative()
    with pytest.raises(dcopt.UnsupportedError, match="x|var"):
        problem.backward()
    for delta, want in ((1.0, 0.0), (-2.0, -2.0)):
        p.delta = delta
        problem.derivative(one_sided=True)
        assert x.delta == pytest.approx(want, abs=1e-6)
    f = dcopt.Function(problem, [p, w], [x])
    f(1.0, 2.0)
    assert f.derivative(-1.0, 1.0, one_sided=True)[0] == pytest.approx(-1, abs=1e-6)
    q = cp.Parameter(2, value=[1.0, 1.0])
    problem = cp.Problem(cp.Minimize(x), [x >= q[0], x >= q[1]])
    problem.solve(method="dcopt", requires_grad=True)
    with pytest.raises(dcopt.UnsupportedError, match="more constraints hold(.|\n)*one_sided"):
        problem.backward()
    q.delta = np.array([1.0, -2.0])
    problem.derivative(one_sided=True)
    assert x.delta == pytest.approx(1, abs=1e-6)
    y, q = cp.Variable(2), cp.Parameter(2, value=[0.6, 0.8])
    problem = cp.Problem(cp.Minimize(cp.sum_squares(y - q)), [cp.norm(y) <= 1])
    problem.solve(method="dcopt", requires_grad=True)
    with pytest.raises(dcopt.UnsupportedError, match="<= 1(.|\n)*one_sided"):
        problem.backward()
    for delta, want in (([0.6, 0.8], [0, 0]), ([-0.6, -0.8], [-0.6, -0.8]), ([1.4, 0.2], [0.8, -0.6])):  # out, in, out and along
        q.delta = np.array(delta)
        problem.derivative(one_sided=True)
        assert y.delta == pytest.approx(want, abs=1e-5)


def test_values_of_the_solve_count():
    x, p = cp.Variable(), cp.Parameter(nonneg=True, value=2.0)
    problem = cp.Problem(cp.Minimize(cp.square(x - cp.square(p))))
    problem.solve(method="dcopt", requires_grad=True)
    p.value, p.delta = 5.0, 1.0
    problem.backward()
    problem.derivative()
    assert p.gradient == pytest.approx(4, abs=1e-6) and x.delta == pytest.approx(4, abs=1e-6)
    assert p.value == 5


def test_bad_changes():
    x, p = cp.Variable(name="x"), cp.Parameter(name="p", value=1.0)
    problem = cp.Problem(cp.Minimize(cp.square(x - p)))
    problem.solve(method="dcopt", requires_grad=True)
    for bad, text in ((np.nan, "finite"), (np.ones(3), "shape")):
        p.delta = x.gradient = bad
        with pytest.raises(dcopt.DcoptError, match=f"p: the delta has .*{text}|p: the delta has {text}"):
            problem.derivative()
        with pytest.raises(dcopt.DcoptError, match=f"x: the gradient has .*{text}|x: the gradient has {text}"):
            problem.backward()


def test_refusals():
    x, p = cp.Variable(), cp.Parameter(value=1.0)
    problem = cp.Problem(cp.Minimize(cp.square(x - p)), [x >= 2, x <= 1])
    problem.solve(method="dcopt", requires_grad=True)
    with pytest.raises(cp.error.SolverError, match="infeasible"):
        problem.backward()
    problem = cp.Problem(cp.Minimize(cp.square(x - p)))
    problem.solve(method="dcopt")
    with pytest.raises(ValueError, match="requires_grad"):
        problem.backward()
    problem = cp.Problem(cp.Minimize(cp.abs(x) - cp.abs(x - p) / 2), [cp.square(x) <= 4])
    p.value, x.value = 0.0, 0.0
    problem.solve(method="dcopt", requires_grad=True)
    with pytest.raises(dcopt.UnsupportedError, match="no derivative"):
        problem.backward()


def test_function():
    p, q, x = cp.Parameter(2), cp.Parameter(nonneg=True), cp.Variable(2)
    f = dcopt.Function(cp.Problem(cp.Minimize(cp.sum_squares(x - p) + q * cp.sum_squares(x))), [p, q], [x])
    (value,) = f([1.0, 2.0], 1.0)
    assert value == pytest.approx([0.5, 1.0], abs=1e-6)
    (dx,) = f.derivative([1.0, 0.0], None)
    assert dx == pytest.approx([0.5, 0.0], abs=1e-6)
    dp, dq = f.adjoint([1.0, 0.0])
    assert dp == pytest.approx([0.5, 0.0], abs=1e-6)
    assert dq == pytest.approx(-0.25, abs=1e-6)
    with pytest.raises(dcopt.DcoptError, match="1 arguments for 2"):
        f(1.0)


def test_batch():
    rng = np.random.default_rng(3)
    a, b, w, x = cp.Parameter((3, 2)), cp.Parameter(3), cp.Parameter(nonneg=True), cp.Variable((2, 2))
    cost = cp.sum_squares(a @ x[:, 0] - b[::-1]) + cp.sum_squares(x[:, 1] - b[1:]) * cp.exp(w) + w * cp.sum_squares(x)
    f = dcopt.Function(cp.Problem(cp.Minimize(cost), [x[0, 0] <= 0.1]), [a, b, w], [x], backend_tol=1e-12)
    sets = rng.standard_normal((20, 3, 2)), rng.standard_normal((20, 3)), np.array([0.5])
    g = rng.standard_normal((20, 2, 2))
    batch = f.batch(*sets)
    gradients = batch.adjoint(g)
    (value,) = batch.values
    assert value.shape == (20, 2, 2) and [p.shape for p in gradients] == [(20, 3, 2), (20, 3), (20,)]
    for k in (0, 17, 19):
        (one,) = f(sets[0][k], sets[1][k], 0.5)
        assert value[k] == pytest.approx(one, abs=1e-7)
        for of_batch, alone in zip(gradients, f.adjoint(g[k])):
            assert of_batch[k] == pytest.approx(alone, abs=1e-6)
    again = f.batch(*(v[:1] for v in sets))  # the first one stays
    assert again.values[0] == pytest.approx(value[:1], abs=1e-7)
    assert batch.adjoint(g)[1] == pytest.approx(gradients[1], abs=1e-9)
    with pytest.raises(dcopt.DcoptError, match="different sizes"):
        f.batch(sets[0], sets[1][:4], sets[2])
    with pytest.raises(dcopt.DcoptError, match="shape"):
        f.batch(sets[0], sets[1][0], sets[2])
    with pytest.raises(ValueError, match="nonneg"):
        f.batch(sets[0], sets[1], -sets[2])
    y, p = cp.Variable(), cp.Parameter()
    with pytest.raises(cp.error.SolverError, match="set 1 is infeasible"):
        dcopt.Function(cp.Problem(cp.Minimize(y), [y >= p, y <= 1]), [p], [y]).batch([0.0, 2.0])


def test_batch_nonconvex():
    r, x = cp.Parameter(), cp.Variable(2)
    f = dcopt.Function(cp.Problem(cp.Minimize(cp.sum_squares(x - np.array([0.3, 0.4]))), [cp.norm(x) >= r]), [r], [x])
    x.value = np.ones(2)
    batch = f.batch([1.0, 2.0, 3.0])
    assert batch.values[0] == pytest.approx(np.outer([1, 2, 3], [0.6, 0.8]), abs=1e-5)
    assert batch.adjoint([[1.0, 0], [0, 1], [1, 1]])[0] == pytest.approx([0.6, 0.8, 1.4], abs=1e-5)


def test_torch():
    torch = need.module("torch", need.Thing.TORCH)
    from dcopt.torch import Layer

    p, x = cp.Parameter(2), cp.Variable(2)
    layer = Layer(cp.Problem(cp.Minimize(cp.sum_squares(x - p)), [x >= 0]), [p], [x])
    values = torch.tensor([[1.0, -1.0], [2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    (out,) = layer(values)
    out.sum().backward()
    assert np.allclose(out.tolist(), [[1, 0], [2, 3]], atol=1e-6)
    assert np.allclose(values.grad.tolist(), [[1, 0], [1, 1]], atol=1e-6)
    small = torch.tensor([0.5, 0.25], requires_grad=True)
    (out,) = layer(small)
    layer(values)  # another solution is the last one
    (2 * out[0] - out[1]).backward()
    assert out.dtype == torch.float32 and out.shape == (2,)
    assert np.allclose(small.grad.tolist(), [2, -1], atol=1e-5)
    for wrong in ((), (torch.zeros(3, 2), torch.zeros(3, 2))):
        with pytest.raises(ValueError, match="arguments for 1"):
            layer(*wrong)


def test_torch_gradcheck():
    torch = need.module("torch", need.Thing.TORCH)
    from dcopt.torch import Layer

    torch.manual_seed(0)
    a, b, w, x, t = cp.Parameter((4, 3)), cp.Parameter(4), cp.Parameter(nonneg=True), cp.Variable(3), cp.Variable()
    problem = cp.Problem(cp.Minimize(t + w * cp.sum_squares(x)), [cp.norm(a @ x - b) <= t])
    layer = Layer(problem, [a, b, w], [x, t], backend_tol=1e-12, tol=1e-12)
    values = [torch.randn(4, 3, dtype=torch.float64), torch.randn(2, 4, dtype=torch.float64), torch.tensor(0.7, dtype=torch.float64)]
    assert torch.autograd.gradcheck(layer, [v.requires_grad_() for v in values], eps=1e-3, atol=1e-3, rtol=1e-3, nondet_tol=1e-8)


def test_factors_are_not_unique():
    rng = np.random.default_rng(0)
    A = cp.Parameter((4, 3), value=rng.uniform(0.5, 2, (4, 3)))
    U, V = cp.Variable((4, 2), name="U"), cp.Variable((2, 3), name="V")
    U.value, V.value = rng.uniform(0.5, 1, (4, 2)), rng.uniform(0.5, 1, (2, 3))
    prob = cp.Problem(cp.Minimize(cp.sum_squares(A - U @ V)), [U >= 0, V >= 0])
    prob.solve(method="dcopt", requires_grad=True)
    for differentiate in (prob.backward, prob.derivative):
        with pytest.raises(dcopt.UnsupportedError, match="not a strict local minimum"):
            differentiate()


@pytest.mark.parametrize("name", ["logistic", "lasso", "entropy", "norm", "gp"])
def test_differences_of_answers(name):
    """Central differences of solutions agree with the derivative to 1 %: points where the objective is flat are polished."""
    if name == "gp":
        need.cvxpy((1, 9), "for derivatives of geometric programs")
    rng = np.random.default_rng(4)
    a, p = rng.normal(size=(12, 4)), cp.Parameter(4)
    x = cp.Variable(4, pos=name == "gp")
    if name == "gp":
        p = cp.Parameter(4, pos=True)
        prob = cp.Problem(cp.Minimize(cp.sum(cp.multiply(p, x)) + 1 / cp.prod(x) + x[0] / x[1]))
    else:
        objective = {
            "logistic": lambda: cp.sum(cp.logistic(a @ x)) - p @ x + 0.1 * cp.sum_squares(x),
            "lasso": lambda: cp.sum_squares(a @ x) - p @ x + 0.3 * cp.norm1(x),
            "entropy": lambda: p @ x - cp.sum(cp.entr(x)),
            "norm": lambda: cp.norm(cp.hstack([a @ x - 1, 0.5])) + p @ x / 10,
        }[name]()
        prob = cp.Problem(cp.Minimize(objective), [cp.sum(x) == 1] if name == "entropy" else [])
    here, step, along = rng.uniform(0.5, 1.5, size=4), 1e-3, rng.normal(size=4)
    at = []
    for t in (step, -step):
        p.value, x.value = here + t * along, None
        prob.solve(method="dcopt", gp=name == "gp")
        at.append(x.value)
    p.value = here
    prob.solve(method="dcopt", gp=name == "gp", requires_grad=True)
    p.delta = along
    prob.derivative()
    change = (at[0] - at[1]) / (2 * step)
    assert np.max(np.abs(change - x.delta)) <= 0.01 * np.max(np.abs(x.delta))
