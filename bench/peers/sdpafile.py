"""Programs that take a file in SDPA's sparse format: the file, and a run."""

import os
import resource
import shutil
import subprocess
import tempfile
import time

import numpy as np


class External:
    """A program on PATH, one thread, in a folder of its own."""

    modes = ("fresh",)
    cones = ("semidefinite",)

    def __init__(self, program, package):
        self.program = shutil.which(program)
        if not self.program:
            raise RuntimeError(f"{program} is not on PATH; Debian has it in the package {package}")
        run = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True
        )
        self.version = run.stdout.strip() or "unknown"

    @staticmethod
    def cpu():
        """Processor time of this process and of those that have ended below it."""
        t = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + t.ru_utime + t.ru_stime

    def translate(self, p):
        return File(p)

    def setup(self, data, tol, limit):
        self.dir = tempfile.mkdtemp()
        self.limit = limit
        os.link(data.path, os.path.join(self.dir, "p.dat-s"))
        with open(os.path.join(self.dir, self.parameters[0]), "w") as f:
            f.write(self.parameters[1](tol))

    def solve(self):
        env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        args = [self.program] + self.arguments
        try:
            run = subprocess.run(
                args, cwd=self.dir, env=env, capture_output=True, text=True, timeout=self.limit
            )
            return run.stdout
        except subprocess.TimeoutExpired:
            return None

    def answer(self, data, raw):
        path = os.path.join(self.dir, "p.out")
        nothing = np.zeros(data.n), np.zeros(data.m)
        try:
            if raw is None:
                return ("time_limit", 0, *nothing)
            if not os.path.exists(path):
                return ("failed", 0, *nothing)
            with open(path) as f:
                status, iterations, x, blocks = self.read(data, raw, f.read())
            return status, iterations, x, data.dual(blocks)
        finally:
            shutil.rmtree(self.dir)


class File:
    """The problem in a file: the semidefinite cones in their order, and a diagonal block
    with the sides of the other rows."""

    def __init__(self, p):
        if p.P.nnz:
            raise ValueError("a quadratic objective has no form in .dat-s")
        self.m, self.n = p.A.shape
        coned = np.zeros(self.m, dtype=bool)
        for c in p.cones:
            coned[c.rows] = True
        lower = np.flatnonzero(~coned & np.isfinite(p.l))
        upper = np.flatnonzero(~coned & np.isfinite(p.u))
        self.cones, self.lower, self.upper = p.cones, lower, upper
        self.sizes = [c.order for c in p.cones]
        sides = len(lower) + len(upper)
        if sides:
            self.sizes.append(-sides)
        # Block, row, column and factor of each row of p, and once more for upper sides.
        block, i, j = (np.zeros(self.m, dtype=int) for _ in range(3))
        factor = np.ones(self.m)
        for k, c in enumerate(p.cones):
            a, b = np.triu_indices(c.order)
            at = c.start + b * (b + 1) // 2 + a
            block[at], i[at], j[at] = k + 1, a + 1, b + 1
            factor[at] = np.where(a == b, 1, np.sqrt(0.5))
        block[lower], i[lower], j[lower] = len(self.sizes), *2 * [1 + np.arange(len(lower))]
        fd, self.path = tempfile.mkstemp(suffix=".dat-s")
        with os.fdopen(fd, "w") as f:
            f.write(f"{self.n}\n{len(self.sizes)}\n{' '.join(map(str, self.sizes))}\n")
            f.write(" ".join(repr(float(v)) for v in p.q) + "\n")
            below = coned.copy()
            below[lower] = True

            def entries(k, rows, values):
                for r, v in zip(rows, values):
                    if below[r] and v:
                        f.write(f"{k} {block[r]} {i[r]} {j[r]} {float(factor[r] * v)!r}\n")
                    if place[r] and v:
                        f.write(f"{k} {len(self.sizes)} {place[r]} {place[r]} {float(-v)!r}\n")

            place = np.zeros(self.m, dtype=int)
            place[upper] = 1 + len(lower) + np.arange(len(upper))
            for r in range(self.m):
                if below[r] and p.l[r]:
                    f.write(f"0 {block[r]} {i[r]} {j[r]} {float(factor[r] * p.l[r])!r}\n")
                if place[r] and p.u[r]:
                    f.write(f"0 {len(self.sizes)} {place[r]} {place[r]} {float(-p.u[r])!r}\n")
            for k in range(self.n):
                at = slice(p.A.indptr[k], p.A.indptr[k + 1])
                entries(k + 1, p.A.indices[at], p.A.data[at])

    def __del__(self):
        if hasattr(self, "path"):
            os.unlink(self.path)

    def empty(self):
        """A matrix for each block, of the diagonal one a vector."""
        return [np.zeros((s, s)) if s > 0 else np.zeros(-s) for s in self.sizes]

    def dual(self, blocks):
        y = np.zeros(self.m)
        for c, X in zip(self.cones, blocks):
            a, b = np.triu_indices(c.order)
            y[c.start + b * (b + 1) // 2 + a] = -X[a, b] * np.where(a == b, 1, np.sqrt(2))
        if len(blocks) > len(self.cones):
            y[self.lower] -= blocks[-1][: len(self.lower)]
            y[self.upper] += blocks[-1][len(self.lower) :]
        return y
