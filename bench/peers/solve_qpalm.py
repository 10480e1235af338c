"""QPALM, an augmented Lagrangian method."""

import numpy as np
import qpalm
from importlib.metadata import version
from scipy import sparse


class Solver:
    version = version("qpalm")
    modes = ("fresh",)

    def translate(self, p):
        m, n = p.A.shape
        P = p.P.tocsc()
        data = qpalm.Data(n, m)
        data.Q = P + P.T - sparse.diags(P.diagonal(), format="csc")  # it wants both triangles
        data.q, data.A = p.q, p.A
        data.bmin, data.bmax = np.maximum(p.l, -1e20), np.minimum(p.u, 1e20)
        return data

    def setup(self, data, tol, limit):
        s = qpalm.Settings()
        s.verbose, s.time_limit = False, limit
        if tol:
            s.eps_abs = s.eps_rel = tol
            s.eps_abs_in = s.eps_rel_in = min(1.0, 1e4 * tol)
            s.max_iter = 10**6
        self.solver = qpalm.Solver(data, s)

    def solve(self):
        self.solver.solve()
        return self.solver.info

    def answer(self, data, info):
        point = self.solver.solution
        return info.status.replace(" ", "_"), info.iter, np.array(point.x), np.array(point.y)
