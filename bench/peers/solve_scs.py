"""SCS with its direct factorisation."""

import scs
from importlib.metadata import version

from forms import CONES, conic, lower_triangle

ORDER = ("second-order", "semidefinite", "exponential", "power")  # SCS has them so
WORDS = {"infeasible": "primal_infeasible", "unbounded": "dual_infeasible"}


class Solver:
    version = version("scs")
    modes = ("fresh",)
    cones = CONES

    def translate(self, p):
        data = conic(p, ORDER, lower_triangle)
        data.problem = {"P": p.P, "A": data.A, "b": data.b, "c": p.q}
        data.cone = {"z": len(data.equal), "l": len(data.upper) + len(data.lower)}
        for key, kind, size in (
            ("q", "second-order", lambda c: c.len),
            ("s", "semidefinite", lambda c: c.order),
            ("p", "power", lambda c: c.alpha),
        ):
            found = [size(c) for c in data.cones if c.kind == kind]
            if found:
                data.cone[key] = found
        if ep := sum(c.kind == "exponential" for c in data.cones):
            data.cone["ep"] = ep
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
        return WORDS.get(word, word), res["info"]["iter"], res["x"], data.dual(res["y"])
