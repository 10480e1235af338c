"""The convex-concave procedure by hand over OSQP, updated and warm-started."""

from importlib.metadata import version

import numpy as np
import osqp

import hand

EPS = 1e-6


class Backend:
    def setup(self, m):
        self.solver = osqp.OSQP(algebra="builtin")
        self.solver.setup(m.P, m.q, m.A, m.l, m.u, verbose=False, eps_abs=EPS, eps_rel=EPS, max_iter=200000)

    def update(self, m):
        if m.changes_rows:
            self.solver.update(q=m.q, l=m.l, u=m.u, Ax=m.A.data)
        else:
            self.solver.update(q=m.q)

    def solve(self):
        res = self.solver.solve(raise_error=False)
        return np.array(res.x) if res.info.status.startswith("solved") else None


class Solver:
    version = version("osqp")

    def prepare(self, spec):
        # What OSQP calls feasible at EPS can miss 1e-6.
        return hand.Task(spec, Backend, 1e-5)
