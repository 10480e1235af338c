"""The problem as dcbench writes it, and the forms that solvers want.

    minimise 1/2 x'Px + q'x + r  over  l <= Ax <= u, and Ax - l in K on the rows of a cone K

A dual y has y[i] > 0 where u[i] holds, so that Px + q + A'y = 0; -y is in the
dual cone.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

# Bounds of this size and beyond are absent.
INFINITY = 1e20


# Kinds of cones, by number.
CONES = ("second-order", "exponential", "power", "semidefinite")


@dataclass
class Cone:
    """A x - l in K for the rows start <= i < start + len:

    second-order  s0 >= |(s1, ...)|
    exponential   s2 >= s1 exp(s0 / s1)
    power         s0^alpha s1^(1 - alpha) >= |s2|
    semidefinite  upper triangle by columns, entries off the diagonal times sqrt(2)
    """

    kind: str
    start: int
    len: int
    alpha: float

    @property
    def rows(self):
        return np.arange(self.start, self.start + self.len)

    @property
    def order(self):
        """Of the matrices of a semidefinite cone."""
        return (int(np.sqrt(8 * self.len + 1)) - 1) // 2


@dataclass
class Problem:
    P: sparse.csc_matrix  # upper triangle
    q: np.ndarray
    A: sparse.csc_matrix
    l: np.ndarray
    u: np.ndarray
    cones: list

    @staticmethod
    def read(path):
        data = np.fromfile(path, dtype="<i8")
        if data[0] != int.from_bytes(b"dcopt-qp", "little"):
            raise ValueError(f"{path} is no problem of dcbench")
        n, m, nnz_p, nnz_a, cones = (int(v) for v in data[1:6])
        at = 7  # after the constant r, which no solver needs

        def take(count, dtype):
            nonlocal at
            at += count
            return data[at - count : at].view(dtype).copy()

        def matrix(rows, nnz):
            ptr, idx, val = take(n + 1, "<i8"), take(nnz, "<i8"), take(nnz, "<f8")
            return sparse.csc_matrix(
                (val, idx.astype(np.int32), ptr.astype(np.int32)), shape=(rows, n)
            )

        q, l, u = take(n, "<f8"), take(m, "<f8"), take(m, "<f8")
        P, A = matrix(n, nnz_p), matrix(m, nnz_a)
        l[l <= -INFINITY], u[u >= INFINITY] = -np.inf, np.inf
        found = []
        for _ in range(cones):
            kind, start, rows = (int(v) for v in take(3, "<i8"))
            found.append(Cone(CONES[kind], start, rows, float(take(1, "<f8")[0])))
        return Problem(P, q, A, l, u, found)


@dataclass
class Rows:
    """A x split into equations, inequalities, and bounds of single variables.
    Rows without bounds are in none."""

    equal: np.ndarray  # rows with l = u
    general: np.ndarray  # other rows with a bound
    box: np.ndarray  # rows that became bounds of a variable,
    column: np.ndarray  # which one,
    scale: np.ndarray  # and its coefficient
    lower: np.ndarray  # bounds of the variables
    upper: np.ndarray


def split(p):
    """Of the rows with one entry, the first of each variable that is no
    equation is its bound."""
    m, n = p.A.shape
    rows = p.A.tocsr()
    bounded = np.isfinite(p.l) | np.isfinite(p.u)
    is_equal = p.l == p.u
    single = np.flatnonzero((np.diff(rows.indptr) == 1) & bounded & ~is_equal)
    at = rows.indptr[single]
    column, scale = rows.indices[at], rows.data[at]
    single, column, scale = (v[scale != 0] for v in (single, column, scale))
    column, first = np.unique(column, return_index=True)
    single, scale = single[first], scale[first]
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    a, b = p.l[single] / scale, p.u[single] / scale
    lower[column], upper[column] = np.minimum(a, b), np.maximum(a, b)
    is_box = np.zeros(m, dtype=bool)
    is_box[single] = True
    return Rows(
        equal=np.flatnonzero(is_equal),
        general=np.flatnonzero(bounded & ~is_equal & ~is_box),
        box=single,
        column=column,
        scale=scale,
        lower=lower,
        upper=upper,
    )


@dataclass
class Conic:
    """A x + s = b, s zero in the first rows, nonnegative in the next ones, and in
    the cones, one after another, in the others."""

    A: sparse.csc_matrix
    b: np.ndarray
    equal: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    coned: np.ndarray  # the rows of p in cones, as they stand here
    cones: list
    m: int

    def dual(self, z):
        y = np.zeros(self.m)
        k = len(self.equal)
        h = k + len(self.upper)
        c = h + len(self.lower)
        y[self.equal] = z[:k]
        y[self.upper] += z[k:h]
        y[self.lower] -= z[h:c]
        y[self.coned] = -z[c:]
        return y


def conic(p, order=CONES, triangle=lambda cone: cone.rows):
    """Cones by kind as in order; triangle gives the rows of a semidefinite one in
    the order that a solver wants them in."""
    cones = sorted(p.cones, key=lambda cone: order.index(cone.kind))
    taken = [triangle(c) if c.kind == "semidefinite" else c.rows for c in cones]
    coned = np.concatenate([np.zeros(0, dtype=int), *taken])
    plain = np.ones(len(p.l), dtype=bool)
    plain[coned] = False
    is_equal = p.l == p.u
    equal = np.flatnonzero(is_equal & plain)
    upper = np.flatnonzero(np.isfinite(p.u) & ~is_equal & plain)
    lower = np.flatnonzero(np.isfinite(p.l) & ~is_equal & plain)
    rows = p.A.tocsr()
    A = sparse.vstack([rows[equal], rows[upper], -rows[lower], -rows[coned]], format="csc")
    A.sort_indices()
    b = np.concatenate([p.u[equal], p.u[upper], -p.l[lower], -p.l[coned]])
    return Conic(A, b, equal, upper, lower, coned, cones, len(p.l))


def lower_triangle(cone):
    """The rows of a semidefinite cone in the order of the lower triangle by
    columns, which is that of the upper one by rows."""
    k = cone.order
    i, j = np.triu_indices(k)
    return cone.start + j * (j + 1) // 2 + i
