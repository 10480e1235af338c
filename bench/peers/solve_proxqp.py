"""ProxQP: dense up to DENSE variables and rows together, where its authors prefer that, else sparse."""

import numpy as np
import proxsuite
from importlib.metadata import version
from scipy import sparse

from forms import split

DENSE = 1000  # variables and rows


class Solver:
    version = version("proxsuite")
    modes = ("fresh",)

    def translate(self, p):
        r, a = split(p), p.A.tocsr()
        P = (p.P + p.P.T).tocsc()
        P.setdiag(p.P.diagonal())
        n, box = len(p.q), np.flatnonzero(np.isfinite(r.lower) | np.isfinite(r.upper))
        # The sparse solver has no bounds of variables.
        eye = sparse.identity(n, format="csr")[box]
        c = sparse.vstack([a[r.general], eye], format="csc")
        lower = np.concatenate([p.l[r.general], r.lower[box]])
        upper = np.concatenate([p.u[r.general], r.upper[box]])
        lower, upper = np.maximum(lower, -1e20), np.minimum(upper, 1e20)
        e = a[r.equal].tocsc()
        self.dense = n + len(p.l) <= DENSE
        if self.dense:
            P, e, c = P.toarray(), e.toarray(), c.toarray()
        return (P, p.q, e, p.u[r.equal], c, lower, upper), r, box, len(p.l)

    def setup(self, data, tol, limit):
        P, q, e, b, c, lower, upper = data[0]
        kind = proxsuite.proxqp.dense if self.dense else proxsuite.proxqp.sparse
        self.solver = kind.QP(len(q), len(b), len(lower))
        if tol:
            s = self.solver.settings
            s.eps_abs, s.eps_rel, s.max_iter = tol, 0, 10**5
            s.check_duality_gap, s.eps_duality_gap_abs, s.eps_duality_gap_rel = True, tol, 0
        self.solver.init(P, q, e, b, c, lower, upper)

    def solve(self):
        self.solver.solve()
        return self.solver.results

    def answer(self, data, res):
        _, r, box, m = data
        y = np.zeros(m)
        y[r.equal] = res.y
        z, k = np.asarray(res.z), len(r.general)
        y[r.general] = z[:k]
        of_variable = np.zeros(len(res.x))
        of_variable[box] = z[k:]
        y[r.box] = of_variable[r.column] / r.scale
        status = str(res.info.status).split(".")[-1].removeprefix("PROXQP_").lower()
        return status, res.info.iter, np.array(res.x), y
