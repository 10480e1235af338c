"""The 43 problems of nonlinear.py, each with a start.

How they were chosen, before any was solved: of Hock and Schittkowski (1981) the problems with at most five variables and a smooth
nonlinear function that the author knew by number; the examples of Shen, Diamond, Gu and Boyd (2016), with other data; the kinds of
problems that CVXPY shows for its nonlinear programs; and, as they were known to be slow, bilinear ones and ones with many equations.
"""

import cvxpy as cp
import numpy as np

PROBLEMS = {}


def problem(f):
    PROBLEMS[f.__name__] = f
    return f


def at(values, **bounds):
    x = cp.Variable(len(values), **bounds)
    x.value = np.array(values, dtype=float)
    return x


def cube(x):
    """CVXPY's power(x, 3) is for x >= 0."""
    return cp.multiply(cp.square(x), x)


def minimise(f, *constraints):
    return cp.Problem(cp.Minimize(f), list(constraints))


# Hock and Schittkowski.


@problem
def hs006():
    x = at([-1.2, 1])
    return minimise(cp.square(1 - x[0]), 10 * (x[1] - cp.square(x[0])) == 0)


@problem
def hs007():
    x = at([2, 2])
    return minimise(cp.log(1 + cp.square(x[0])) - x[1], cp.square(1 + cp.square(x[0])) + cp.square(x[1]) == 4)


@problem
def hs010():
    x = at([-10, 10])
    return minimise(x[0] - x[1], -3 * cp.square(x[0]) + 2 * x[0] * x[1] - cp.square(x[1]) + 1 >= 0)


@problem
def hs011():
    x = at([4.9, 0.1])
    return minimise(cp.square(x[0] - 5) + cp.square(x[1]) - 25, x[1] - cp.square(x[0]) >= 0)


@problem
def hs012():
    x = at([0, 0])
    return minimise(0.5 * cp.square(x[0]) + cp.square(x[1]) - x[0] * x[1] - 7 * x[0] - 7 * x[1], 4 * cp.square(x[0]) + cp.square(x[1]) <= 25)


@problem
def hs014():
    x = at([2, 2])
    return minimise(cp.square(x[0] - 2) + cp.square(x[1] - 1), 1 - cp.square(x[0]) / 4 - cp.square(x[1]) >= 0, x[0] - 2 * x[1] + 1 == 0)


@problem
def hs026():
    x = at([-2.6, 2, 2])
    return minimise(cp.square(x[0] - x[1]) + cp.power(x[1] - x[2], 4), (1 + cp.square(x[1])) * x[0] + cp.power(x[2], 4) - 3 == 0)


@problem
def hs027():
    x = at([2, 2, 2])
    return minimise(0.01 * cp.square(x[0] - 1) + cp.square(x[1] - cp.square(x[0])), x[0] + cp.square(x[2]) + 1 == 0)


@problem
def hs029():
    x = at([1, 1, 1])
    return minimise(-x[0] * x[1] * x[2], cp.square(x[0]) + 2 * cp.square(x[1]) + 4 * cp.square(x[2]) <= 48)


@problem
def hs039():
    x = at([2, 2, 2, 2])
    return minimise(-x[0], x[1] - cp.power(x[0], 3) - cp.square(x[2]) == 0, cp.square(x[0]) - x[1] - cp.square(x[3]) == 0)


@problem
def hs040():
    x = at([0.8] * 4)
    return minimise(-x[0] * x[1] * x[2] * x[3], cp.power(x[0], 3) + cp.square(x[1]) == 1, cp.square(x[0]) * x[3] - x[2] == 0,
                    cp.square(x[3]) - x[1] == 0)


@problem
def hs042():
    x = at([1] * 4)
    return minimise(cp.sum_squares(x - np.arange(1, 5)), x[0] == 2, cp.square(x[2]) + cp.square(x[3]) == 2)


@problem
def hs043():
    x = at([0] * 4)
    q = [cp.square(x[k]) for k in range(4)]
    return minimise(q[0] + q[1] + 2 * q[2] + q[3] - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3],
                    8 - q[0] - q[1] - q[2] - q[3] - x[0] + x[1] - x[2] + x[3] >= 0,
                    10 - q[0] - 2 * q[1] - q[2] - 2 * q[3] + x[0] + x[3] >= 0,
                    5 - 2 * q[0] - q[1] - q[2] - 2 * x[0] + x[1] + x[3] >= 0)


@problem
def hs063():
    x = at([2] * 3, bounds=[0, None])
    return minimise(1000 - cp.square(x[0]) - 2 * cp.square(x[1]) - cp.square(x[2]) - x[0] * x[1] - x[0] * x[2],
                    8 * x[0] + 14 * x[1] + 7 * x[2] == 56, cp.sum_squares(x) == 25)


@problem
def hs071():
    x = at([1, 5, 5, 1], bounds=[1, 5])
    return minimise(x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2], x[0] * x[1] * x[2] * x[3] >= 25, cp.sum_squares(x) == 40)


@problem
def hs077():
    x = at([2] * 5)
    r = np.sqrt(2)
    return minimise(cp.square(x[0] - 1) + cp.square(x[0] - x[1]) + cp.square(x[2] - 1) + cp.power(x[3] - 1, 4) + cp.power(x[4] - 1, 6),
                    cp.square(x[0]) * x[3] + cp.nlp.sin(x[3] - x[4]) == 2 * r, x[1] + cp.power(x[2], 4) * cp.square(x[3]) == 8 + r)


@problem
def hs078():
    x = at([-2, 1.5, 2, -1, -1])
    return minimise(x[0] * x[1] * x[2] * x[3] * x[4], cp.sum_squares(x) == 10, x[1] * x[2] - 5 * x[3] * x[4] == 0,
                    cube(x[0]) + cube(x[1]) == -1)


@problem
def hs079():
    x = at([2] * 5)
    r = np.sqrt(2)
    return minimise(cp.square(x[0] - 1) + cp.square(x[0] - x[1]) + cp.square(x[1] - x[2]) + cp.power(x[2] - x[3], 4) + cp.power(x[3] - x[4], 4),
                    x[0] + cp.square(x[1]) + cp.power(x[2], 3) == 2 + 3 * r, x[1] - cp.square(x[2]) + x[3] == 2 * r - 2, x[0] * x[4] == 2)


# The examples of the DCCP paper.


@problem
def circle_packing():
    rng = np.random.default_rng(1)
    c, r = cp.Variable((8, 2)), rng.uniform(1, 3, 8)
    c.value = rng.uniform(-5, 5, (8, 2))
    i, j = np.triu_indices(8, 1)
    return minimise(cp.max(cp.norm_inf(c, axis=1) + r), cp.norm(c[i] - c[j], axis=1) >= r[i] + r[j])


@problem
def boolean_least_squares():
    rng = np.random.default_rng(2)
    a = rng.normal(size=(20, 12))
    x = at(rng.uniform(-1, 1, 12))
    return minimise(cp.sum_squares(a @ x - a @ np.sign(rng.normal(size=12)) - rng.normal(size=20)), cp.square(x) == 1)


@problem
def path_planning():
    n, p, r = 30, np.array([[3, 3], [6, 7.5]]), np.array([2.0, 1.5])
    x, length = cp.Variable((n + 1, 2)), cp.Variable(nonneg=True)
    t = np.linspace(0, 10, n + 1)
    x.value, length.value = np.column_stack([t, t + 2 * np.sin(np.pi * t / 10)]), 20
    far = [cp.sum(cp.square(x - q[None, :]), axis=1) >= s**2 for q, s in zip(p, r)]
    return minimise(length, x[0] == 0, x[n] == 10, cp.sum(cp.square(x[1:] - x[:-1]), axis=1) <= cp.square(length / n), *far)


@problem
def collision_avoidance():
    n = 15
    x, y = cp.Variable((n, 2)), cp.Variable((n, 2))
    t = np.linspace(0, 1, n)[:, None]
    x.value, y.value = t * [4, 4] + [0, 0.1], [4, 0] + t * [-4, 4]
    smooth = sum(cp.sum_squares(v[2:] - 2 * v[1:-1] + v[:-2]) for v in (x, y))
    return minimise(smooth, x[0] == 0, x[-1] == 4, y[0] == [4, 0], y[-1] == [0, 4], cp.sum(cp.square(x - y), axis=1) >= 1)


@problem
def sparse_recovery():
    rng = np.random.default_rng(3)
    a, z = rng.normal(size=(12, 20)), np.where(rng.uniform(size=20) < 0.2, rng.normal(size=20), 0)
    x = at(np.linalg.lstsq(a, a @ z, rcond=None)[0])
    return minimise(cp.sum(cp.sqrt(cp.abs(x))), a @ x == a @ z)


@problem
def phase_retrieval():
    rng = np.random.default_rng(4)
    a, z = rng.normal(size=(30, 8)), rng.normal(size=8)
    x = at(rng.normal(size=8))
    return minimise(cp.sum_squares(cp.square(a @ x) - np.square(a @ z)))


@problem
def largest_norm():
    rng = np.random.default_rng(5)
    x = at(rng.uniform(-1, 1, 10))
    return cp.Problem(cp.Maximize(cp.sum_squares(rng.normal(size=(10, 10)) @ x)), [cp.abs(x) <= 1])


@problem
def principal_component():
    rng = np.random.default_rng(6)
    a = rng.normal(size=(30, 10))
    x = at(rng.normal(size=10))
    return cp.Problem(cp.Maximize(cp.sum_squares(a @ x)), [cp.sum_squares(x) <= 1, cp.norm1(x) <= 2])


# Kinds of problems that CVXPY shows for its nonlinear programs.


@problem
def rosenbrock():
    x = at([-1.2, 1] * 5)
    return minimise(100 * cp.sum_squares(x[1:] - cp.square(x[:-1])) + cp.sum_squares(1 - x[:-1]))


@problem
def sharpe_ratio():
    rng = np.random.default_rng(7)
    f = rng.normal(size=(30, 12)) / 10
    w = at([1 / 12] * 12, nonneg=True)
    return cp.Problem(cp.Maximize((rng.uniform(0.01, 0.1, 12) @ w) / cp.sqrt(cp.quad_form(w, cp.psd_wrap(f.T @ f + 0.01 * np.eye(12))))), [cp.sum(w) == 1])


@problem
def risk_parity():
    rng = np.random.default_rng(8)
    f = rng.normal(size=(20, 8))
    s = f.T @ f / 20
    w = at([1 / 8] * 8, bounds=[1e-3, 1])
    share = cp.multiply(w, s @ w)
    return minimise(cp.sum_squares(share - cp.sum(share) / 8), cp.sum(w) == 1)


@problem
def normal_likelihood():
    data = np.random.default_rng(9).normal(1, 2, size=100)
    mu, s = at([0]), at([1], bounds=[1e-2, 10])
    return minimise(100 * cp.log(s[0]) + cp.sum(cp.square(data - mu)) / (2 * cp.square(s[0])))


@problem
def localisation():
    rng = np.random.default_rng(10)
    a = rng.uniform(0, 10, (8, 2))
    d = np.linalg.norm(a - [3, 6], axis=1) + 0.1 * rng.normal(size=8)
    x, far = at([5, 5]), at(d, nonneg=True)
    return minimise(cp.sum_squares(far - d), cp.square(far) == cp.sum(cp.square(a - cp.reshape(x, (1, 2), order="C")), axis=1))


@problem
def hanging_chain():
    n = 20
    x, y = cp.Variable(n + 1), cp.Variable(n + 1)
    x.value, y.value = np.linspace(0, 1, n + 1), -0.2 * np.sin(np.pi * np.linspace(0, 1, n + 1))
    return minimise(cp.sum(y), x[0] == 0, x[n] == 1, y[0] == 0, y[n] == 0, cp.square(x[1:] - x[:-1]) + cp.square(y[1:] - y[:-1]) == (1.5 / n) ** 2)


@problem
def sine_fit():
    t = np.linspace(0, 3, 40)
    data = 1.5 * np.sin(2 * t + 0.5) + 0.05 * np.random.default_rng(11).normal(size=40)
    x = at([1, 1.8, 0.3], bounds=[0.1, 4])
    return minimise(cp.sum_squares(x[0] * cp.nlp.sin(x[1] * t + x[2]) - data))


@problem
def two_bus_power_flow():
    v, d = at([1, 1], bounds=[0.9, 1.1]), at([0], bounds=[-1, 1])
    p, q = at([1]), at([0])
    c, s = cp.nlp.cos(d[0]), cp.nlp.sin(d[0])
    return minimise(p[0] + 0.1 * cp.square(q[0]), v[0] * v[1] * (10 * s - c) + cp.square(v[1]) == -0.8,
                    p[0] == cp.square(v[0]) + v[0] * v[1] * (-10 * s - c), q[0] == 10 * cp.square(v[0]) + v[0] * v[1] * (s - 10 * c))


# Bilinear ones.


@problem
def factorisation():
    rng = np.random.default_rng(12)
    a = rng.uniform(size=(8, 2)) @ rng.uniform(size=(2, 6))
    u, v = cp.Variable((8, 2), nonneg=True), cp.Variable((2, 6), nonneg=True)
    u.value, v.value = rng.uniform(size=(8, 2)), rng.uniform(size=(2, 6))
    return minimise(cp.sum_squares(u @ v - a))


@problem
def completion():
    rng = np.random.default_rng(13)
    a, mask = rng.normal(size=(10, 2)) @ rng.normal(size=(2, 10)), rng.uniform(size=(10, 10)) < 0.6
    u, v = cp.Variable((10, 2)), cp.Variable((2, 10))
    u.value, v.value = rng.normal(size=(10, 2)), rng.normal(size=(2, 10))
    return minimise(cp.sum_squares(cp.multiply(mask.astype(float), u @ v - a)) + 0.01 * (cp.sum_squares(u) + cp.sum_squares(v)))


@problem
def pooling():
    # Haverly's first: flows a, b, c, of the pool to x and y, and of c to both; p is the quality of the pool
    a, b, px, py, cx, cy, p = (at([1], bounds=[0, 300])[0] for _ in range(7))
    return cp.Problem(cp.Maximize(9 * (px + cx) + 15 * (py + cy) - 6 * a - 16 * b - 10 * (cx + cy)),
                      [px + py == a + b, px + cx <= 100, py + cy <= 200, p * (px + py) == 3 * a + b, p * px + 2 * cx <= 2.5 * (px + cx),
                       p * py + 2 * cy <= 1.5 * (py + cy), p <= 3])


@problem
def bilinear_control():
    n, h = 20, 0.1
    x, u = cp.Variable(n + 1), cp.Variable(n, bounds=[-2, 2])
    x.value, u.value = np.ones(n + 1), np.zeros(n)
    return minimise(cp.sum_squares(x[1:]) + 0.1 * cp.sum_squares(u), x[0] == 1, x[1:] == x[:-1] + h * (cp.multiply(x[:-1], u) + 0.5 * x[:-1]))


# Ones with many equations.


@problem
def boundary_value():
    # u'' = u³ − 1 at 60 places, with the least change of a source
    n = 60
    h = 1 / (n + 1)
    u, s = cp.Variable(n + 2), cp.Variable(n)
    u.value, s.value = np.zeros(n + 2), np.zeros(n)
    return minimise(cp.sum_squares(s), u[0] == 0, u[n + 1] == 1, (u[2:] - 2 * u[1:-1] + u[:-2]) / h**2 == cp.power(u[1:-1], 3) - 1 + s, u[n // 2] == 0.8)


@problem
def pendulum():
    n, h = 40, 0.1
    a, w, u = cp.Variable(n + 1), cp.Variable(n + 1), cp.Variable(n, bounds=[-3, 3])
    a.value, w.value, u.value = np.linspace(0, np.pi, n + 1), np.zeros(n + 1), np.zeros(n)
    return minimise(cp.sum_squares(u), a[0] == 0, w[0] == 0, a[n] == np.pi, w[n] == 0, a[1:] == a[:-1] + h * w[:-1],
                    w[1:] == w[:-1] + h * (u - cp.nlp.sin(a[:-1])))


@problem
def van_der_pol():
    n, h = 50, 0.1
    x, y, u = cp.Variable(n + 1), cp.Variable(n + 1), cp.Variable(n, bounds=[-1, 1])
    x.value, y.value, u.value = np.zeros(n + 1), np.ones(n + 1), np.zeros(n)
    return minimise(cp.sum_squares(x) + cp.sum_squares(y) + cp.sum_squares(u), x[0] == 0, y[0] == 1, x[1:] == x[:-1] + h * y[:-1],
                    y[1:] == y[:-1] + h * (cp.multiply(1 - cp.square(x[:-1]), y[:-1]) - x[:-1] + u))


@problem
def beam():
    # clnlbeam of COPS with 40 parts
    n, h = 40, 1 / 40
    t, x, u = cp.Variable(n + 1, bounds=[-1, 1]), cp.Variable(n + 1, bounds=[-0.05, 0.05]), cp.Variable(n + 1)
    k = np.arange(n + 1) * h
    t.value, x.value, u.value = 0.05 * np.cos(k), 0.05 * np.cos(k), 0.01 * np.ones(n + 1)
    work = cp.sum(0.5 * h * (cp.square(u[1:]) + cp.square(u[:-1])) + 175 * h * (cp.nlp.cos(t[1:]) + cp.nlp.cos(t[:-1])))
    return minimise(work, x[1:] - x[:-1] == 0.5 * h * (cp.nlp.sin(t[1:]) + cp.nlp.sin(t[:-1])), t[1:] - t[:-1] == 0.5 * h * (u[1:] + u[:-1]),
                    x[0] == 0, x[n] == 0)


@problem
def robot_arm():
    # angles of a chain of 12 links that reaches a point with the least bending
    n = 12
    a = at(np.linspace(0, 1, n), bounds=[-3, 3])
    return minimise(cp.sum_squares(a[1:] - a[:-1]) + cp.square(a[0]), cp.sum(cp.nlp.cos(a)) == 5, cp.sum(cp.nlp.sin(a)) == 6)
