"""DAQP, a dual active-set method for dense problems."""

import daqp
import numpy as np
from importlib.metadata import version

from forms import split

EQUATION = 5  # of a row


class Solver:
    version = version("daqp")
    modes = ("fresh",)

    def translate(self, p):
        r, n = split(p), len(p.q)
        order = np.concatenate([r.equal, r.general])
        P = p.P.toarray()
        H = P + np.triu(P, 1).T
        a = np.ascontiguousarray(p.A.tocsr()[order].toarray())
        lower = np.concatenate([r.lower, p.l[order]])
        upper = np.concatenate([r.upper, p.u[order]])
        # It has no infinity of its own but numbers from 1e30 on.
        lower, upper = np.maximum(lower, -1e30), np.minimum(upper, 1e30)
        sense = np.zeros(n + len(order), dtype=np.int32)
        sense[n : n + len(r.equal)] = EQUATION
        args = (H, p.q.copy(), a, upper, lower, sense)
        return args, r, order, len(p.l)

    def setup(self, data, tol, limit):
        self.solver = {"primal_tol": tol, "dual_tol": tol} if tol else {}
        self.solver["time_limit"] = limit
        self.args = data[0]

    def solve(self):
        return daqp.solve(*self.args, **self.solver)

    def answer(self, data, raw):
        (_, r, order, m), (x, _, flag, info) = data, raw
        y, lam, n = np.zeros(m), np.asarray(info["lam"]), len(x)
        y[order] = lam[n:]
        y[r.box] = lam[:n][r.column] / r.scale
        return "solved" if flag == 1 else f"exit_{flag}", info["iterations"], np.asarray(x), y
