"""OSQP with its built-in factorisation; polished where a tolerance is asked for."""

import numpy as np
import osqp
from importlib.metadata import version


class Solver:
    version = version("osqp")
    modes = ("fresh", "update", "warm")

    def translate(self, p):
        return p

    def setup(self, p, tol, limit):
        settings = {"verbose": False, "time_limit": limit}
        if tol:
            settings.update(eps_abs=tol, eps_rel=tol, polishing=True, check_dualgap=True, max_iter=10**6)
        self.solver = osqp.OSQP(algebra="builtin")
        self.solver.setup(p.P, p.q, p.A, p.l, p.u, **settings)
        self.last = None

    def update(self, p, warm):
        self.solver.update(q=p.q, l=p.l, u=p.u, Px=p.P.data, Ax=p.A.data)
        x, y = self.last
        # The iterates are not rescaled with the matrices.
        scale = 1 if warm else 0
        self.solver.warm_start(scale * x, scale * y)

    def solve(self):
        res = self.solver.solve(raise_error=False)
        self.last = np.array(res.x), np.array(res.y)
        return res

    def answer(self, p, res):
        return res.info.status.replace(" ", "_"), res.info.iter, *self.last
