"""OSQP behind CVXPY: each problem is stated anew, as a loop that builds a
cvxpy.Problem in every step does, and canonicalised, which counts as set-up.
"""

from importlib.metadata import version

import cvxpy as cp
import numpy as np
from scipy import sparse

from forms import conic


class Solver:
    version = f"{version('cvxpy')} with OSQP {version('osqp')}"
    modes = ("fresh",)

    def translate(self, p):
        data = conic(p)
        data.P = p.P + sparse.triu(p.P, 1).T
        data.q = p.q
        return data

    def setup(self, data, tol, limit):
        x, k = cp.Variable(len(data.q)), len(data.equal)
        # The check that P is semidefinite would cost more than all else.
        objective = cp.quad_form(x, data.P, assume_PSD=True) / 2 + data.q @ x
        self.rows = []
        if k:
            self.rows.append(data.A[:k] @ x == data.b[:k])
        if k < len(data.b):
            self.rows.append(data.A[k:] @ x <= data.b[k:])
        self.x = x
        self.settings = {"time_limit": limit}
        if tol:
            self.settings.update(eps_abs=tol, eps_rel=tol, max_iter=10**6)
            if tol < 1e-3:
                self.settings.update(polishing=True)
        self.problem = cp.Problem(cp.Minimize(objective), self.rows)
        self.data, self.chain, self.inverse = self.problem.get_problem_data(cp.OSQP)

    def solve(self):
        raw = self.chain.solve_via_data(self.problem, self.data, False, False, self.settings)
        self.problem.unpack_results(raw, self.chain, self.inverse)

    def answer(self, data, _):
        word = {"optimal": "solved"}.get(self.problem.status, self.problem.status)
        x, z = np.zeros(len(data.q)), np.zeros(len(data.b))
        if self.x.value is not None:
            x = self.x.value
            z = np.concatenate([np.atleast_1d(row.dual_value) for row in self.rows] or [z])
        return word, self.problem.solver_stats.num_iters, x, data.dual(z)
