"""SCS with its direct factorisation."""

import scs
from importlib.metadata import version

from forms import conic


class Solver:
    version = version("scs")
    modes = ("fresh",)

    def translate(self, p):
        data = conic(p)
        data.problem = {"P": p.P, "A": data.A, "b": data.b, "c": p.q}
        data.cone = {"z": len(data.equal), "l": len(data.upper) + len(data.lower)}
        return data

    def setup(self, data, tol, limit):
        settings = {"verbose": False, "time_limit_secs": limit}
        if tol:
            settings.update(eps_abs=tol, eps_rel=tol, max_iters=10**6)
        self.solver = scs.SCS(data.problem, data.cone, **settings)

    def solve(self):
        return self.solver.solve(warm_start=False)

    def answer(self, data, res):
        word = res["info"]["status"].replace(" ", "_")
        return word, res["info"]["iter"], res["x"], data.dual(res["y"])
