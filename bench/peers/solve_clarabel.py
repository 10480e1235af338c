"""Clarabel, one thread."""

import clarabel
import numpy as np
from importlib.metadata import version

from forms import CONES, conic

CONE = {
    "second-order": lambda c: clarabel.SecondOrderConeT(c.len),
    "exponential": lambda c: clarabel.ExponentialConeT(),
    "power": lambda c: clarabel.PowerConeT(c.alpha),
    "semidefinite": lambda c: clarabel.PSDTriangleConeT(c.order),
}
WORDS = {"primalinfeasible": "primal_infeasible", "dualinfeasible": "dual_infeasible"}


class Solver:
    version = version("clarabel")
    modes = ("fresh", "update")
    cones = CONES

    def translate(self, p):
        data = conic(p)
        data.P, data.q = p.P, p.q
        data.types = [
            clarabel.ZeroConeT(len(data.equal)),
            clarabel.NonnegativeConeT(len(data.upper) + len(data.lower)),
        ] + [CONE[c.kind](c) for c in data.cones]
        return data

    def setup(self, data, tol, limit):
        s = clarabel.DefaultSettings()
        s.verbose, s.max_threads, s.time_limit = False, 1, limit
        # Either would forbid updates. Clarabel's presolve drops infinite
        # bounds, of which there are none here.
        s.presolve_enable = s.input_sparse_dropzeros = False
        if tol:
            s.tol_gap_abs = s.tol_gap_rel = s.tol_feas = tol
        self.solver = clarabel.DefaultSolver(data.P, data.q, data.A, data.b, data.types, s)

    def update(self, data, warm):
        self.solver.update(P=data.P, q=data.q, A=data.A, b=data.b)

    def solve(self):
        return self.solver.solve()

    def answer(self, data, res):
        word = str(res.status).split(".")[-1].lower()
        return WORDS.get(word, word), res.iterations, np.array(res.x), data.dual(np.array(res.z))
