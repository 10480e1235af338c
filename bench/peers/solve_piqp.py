"""PIQP, sparse, one thread."""

from dataclasses import dataclass

import numpy as np
import piqp
from importlib.metadata import version

from forms import Rows, split


@dataclass
class Data:
    args: tuple  # of setup and update
    rows: Rows
    m: int


class Solver:
    version = version("piqp")
    modes = ("fresh", "update")

    def translate(self, p):
        r, a = split(p), p.A.tocsr()
        args = (
            p.P, p.q, a[r.equal].tocsc(), p.u[r.equal],
            a[r.general].tocsc(), p.l[r.general], p.u[r.general], r.lower, r.upper,
        )  # fmt: skip
        return Data(args, r, len(p.l))

    def setup(self, data, tol, limit):
        # PIQP has no time limit; dcbench ends the process.
        self.solver = piqp.SparseSolver()
        s = self.solver.settings
        s.verbose, s.num_threads = False, 1
        if tol:
            s.eps_abs = s.eps_rel = s.eps_duality_gap_abs = s.eps_duality_gap_rel = tol
            s.max_iter = 1000
        self.solver.setup(*data.args)

    def update(self, data, warm):
        self.solver.update(*data.args)

    def solve(self):
        return self.solver.solve()

    def answer(self, data, status):
        res, r = self.solver.result, data.rows
        y = np.zeros(data.m)
        y[r.equal] = res.y
        y[r.general] = res.z_u - res.z_l
        y[r.box] = (res.z_bu - res.z_bl)[r.column] / r.scale
        solved = status == piqp.PIQP_SOLVED
        word = "solved" if solved else str(status).split(".")[-1].removeprefix("PIQP_").lower()
        return word, res.info.iter, res.x, y
