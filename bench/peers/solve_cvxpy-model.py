"""OSQP behind CVXPY, the problem of --sequence stated as one writes it in CVXPY:
a path p, slacks s, a norm squared, and a constraint an obstacle. Each step states
and canonicalises it anew. Other problems are refused.
"""

from importlib.metadata import version

import cvxpy as cp
import numpy as np

OBSTACLES = 5


class Path:
    """The problem read back from its matrices: rows of one entry are bounds, of
    two are steps, of three are tangents."""

    def __init__(self, p):
        A = p.A.tocsr()
        A.sort_indices()
        self.slacks = int(np.count_nonzero(p.q))
        self.points = self.slacks // OBSTACLES
        self.price = p.q[-1]
        count = np.diff(A.indptr)
        split = 2 * self.points
        if count.max(initial=0) > 3 or len(p.q) != split + self.slacks or not self.slacks:
            raise ValueError("only the problem of --sequence is stated here")
        first = A.indices[A.indptr[:-1]]
        single = count == 1
        self.box = np.flatnonzero(single & (first < split) & (p.l < p.u))
        self.ends = np.flatnonzero(single & (p.l == p.u))
        self.signs = np.flatnonzero(single & (first >= split))
        self.steps = np.flatnonzero(count == 2)
        self.tangents = np.flatnonzero(count == 3)
        self.column = first
        entries = A.data[A.indptr[:-1][self.tangents][:, None] + np.arange(2)]
        self.g = entries.reshape(self.points, OBSTACLES, 2)
        self.rhs = p.l[self.tangents].reshape(self.points, OBSTACLES)
        self.l, self.u, self.rows = p.l, p.u, A.shape[0]


class Solver:
    version = f"{version('cvxpy')} with OSQP {version('osqp')}"
    modes = ("fresh",)

    def translate(self, p):
        return Path(p)

    def setup(self, d, tol, limit):
        T = d.points
        self.p = p = cp.Variable((T, 2))
        self.s = s = cp.Variable((T, OBSTACLES))
        step = d.u[d.steps[0]]
        low, high = d.l[d.box[0]], d.u[d.box[0]]
        self.ends = [p[0] == d.l[d.ends[:2]], p[T - 1] == d.l[d.ends[2:]]]
        self.box = [p[1:-1] >= low, p[1:-1] <= high]
        self.steps = [p[1:] - p[:-1] >= -step, p[1:] - p[:-1] <= step]
        self.sign = s >= 0
        self.clear = [
            cp.sum(cp.multiply(d.g[:, k], p), axis=1) + s[:, k] >= d.rhs[:, k] for k in range(OBSTACLES)
        ]
        objective = cp.sum_squares(p[1:] - p[:-1]) + d.price * cp.sum(s)
        self.problem = cp.Problem(
            cp.Minimize(objective), self.ends + self.box + self.steps + [self.sign] + self.clear
        )
        self.settings = {"time_limit": limit}
        if tol:
            self.settings.update(eps_abs=tol, eps_rel=tol, max_iter=10**6)
        self.data, self.chain, self.inverse = self.problem.get_problem_data(cp.OSQP)

    def solve(self):
        raw = self.chain.solve_via_data(self.problem, self.data, False, False, self.settings)
        self.problem.unpack_results(raw, self.chain, self.inverse)

    def answer(self, d, _):
        x = np.zeros(2 * d.points + d.slacks)
        y = np.zeros(d.rows)
        if self.p.value is not None:
            x = np.concatenate([self.p.value.ravel(), self.s.value.ravel()])
            y[d.ends] = np.concatenate([c.dual_value for c in self.ends])
            y[d.box] = (self.box[1].dual_value - self.box[0].dual_value).ravel()
            y[d.steps] = (self.steps[1].dual_value - self.steps[0].dual_value).ravel()
            y[d.signs] = -self.sign.dual_value.ravel()
            y[d.tangents] = -np.column_stack([c.dual_value for c in self.clear]).ravel()
        word = {"optimal": "solved"}.get(self.problem.status, self.problem.status)
        return word, self.problem.solver_stats.num_iters, x, y
