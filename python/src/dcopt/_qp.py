"""Quadratic programs, with the signature of the package qpsolvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import CurvatureError, ProblemError
from ._matrices import Matrices, real


_MISSING = "Replace or leave out what is missing in the data."


def _stack(a: Any, b: Any) -> Any:
    if a is None:
        return b
    if b is None:
        return a
    if hasattr(a, "tocsc") or hasattr(b, "tocsc"):
        import scipy.sparse as sp

        return sp.vstack([sp.csc_array(a), sp.csc_array(b)], format="csc")
    return np.vstack([np.atleast_2d(a), np.atleast_2d(b)])


def _rows(left: str, a: Any, right: str, c: Any, n: int) -> tuple[Any, np.ndarray]:
    """Rows with their right sides."""
    if a is None:
        return None, np.zeros(0)
    a = a if hasattr(a, "tocsc") else np.atleast_2d(real(left, a))
    c = real(right, c).reshape(-1)
    if a.ndim != 2 or a.shape[1] != n:
        raise ProblemError(f"{left} has the shape {a.shape}, want {n} columns", "problem")
    if c.size != a.shape[0]:
        raise ProblemError(f"{right} has {c.size} entries, {left} has {a.shape[0]} rows", "problem")
    return a, c


def solve_qp(P: Any, q: Any, G: Any = None, h: Any = None, A: Any = None, b: Any = None, lb: Any = None, ub: Any = None,
             initvals: Any = None, verbose: bool = False, **settings: Any) -> np.ndarray | None:
    """Minimises x'Px/2 + q'x over Gx <= h, Ax = b, lb <= x <= ub.

    Args:
        P: symmetric n by n, positive semidefinite; dense or SciPy's sparse; None: 0.
        q: n numbers.
        G, h, A, b: rows and right sides; None: none.
        lb, ub: bounds; infinite, or None, for none.
        initvals: a point to start from, or None.
        **settings: tol, max_iter, backend, time_limit, presolve: docs/protocol.md.

    Returns: the solution, n numbers; None where there is none, or none was found.
    Raises: DcoptError for numbers that make no problem, such as NaN or a P that is not convex.
    """
    q = real("q", q).reshape(-1)
    if np.isnan(q).any():  # also of None
        raise ProblemError("q contains NaN", "problem", _MISSING)
    n = q.size
    for (left, a), (right, c) in ((("G", G), ("h", h)), (("A", A), ("b", b))):
        if (a is None) != (c is None):
            raise ProblemError(f"{left} without {right}" if c is None else f"{right} without {left}", "problem", f"Give both {left} and {right}, or neither.")
    G, h = _rows("G", G, "h", h, n)
    A, b = _rows("A", A, "b", b, n)
    rows = _stack(G, A)
    m = 0 if rows is None else rows.shape[0]
    vectors = {}
    if m:
        vectors = {"l": np.concatenate([np.full(h.size, -np.inf), b]), "u": np.concatenate([h, b])}
    for name, argument, v in (("lo", "lb", lb), ("hi", "ub", ub)):
        if v is not None:
            v = real(argument, v).reshape(-1)
            if v.size not in (1, n):
                raise ProblemError(f"{argument} has {v.size} entries, want {n} or 1", "problem")
            vectors[name] = np.broadcast_to(v, (n,))
    start = None
    if initvals is not None:
        start = {"x": real("initvals", initvals).reshape(-1)}
        if start["x"].size != n:
            raise ProblemError(f"initvals has {start['x'].size} entries, want {n}", "problem")
    for name, v in (("P", P), ("G", G), ("h", h), ("A", A), ("b", b), ("lb", lb), ("ub", ub), ("initvals", initvals)):
        numbers = np.asarray(v.data if hasattr(v, "tocsc") else 0 if v is None else v)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            raise ProblemError(f"{name} contains NaN", "problem", _MISSING)
    try:
        reply = Matrices().solve("qp", n, P, q, rows, m, vectors, settings=settings, start=start)
    except CurvatureError as e:
        raise CurvatureError("P has negative curvature: the problem is not convex", e.kind,
                             "With CVXPY, prob.solve(method=\"dcopt\") takes differences of convex functions.") from e
    if verbose:
        print(f"dcopt: {reply['status']} after {reply['iterations']} iterations")
    if reply["status"] not in ("solved", "almost_solved"):
        return None
    x = reply.array("x")
    return None if x is None else np.array(x)
