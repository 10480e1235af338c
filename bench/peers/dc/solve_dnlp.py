"""CVXPY's disciplined nonlinear programs, solved by Uno: as dnlp with its
default, an SQP method; as dnlp-ipopt with its interior point method, which does
as IPOPT does. IPOPT itself has no wheel. Norms and differences are not smooth,
so only some problems can be stated, with squares."""

from importlib.metadata import version

import cvxpy as cp
import numpy as np

import models


def packing(r, start, _):
    n = len(r)
    c = cp.Variable((n, 2))
    c.value = start
    i, j = np.triu_indices(n, 1)
    apart = cp.sum(cp.square(c[i, :] - c[j, :]), axis=1) >= (r[i] + r[j]) ** 2
    prob = cp.Problem(cp.Minimize(cp.max(cp.norm_inf(c, axis=1) + r)), [apart])
    return prob, lambda: {"c": c.value}, {}


def path_planning(spec):
    n, p = 50, spec.shared("path_planning/p").T
    r, start = spec.shared("path_planning/r").ravel(), spec.shared("path_planning/xinit")
    x, L = cp.Variable((n + 1, 2)), cp.Variable(bounds=[0, None])
    x.value, L.value = start, spec.shared("path_planning/Linit").item()
    constraints = [x[0, :] == np.zeros(2), x[n, :] == np.full(2, 10.0)]
    constraints.append(cp.sum(cp.square(x[1:, :] - x[:-1, :]), axis=1) <= cp.square(L / n))
    for q, s in zip(p, r):
        far = cp.sum(cp.square(x[:-1, :] - q[None, :]), axis=1)
        constraints.append(far >= s**2)
    return cp.Problem(cp.Minimize(L), constraints), lambda: {"x": x.value, "L": L.value}, {}


MODELS = {
    "circles": lambda spec: models.circles(spec, packing),
    "circle_packing": lambda spec: models.circle_packing(spec, packing),
    "boolean": models.boolean,
    "path_planning": path_planning,
}


class Task:
    def __init__(self, model, preset):
        self.prob, self.point, _ = model
        self.preset = preset

    def run(self):
        self.prob.solve(solver=cp.UNO, nlp=True, preset=self.preset)
        stats = self.prob.solver_stats
        status = "converged" if self.prob.status == cp.OPTIMAL else self.prob.status
        return status, stats.num_iters or 0


class Solver:
    version = f"cvxpy {version('cvxpy')}, unopy {version('unopy')}"

    def __init__(self, preset="filtersqp"):
        self.preset = preset
        # Modules that the first solution loads are no part of a measurement.
        x = cp.Variable(2, value=[1.0, 2.0])
        far = [cp.sum_squares(x) >= 1]
        Task((cp.Problem(cp.Minimize(cp.sum(x)), [*far, x >= 0]), None, {}), preset).run()

    def prepare(self, spec):
        return Task(MODELS[spec.model](spec), self.preset)
