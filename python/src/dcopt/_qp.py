"""Quadratic programs, with the signature of the package qpsolvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import DcoptError
from ._matrices import Matrices


def _stack(a: Any, b: Any) -> Any:
    if a is None:
        return b
    if b is None:
        return a
    if hasattr(a, "tocsc") or hasattr(b, "tocsc"):
        import scipy.sparse as sp

        return sp.vstack([sp.csc_array(a), sp.csc_array(b)], format="csc")
    return np.vstack([np.atleast_2d(a), np.atleast_2d(b)])


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
    q = np.asarray(q, dtype=float).reshape(-1)
    n = q.size
    if (G is None) != (h is None) or (A is None) != (b is None):
        raise DcoptError("rows without right sides, or right sides without rows", "problem", "Give both G and h, and both A and b.")
    two = lambda m: m if m is None or hasattr(m, "tocsc") else np.atleast_2d(np.asarray(m, dtype=float))  # noqa: E731
    G, A = two(G), two(A)
    rows = _stack(G, A)
    m = 0 if rows is None else rows.shape[0]
    h = np.zeros(0) if h is None else np.asarray(h, dtype=float).reshape(-1)
    b = np.zeros(0) if b is None else np.asarray(b, dtype=float).reshape(-1)
    vectors = {}
    if m:
        vectors = {"l": np.concatenate([np.full(h.size, -np.inf), b]), "u": np.concatenate([h, b])}
    for name, v in (("lo", lb), ("hi", ub)):
        if v is not None:
            vectors[name] = np.broadcast_to(np.asarray(v, dtype=float), (n,))
    start = None if initvals is None else {"x": np.asarray(initvals, dtype=float).reshape(-1)}
    reply = Matrices().solve("qp", n, P, q, rows, m, vectors, settings=settings, start=start)
    if verbose:
        print(f"dcopt: {reply['status']} after {reply['iterations']} iterations")
    if reply["status"] not in ("solved", "almost_solved"):
        return None
    x = reply.array("x")
    return None if x is None else np.array(x)
