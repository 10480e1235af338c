"""HiGHS: its active set method for quadratic programs, its choice for linear
ones."""

from dataclasses import dataclass
from importlib.metadata import version

import highspy
import numpy as np

from forms import Rows, split


@dataclass
class Data:
    model: highspy.HighsModel
    kept: np.ndarray  # rows of the model
    rows: Rows
    m: int


class Solver:
    version = version("highspy")
    modes = ("fresh",)

    def translate(self, p):
        r, inf = split(p), highspy.kHighsInf
        kept = np.sort(np.concatenate([r.equal, r.general]))
        a = p.A.tocsr()[kept].tocsc()
        model = highspy.HighsModel()
        lp = model.lp_
        lp.num_col_, lp.num_row_ = a.shape[1], a.shape[0]
        lp.col_cost_ = p.q
        lp.col_lower_, lp.col_upper_ = np.clip(r.lower, -inf, inf), np.clip(r.upper, -inf, inf)
        lp.row_lower_, lp.row_upper_ = p.l[kept], p.u[kept]
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = a.indptr, a.indices, a.data
        if p.P.nnz:
            lower = p.P.T.tocsc()
            lower.sort_indices()
            h = model.hessian_
            h.dim_, h.format_ = p.P.shape[0], highspy.HessianFormat.kTriangular
            h.start_, h.index_, h.value_ = lower.indptr, lower.indices, lower.data
        return Data(model, kept, r, len(p.l))

    def setup(self, data, tol, limit):
        self.solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("time_limit", limit)):
            self.solver.setOptionValue(name, value)
        if tol:
            tol = max(tol, 1e-10)  # the least that HiGHS accepts
            self.solver.setOptionValue("primal_feasibility_tolerance", tol)
            self.solver.setOptionValue("dual_feasibility_tolerance", tol)
        if self.solver.passModel(data.model) == highspy.HighsStatus.kError:
            raise ValueError("the model was not accepted")

    def solve(self):
        self.solver.run()

    def answer(self, data, _):
        info, sol, r = self.solver.getInfo(), self.solver.getSolution(), data.rows
        status = self.solver.getModelStatus()
        word = self.solver.modelStatusToString(status).lower().replace(" ", "_")
        if status == highspy.HighsModelStatus.kOptimal:
            word = "solved"
        x, y = np.zeros(len(r.lower)), np.zeros(data.m)
        if sol.value_valid:
            x = np.array(sol.col_value)
        if sol.dual_valid:
            y[data.kept] = -np.array(sol.row_dual)
            y[r.box] = -np.array(sol.col_dual)[r.column] / r.scale
        return word, max(info.qp_iteration_count, info.simplex_iteration_count), x, y
