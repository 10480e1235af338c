"""The convex-concave procedure by hand over Clarabel's interface for matrices."""

from importlib.metadata import version

import clarabel
import numpy as np
from scipy import sparse

import hand


class Backend:
    def form(self, m):
        """Ax + s = b with s >= 0 but for equations."""
        b = np.concatenate([m.u[self.equal], m.u[self.upper], -m.l[self.lower]])
        data = np.concatenate([[0.0], m.A.data])
        self.A.data[:] = self.sign * data[self.source]
        return b

    def setup(self, m):
        is_equal = m.l == m.u
        self.equal = np.flatnonzero(is_equal)
        self.upper = np.flatnonzero(np.isfinite(m.u) & ~is_equal)
        self.lower = np.flatnonzero(np.isfinite(m.l) & ~is_equal)
        at = sparse.csc_matrix((np.arange(1.0, m.A.nnz + 1), m.A.indices, m.A.indptr), shape=m.A.shape).tocsr()
        self.A = sparse.vstack([at[self.equal], at[self.upper], -at[self.lower]], format="csc")
        self.A.sort_indices()
        self.source, self.sign = np.abs(self.A.data).astype(int), np.sign(self.A.data)
        b = self.form(m)
        s = clarabel.DefaultSettings()
        s.verbose, s.max_threads = False, 1
        s.presolve_enable = s.input_sparse_dropzeros = False  # either would forbid updates
        cones = [clarabel.ZeroConeT(len(self.equal)), clarabel.NonnegativeConeT(len(self.upper) + len(self.lower))]
        self.solver = clarabel.DefaultSolver(m.P, m.q, self.A, b, cones, s)

    def update(self, m):
        if m.changes_rows:
            b = self.form(m)
            self.solver.update(q=m.q, A=self.A, b=b)
        else:
            self.solver.update(q=m.q)

    def solve(self):
        res = self.solver.solve()
        usable = res.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved)
        return np.array(res.x) if usable else None


class Solver:
    version = version("clarabel")

    def prepare(self, spec):
        return hand.Task(spec, Backend, 1e-6)
