"""The convex-concave procedure as one writes it by hand for one problem: the
convex program as matrices, assembled once, of which each iteration overwrites
some numbers. What is linearised is the same as in dcopt, and so is the stopping
rule.

    minimise 1/2 x'Px + q'x  over  l <= Ax <= u

A model has these, the start x, and linearise(x, tau), which overwrites q, u, l
and A.data. value(x) is the objective and the largest violation.
"""

import numpy as np
from scipy import sparse

TOL, MAX_ITER, GROWTH, TAU_MAX = 1e-6, 200, 2.0, 1e6


class Model:
    slacked = False  # has DC constraints, whose slacks are weighted by tau
    changes_rows = False  # l, u or A change, not q alone

    def assemble(self, P, blocks, l, u):
        self.P = sparse.triu(P, format="csc")
        self.A = sparse.bmat(blocks, format="csc")
        self.A.sort_indices()
        self.l, self.u = np.concatenate(l), np.concatenate(u)
        self.q = np.zeros(self.A.shape[1])

    def places(self, rows, cols):
        """Where in A.data the entries are."""
        A = self.A
        count = np.arange(1, A.nnz + 1)
        at = sparse.csc_matrix((count, A.indices, A.indptr), shape=A.shape).tocsr()
        return np.asarray(at[rows, cols]).ravel() - 1


class Svm(Model):
    """x = (w, b, t), t >= 1 - margin, t >= 0."""

    def __init__(self, spec):
        X, y, self.C = spec.files["X"], spec.files["y"].ravel(), spec.params["C"]
        m, n = X.shape
        self.n, self.share = n, self.C / m
        self.Y = np.hstack([y[:, None] * X, y[:, None]])
        P = sparse.diags(np.concatenate([np.ones(n), np.zeros(m + 1)]))
        eye, inf = sparse.eye(m), np.full(m, np.inf)
        self.assemble(P, [[sparse.csc_matrix(self.Y), eye], [None, eye]], [np.ones(m), np.zeros(m)], [inf, inf])
        self.q[n + 1 :] = self.share
        self.x = np.concatenate([spec.files["w0"].ravel(), np.zeros(m + 1)])

    def linearise(self, x, tau):
        v = x[: self.n + 1]
        beyond = self.Y @ v < 0
        self.q[: self.n + 1] = self.share * (beyond @ self.Y)

    def value(self, x):
        margin = self.Y @ x[: self.n + 1]
        w = x[: self.n]
        return 0.5 * w @ w + self.share * np.clip(1 - margin, 0, 1).sum(), 0.0

    def point(self, x):
        return {"w": x[: self.n], "b": x[self.n]}


class L1L2(Model):
    """x = (x, s, r), -s <= x <= s, r = Ax - b."""

    def __init__(self, spec):
        A, b, self.lam = spec.files["A"], spec.files["b"].ravel(), spec.params["lambda"]
        m, n = A.shape
        self.n, self.M, self.b = n, A, b
        P = sparse.diags(np.concatenate([np.zeros(2 * n), np.ones(m)]))
        eye, inf, zero = sparse.eye(n), np.full(n, np.inf), np.zeros(n)
        self.assemble(
            P,
            [[sparse.csc_matrix(A), None, -sparse.eye(m)], [eye, -eye, None], [eye, eye, None]],
            [b, -inf, zero],
            [b, zero, inf],
        )
        self.q[n : 2 * n] = self.lam
        self.x = np.concatenate([spec.files["x0"].ravel(), np.zeros(n + m)])

    def linearise(self, x, tau):
        v = x[: self.n]
        self.q[: self.n] = -self.lam * v / max(np.linalg.norm(v), 1e-300)

    def value(self, x):
        v = x[: self.n]
        r = self.M @ v - self.b
        return 0.5 * r @ r + self.lam * (np.abs(v).sum() - np.linalg.norm(v)), 0.0

    def point(self, x):
        return {"x": x[: self.n]}


class Boolean(Model):
    """x = (x, s), 2 z x + s >= 1 + z^2 for the tangent at z, s >= 0."""

    slacked = changes_rows = True

    def __init__(self, spec):
        A, y = spec.files["A"], spec.files["y"].ravel()
        n = A.shape[1]
        self.n, self.M, self.y = n, A, y
        eye, one, inf = sparse.eye(n), np.ones(n), np.full(n, np.inf)
        P = sparse.block_diag([2 * A.T @ A, sparse.csc_matrix((n, n))])
        self.assemble(P, [[eye, eye], [eye, None], [None, eye]], [one, -one, 0 * one], [inf, one, inf])
        self.q[:n] = -2 * A.T @ y
        self.at = self.places(np.arange(n), np.arange(n))
        self.x = np.concatenate([spec.files["x0"].ravel(), np.zeros(n)])

    def linearise(self, x, tau):
        z = x[: self.n]
        self.A.data[self.at] = 2 * z
        self.l[: self.n] = 1 + z * z
        self.q[self.n :] = tau

    def value(self, x):
        v = x[: self.n]
        r = self.M @ v - self.y
        return r @ r, max(0.0, (1 - v * v).max(), (np.abs(v) - 1).max())

    def point(self, x):
        return {"x": x[: self.n]}


class Circles(Model):
    """x = (c, t, s), |c| + r <= t, d'(c_i - c_j) + s >= r_i + r_j for the
    direction d at the tangent's point, s >= 0."""

    slacked = changes_rows = True

    def __init__(self, spec):
        r = spec.files["r"].ravel()
        n = len(r)
        self.r, self.n = r, n
        self.i, self.j = np.triu_indices(n, 1)
        pairs = len(self.i)
        self.need = r[self.i] + r[self.j]
        both, row = np.repeat(r, 2), np.arange(pairs)
        cols = np.stack([2 * self.i, 2 * self.i + 1, 2 * self.j, 2 * self.j + 1], axis=1)
        rows = np.repeat(row, 4)
        D = sparse.csc_matrix((np.ones(4 * pairs), (rows, cols.ravel())), shape=(pairs, 2 * n))
        eye, one = sparse.eye(2 * n), np.ones((2 * n, 1))
        inf, eyes = np.full(2 * n, np.inf), sparse.eye(pairs)
        size = 2 * n + 1 + pairs
        self.assemble(
            sparse.csc_matrix((size, size)),
            [[D, None, eyes], [eye, -one, None], [eye, one, None], [None, None, eyes]],
            [self.need, -inf, both, np.zeros(pairs)],
            [np.full(pairs, np.inf), -both, inf, np.full(pairs, np.inf)],
        )
        self.q[2 * n] = 1
        self.at = self.places(rows, cols.ravel())
        self.x = np.concatenate([spec.files["c0"].ravel(), np.zeros(1 + pairs)])

    def gaps(self, x):
        c = x[: 2 * self.n].reshape(-1, 2)
        return c[self.i] - c[self.j]

    def linearise(self, x, tau):
        d = self.gaps(x)
        d /= np.maximum(np.linalg.norm(d, axis=1, keepdims=True), 1e-300)
        self.A.data[self.at] = np.hstack([d, -d]).ravel()
        self.q[2 * self.n + 1 :] = tau

    def value(self, x):
        c = x[: 2 * self.n].reshape(-1, 2)
        side = (np.abs(c).max(axis=1) + self.r).max()
        return side, max(0.0, (self.need - np.linalg.norm(self.gaps(x), axis=1)).max())

    def point(self, x):
        return {"c": x[: 2 * self.n]}


class Dma(Model):
    """|y - g + h| = 2 max(g, h + y) - (g + h + y); x = (a, b, c, e, v), v above
    the pieces of both, the sum g + h linearised."""

    def __init__(self, spec):
        X, self.y, p = spec.files["X"], spec.files["y"].ravel(), spec.params["pieces"]
        m, d = X.shape
        self.p, self.d, self.m = p, d, m
        self.X1 = np.hstack([X, np.ones((m, 1))])
        # Of a piece the slopes and the offset: k (d+1) and what follows.
        pieces = sparse.kron(sparse.eye(p), sparse.csc_matrix(self.X1), format="csc")
        high = -sparse.kron(np.ones((p, 1)), sparse.eye(m))
        low, inf = np.full(p * m, -np.inf), np.zeros(p * m)
        size = 2 * p * (d + 1) + m
        self.assemble(
            sparse.csc_matrix((size, size)),
            [[pieces, None, high], [None, pieces, high]],
            [low, low],
            [inf, -np.tile(self.y, p)],
        )
        self.q[2 * p * (d + 1) :] = 2 / m
        zero = np.zeros((p, 1))
        g, h = np.hstack([spec.files["a0"], zero]), np.hstack([spec.files["c0"], zero])
        self.x = np.concatenate([g.ravel(), h.ravel(), np.zeros(m)])

    def parts(self, x):
        half = self.p * (self.d + 1)
        return x[:half].reshape(self.p, -1), x[half : 2 * half].reshape(self.p, -1)

    def linearise(self, x, tau):
        slopes = []
        for f in self.parts(x):
            active = np.argmax(self.X1 @ f.T, axis=1)
            chosen = np.arange(self.p)[:, None] == active
            slopes.append((chosen @ self.X1).ravel() / self.m)
        self.q[: 2 * self.p * (self.d + 1)] = -np.concatenate(slopes)

    def value(self, x):
        g, h = ((self.X1 @ f.T).max(axis=1) for f in self.parts(x))
        return np.abs(self.y - g + h).mean(), 0.0

    def point(self, x):
        g, h = self.parts(x)
        return {"a": g[:, :-1], "b": g[:, -1], "c": h[:, :-1], "e": h[:, -1]}


MODELS = {"svm": Svm, "l1l2": L1L2, "boolean": Boolean, "circles": Circles, "dma": Dma}


class Task:
    """The procedure over a solver with setup(model), update(model), solve()."""

    def __init__(self, spec, make_solver, feas):
        self.model_of, self.spec, self.make, self.feas = MODELS[spec.model], spec, make_solver, feas

    def run(self):
        self.model = m = self.model_of(self.spec)
        self.x, tau, last, solver = m.x, 1.0, np.inf, None
        self.best, best = m.x, (np.inf, np.inf)
        for k in range(1, MAX_ITER + 1):
            m.linearise(self.x, tau)
            if solver is None:
                solver = self.make()
                solver.setup(m)
            else:
                solver.update(m)
            self.x = solver.solve()
            if self.x is None:
                return "numerical", k
            value, broken = m.value(self.x)
            if (max(broken, self.feas), value) < best:
                self.best, best = self.x, (max(broken, self.feas), value)
            if broken <= self.feas and abs(last - value) <= TOL * max(1.0, abs(value)):
                return "converged", k
            last = value
            if broken > self.feas and m.slacked:
                tau = min(GROWTH * tau, TAU_MAX)
        return "iteration_limit", k

    def point(self):
        return self.model.point(self.best)
