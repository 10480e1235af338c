"""DCCP with its defaults and what the authors of a problem chose; as dccp-tau1
with the first weight 1 instead of 0.005; as dccp-tau1rows so, where the constraints
can be stated many at a time, which its authors do not."""

from importlib.metadata import version

import cvxpy as cp
from dccp.problem import DCCP, DCCPSettings, _suppress_sparse_value_warning

from models import BY_ROWS, MODELS


class Task:
    def __init__(self, model, options):
        self.prob, self.point, own = model
        self.settings = DCCPSettings(**{"seed": 0, **own, **options})

    def run(self):
        # What dccp.dccp does, with the number of iterations kept.
        solver = DCCP(self.prob, settings=self.settings)
        with _suppress_sparse_value_warning():
            solver()
        status = "converged" if self.prob.status == cp.OPTIMAL else self.prob.status
        return status, solver.iter.k


class Solver:
    version = f"{version('dccp')}, cvxpy {version('cvxpy')}"

    def __init__(self, start=""):
        self.options = {"tau_ini": 1.0} if start else {}
        self.models = BY_ROWS if start == "tau1rows" else MODELS
        # Modules that the first solution loads are no part of a measurement.
        x = cp.Variable(2, value=[1.0, 2.0])
        self.warm = Task((cp.Problem(cp.Minimize(cp.norm1(x)), [cp.norm2(x) >= 1]), None, {}), {})
        self.warm.run()

    def prepare(self, spec):
        return Task(self.models[spec.model](spec), self.options)
