"""The problems in CVXPY, written as DCCP's manual and examples write theirs:
each side of a constraint of known curvature, epigraph variables where the
objective is a difference. A model returns the problem, a function that gives
the point by name, and options that its authors chose."""

import cvxpy as cp
import numpy as np


def svm(spec):
    X, y, C = spec.files["X"], spec.files["y"].ravel(), spec.params["C"]
    w, b, t = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable(len(y))
    w.value, b.value = spec.files["w0"].ravel(), 0.0
    margin = cp.multiply(y, X @ w + b)
    now = margin.value
    t.value = np.maximum(1 - now, 0) - np.maximum(-now, 0)
    objective = 0.5 * cp.sum_squares(w) + C / len(y) * cp.sum(t)
    prob = cp.Problem(cp.Minimize(objective), [cp.pos(1 - margin) <= t + cp.pos(-margin)])
    return prob, lambda: {"w": w.value, "b": b.value}, {}


def l1l2(spec):
    A, b, lam = spec.files["A"], spec.files["b"].ravel(), spec.params["lambda"]
    x, t = cp.Variable(A.shape[1]), cp.Variable()
    x.value = spec.files["x0"].ravel()
    t.value = np.linalg.norm(x.value)
    objective = 0.5 * cp.sum_squares(A @ x - b) + lam * (cp.norm1(x) - t)
    return cp.Problem(cp.Minimize(objective), [t <= cp.norm2(x)]), lambda: {"x": x.value}, {}


def boolean(spec):
    A, y = spec.files["A"], spec.files["y"].ravel()
    x = cp.Variable(A.shape[1])
    x.value = spec.files["x0"].ravel()
    prob = cp.Problem(
        cp.Minimize(cp.sum_squares(A @ x - y)), [cp.square(x) >= 1, x >= -1, x <= 1]
    )
    return prob, lambda: {"x": x.value}, {}


def packing(r, start, options):
    """A constraint for each pair, as the authors write it."""
    n = len(r)
    c = cp.Variable((n, 2))
    c.value = start
    apart = [cp.norm(c[i, :] - c[j, :], 2) >= r[i] + r[j] for i in range(n) for j in range(i + 1, n)]
    prob = cp.Problem(cp.Minimize(cp.max(cp.max(cp.abs(c), axis=1) + r)), apart)
    return prob, lambda: {"c": c.value}, options


def rows(r, start, options):
    """A constraint for the pairs of each circle."""
    n = len(r)
    c = cp.Variable((n, 2))
    c.value = start
    apart = [
        cp.norm(cp.reshape(c[i, :], (1, 2), order="C") - c[i + 1 :, :], 2, axis=1)
        >= r[i] + r[i + 1 :]
        for i in range(n - 1)
    ]
    prob = cp.Problem(cp.Minimize(cp.max(cp.max(cp.abs(c), axis=1) + r)), apart)
    return prob, lambda: {"c": c.value}, options


def circles(spec, packing=packing):
    return packing(spec.files["r"].ravel(), spec.files["c0"], {})


def circle_packing(spec, packing=packing):
    r = spec.shared("circle_packing/r").ravel()
    start = spec.shared("circle_packing/cinit" + spec.params["part"])
    return packing(r, start, {"max_iter": 50})


def dma(spec):
    X, y, p = spec.files["X"], spec.files["y"].ravel(), spec.params["pieces"]
    m, d = X.shape
    a, b, c, e = cp.Variable((p, d)), cp.Variable(p), cp.Variable((p, d)), cp.Variable(p)
    a.value, b.value = spec.files["a0"], np.zeros(p)
    c.value, e.value = spec.files["c0"], np.zeros(p)
    t = cp.Variable(m)
    one = np.ones((m, 1))
    g = cp.max(X @ a.T + one @ cp.reshape(b, (1, p), order="C"), axis=1)
    h = cp.max(X @ c.T + one @ cp.reshape(e, (1, p), order="C"), axis=1)
    t.value = np.abs(y - g.value + h.value)
    prob = cp.Problem(cp.Minimize(cp.sum(t) / m), [y + h <= t + g, g <= t + y + h])
    return prob, lambda: {"a": a.value, "b": b.value, "c": c.value, "e": e.value}, {}


def boolean_ls(spec):
    k = spec.params["part"]
    A, y = spec.shared("boolean_least_squares/A"), spec.shared("boolean_least_squares/y" + k)
    x = cp.Variable(A.shape[1])
    x.value = spec.shared("boolean_least_squares/xinit" + k).ravel()
    prob = cp.Problem(cp.Minimize(cp.norm(A @ x - y.ravel(), 2)), [cp.square(x) == 1])
    return prob, lambda: {"x": x.value}, {}


def control(spec):
    n, T, fmax, dmin = 2, 100, 0.5, 0.6
    A = np.array([[1, 0, 0.1, 0], [0, 1, 0, 0.1], [0, 0, 0.95, 0], [0, 0, 0, 0.95]])
    B = np.array([[0, 0], [0, 0], [0.1, 0], [0, 0.1]])
    first = np.array([[1, 4, 0.5, 0.5], [3, 5, -0.5, 0]])
    last = np.array([[3, 3, 0, -0.5], [3.5, 3.5, 0.5, -0.5]])
    x = [cp.Variable((T, 4)) for _ in range(n)]
    u = [cp.Variable((T, 2)) for _ in range(n)]
    constraints = []
    for i in range(n):
        x[i].value = spec.files["x0"][i * T : (i + 1) * T]
        u[i].value = spec.files["u0"][i * T : (i + 1) * T]
        constraints += [
            x[i][0, :] == first[i],
            x[i][T - 1, :] == last[i],
            x[i][1:, :] == x[i][:-1, :] @ A.T + u[i][:-1, :] @ B.T,
            cp.abs(u[i]) <= fmax,
        ]
    constraints.append(cp.norm(x[0][:, :2] - x[1][:, :2], 2, axis=1) >= dmin)
    prob = cp.Problem(cp.Minimize(sum(cp.sum(cp.abs(v)) for v in u)), constraints)

    def point():
        return {"x": [v.value for v in x], "u": [v.value for v in u]}

    return prob, point, {"ep": 0.1}


def filter_design(spec):
    N, n, npass, nstop = 100, 10, 35, 50
    w = np.linspace(0, np.pi, N)
    k = np.arange(n)
    h, U = cp.Variable(n), cp.Variable()
    h.value, U.value = spec.shared("filter_design/hinit").ravel(), spec.shared("filter_design/Uinit").item()
    constraints = []
    for i in range(N):
        size = cp.norm(cp.hstack([np.cos(w[i] * k) @ h, np.sin(w[i] * k) @ h]), 2)
        if i < npass:
            constraints.append(size >= 0.9)
        constraints.append(size <= (1.1 if i < nstop else U))
    return cp.Problem(cp.Minimize(U), constraints), lambda: {"h": h.value, "U": U.value}, {}


def gaussian_covariance(spec):
    Y, S = spec.shared("gaussian_covariance/Y"), spec.shared("gaussian_covariance/sign")
    n, N = Y.shape
    sigma, t = cp.Variable((n, n), PSD=True), cp.Variable()
    sigma.value = np.eye(n)
    t.value = np.sum(Y * Y) / N
    fit = sum(cp.matrix_frac(Y[:, k], sigma) for k in range(N)) / N
    plus, minus, zero = (np.where(mask, 1.0, 0.0) for mask in (S > 0, S < 0, S == 0))
    constraints = [
        fit <= t,
        cp.multiply(plus, sigma) >= 0,
        cp.multiply(minus, sigma) <= 0,
        cp.multiply(zero, sigma) == 0,
    ]
    return cp.Problem(cp.Minimize(cp.log_det(sigma) + t), constraints), lambda: {"Sigma": sigma.value}, {}


def path_planning(spec):
    n, a, b = 50, np.zeros(2), np.full(2, 10.0)
    p, r = spec.shared("path_planning/p").T, spec.shared("path_planning/r").ravel()
    x, L = [cp.Variable(2) for _ in range(n + 1)], cp.Variable()
    for v, start in zip(x, spec.shared("path_planning/xinit")):
        v.value = start
    L.value = spec.shared("path_planning/Linit").item()
    constraints = [x[0] == a, x[n] == b]
    for i in range(n):
        constraints.append(cp.norm(x[i] - x[i + 1], 2) <= L / n)
        constraints += [cp.norm(x[i] - p[j], 2) >= r[j] for j in range(len(r))]
    prob = cp.Problem(cp.Minimize(L), constraints)
    return prob, lambda: {"x": [v.value for v in x], "L": L.value}, {}


def phase_retrieval(spec):
    Ar, Ai = spec.shared("phase_retrieval/Ar"), spec.shared("phase_retrieval/Ai")
    y = spec.shared("phase_retrieval/y").ravel()
    m, n = Ar.shape
    xr, xi, z = cp.Variable(n), cp.Variable(n), cp.Variable((m, 2))
    xr.value, xi.value = spec.shared("phase_retrieval/xinit")
    z.value = spec.shared("phase_retrieval/zinit")
    constraints = [z[:, 0] == Ar @ xr + Ai @ xi, z[:, 1] == Ar @ xi - Ai @ xr]
    constraints += [cp.norm(z[k, :], 2) == y[k] for k in range(m)]
    return cp.Problem(cp.Minimize(0), constraints), lambda: {"xr": xr.value, "xi": xi.value, "z": z.value}, {}


def sparse_recovery(spec):
    part = spec.params["part"]
    A, y = spec.shared("sparse_recovery/A_" + part), spec.shared("sparse_recovery/y_" + part).ravel()
    x = cp.Variable(A.shape[1], nonneg=True)
    x.value = np.ones(A.shape[1])
    return cp.Problem(cp.Minimize(cp.sum(cp.sqrt(x))), [A @ x == y]), lambda: {"x": x.value}, {}


def sparse_singular(spec):
    A, mu = spec.shared("sparse_singular_vectors/A"), spec.params["mu"]
    x = cp.Variable(A.shape[1])
    x.value = spec.files["x0"].ravel()
    prob = cp.Problem(cp.Minimize(cp.norm(A @ x, 2)), [cp.norm(x, 2) == 1, cp.norm1(x) <= mu])
    return prob, lambda: {"x": x.value}, {}


MODELS = {
    f.__name__: f
    for f in (
        svm, l1l2, boolean, circles, dma, boolean_ls, circle_packing, control, filter_design,
        gaussian_covariance, path_planning, phase_retrieval, sparse_recovery, sparse_singular,
    )
}  # fmt: skip



def filter_design_rows(spec):
    N, n, npass, nstop = 100, 10, 35, 50
    w = np.outer(np.linspace(0, np.pi, N), np.arange(n))
    h, U = cp.Variable(n), cp.Variable()
    h.value, U.value = spec.shared("filter_design/hinit").ravel(), spec.shared("filter_design/Uinit").item()
    size = cp.norm(cp.vstack([np.cos(w) @ h, np.sin(w) @ h]), 2, axis=0)
    constraints = [size[:npass] >= 0.9, size[:nstop] <= 1.1, size[nstop:] <= U]
    return cp.Problem(cp.Minimize(U), constraints), lambda: {"h": h.value, "U": U.value}, {}


def path_planning_rows(spec):
    n = 50
    p, r = spec.shared("path_planning/p").T, spec.shared("path_planning/r").ravel()
    x, L = cp.Variable((n + 1, 2)), cp.Variable()
    x.value, L.value = spec.shared("path_planning/xinit"), spec.shared("path_planning/Linit").item()
    constraints = [x[0, :] == np.zeros(2), x[n, :] == np.full(2, 10.0)]
    constraints.append(cp.norm(x[:-1, :] - x[1:, :], 2, axis=1) <= L / n)
    constraints += [cp.norm(x[:-1, :] - q[None, :], 2, axis=1) >= s for q, s in zip(p, r)]
    return cp.Problem(cp.Minimize(L), constraints), lambda: {"x": x.value, "L": L.value}, {}


def phase_retrieval_rows(spec):
    Ar, Ai = spec.shared("phase_retrieval/Ar"), spec.shared("phase_retrieval/Ai")
    y = spec.shared("phase_retrieval/y").ravel()
    m, n = Ar.shape
    xr, xi, z = cp.Variable(n), cp.Variable(n), cp.Variable((m, 2))
    xr.value, xi.value = spec.shared("phase_retrieval/xinit")
    z.value = spec.shared("phase_retrieval/zinit")
    constraints = [z[:, 0] == Ar @ xr + Ai @ xi, z[:, 1] == Ar @ xi - Ai @ xr, cp.norm(z, 2, axis=1) == y]
    return cp.Problem(cp.Minimize(0), constraints), lambda: {"xr": xr.value, "xi": xi.value, "z": z.value}, {}


# The same problems with many constraints in one statement, of which CVXPY makes
# less work.
BY_ROWS = {
    "circles": lambda spec: circles(spec, rows),
    "circle_packing": lambda spec: circle_packing(spec, rows),
    "filter_design": filter_design_rows,
    "path_planning": path_planning_rows,
    "phase_retrieval": phase_retrieval_rows,
}
