"""`prob.solve(solver=dcopt.DCOPT())`: dcopt's convex backends as a solver of CVXPY."""

from __future__ import annotations

from typing import Any

import cvxpy.settings as s
import numpy as np
import scipy.sparse as sp
from cvxpy.constraints import SOC, ExpCone, PowCone3D
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers import defines, utilities
from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver
from cvxpy.reductions.solvers.qp_solvers.qp_solver import QpSolver

from ._errors import DcoptError
from ._matrices import Matrices
from ._worker import Reply

try:  # the triangle of a matrix as a cone of its own, from 1.8 on
    from cvxpy.constraints import SvecPSD
    from cvxpy.utilities.psd_utils import TriangleKind
except ImportError as e:
    raise ImportError("dcopt.DCOPT needs CVXPY 1.8 or newer; method=\"dcopt\" works with older ones") from e

_STATUS = {
    "solved": s.OPTIMAL, "almost_solved": s.OPTIMAL_INACCURATE, "primal_infeasible": s.INFEASIBLE, "dual_infeasible": s.UNBOUNDED,
    "iteration_limit": s.USER_LIMIT, "time_limit": s.USER_LIMIT, "cancelled": s.USER_LIMIT, "numerical": s.SOLVER_ERROR,
}

_CITATION = """@misc{dcopt, title = {dcopt: difference-of-convex optimisation}, howpublished = {github.com/dcopt/dcopt}}"""


class _Solver:
    """What both solvers share: a problem that a worker keeps in the cache of a parametric
    problem, and the reading of its answer."""

    MIP_CAPABLE = False
    BOUNDED_VARIABLES = True
    DIMS: str  # names of CVXPY's own classes
    EQ_CONSTR: str
    NEQ_CONSTR: str
    VAR_ID: str

    def name(self) -> str:
        raise NotImplementedError

    def __call__(self) -> Any:
        return type(self)()

    def __instancecheck__(self, other: Any) -> bool:
        return isinstance(other, type(self))

    def import_solver(self) -> None:
        from ._worker import program

        program()

    def supports_quad_obj(self) -> bool:
        return True

    def cite(self, data: Any) -> str:
        return _CITATION

    def _run(self, form: str, P: Any, q: np.ndarray, A: Any, rows: int, vectors: dict[str, Any], cones: list[Any] | None, warm_start: bool,
             verbose: bool, solver_opts: dict[str, Any], solver_cache: dict[str, Any] | None) -> Reply:
        settings = {k: v for k, v in solver_opts.items() if k != "use_quad_obj"}
        problem = None
        if solver_cache is not None and warm_start:
            problem = solver_cache.get(self.name())
        if not isinstance(problem, Matrices):
            problem = Matrices()
        reply = problem.solve(form, q.size, P, q, A, rows, vectors, cones, settings, warm=warm_start)
        if solver_cache is not None:
            solver_cache[self.name()] = problem
        if verbose:
            print(f"dcopt: {reply['status']} after {reply['iterations']} iterations, residuals {reply['primal_residual']:.1e} "
                  f"and {reply['dual_residual']:.1e}, gap {reply['gap']:.1e}")
        return reply

    def invert(self, solution: Reply, inverse_data: Any) -> Solution:
        status = _STATUS.get(solution["status"])
        if status is None:
            raise DcoptError(f"the worker knows the status {solution['status']}, this package does not", "version")
        attr = {s.SOLVE_TIME: solution["seconds"]["solve"] if isinstance(solution["seconds"], dict) else solution["seconds"],
                s.NUM_ITERS: solution["iterations"], s.EXTRA_STATS: solution.header}
        y = solution.array("y")
        duals: dict[Any, Any] = {}
        if y is not None:
            k = inverse_data[self.DIMS].zero
            duals = utilities.get_dual_values(y[:k], utilities.extract_dual_value, inverse_data[self.EQ_CONSTR])
            duals |= utilities.get_dual_values(y[k:], utilities.extract_dual_value, inverse_data[self.NEQ_CONSTR])
        if status not in s.SOLUTION_PRESENT:
            return failure_solution(status, attr, duals)
        value = float(solution["objective"]) + inverse_data[s.OFFSET]
        return Solution(status, value, {inverse_data[self.VAR_ID]: np.array(solution.array("x"))}, duals, attr)


def _bounds(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[key] for name, key in (("lo", s.LOWER_BOUNDS), ("hi", s.UPPER_BOUNDS)) if data.get(key) is not None}


class QuadraticSolver(_Solver, QpSolver):
    """As DCOPT, for quadratic programs alone: CVXPY hands them over in the form of QP solvers.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable()
    >>> round(cp.Problem(cp.Minimize((x - 1) ** 2), [x >= 2]).solve(solver="DCOPT_QP"), 6)
    1.0
    """

    def name(self) -> str:
        return "DCOPT_QP"

    def solve_via_data(self, data: dict[str, Any], warm_start: bool, verbose: bool, solver_opts: dict[str, Any],
                       solver_cache: dict[str, Any] | None = None) -> Reply:
        b, g = np.asarray(data[s.B], dtype=float), np.asarray(data[s.G], dtype=float)
        vectors = {"l": np.concatenate([b, np.full(g.size, -np.inf)]), "u": np.concatenate([b, g]), **_bounds(data)}
        if not b.size + g.size:
            vectors = _bounds(data)
        rows = sp.vstack([data[s.A], data[s.F]], format="csc")
        return self._run("qp", data.get(s.P), np.asarray(data[s.Q], dtype=float), rows, b.size + g.size, vectors, None, warm_start, verbose,
                         solver_opts, solver_cache)


class ConeSolver(_Solver, ConicSolver):
    """dcopt's convex backends as a solver of CVXPY 1.8 or newer: `prob.solve(solver="DCOPT")`, `solver=dcopt.DCOPT` or `solver=dcopt.DCOPT()`.

    Options of `prob.solve` are tol, infeas_tol, max_iter, backend, presolve and time_limit, as docs/protocol.md has them.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable()
    >>> prob = cp.Problem(cp.Minimize((x - 1) ** 2), [x >= 2])
    >>> round(prob.solve(solver="DCOPT", tol=1e-9), 6)
    1.0
    """

    SUPPORTED_CONSTRAINTS = ConicSolver.SUPPORTED_CONSTRAINTS + [SOC, ExpCone, PowCone3D, SvecPSD]
    EXP_CONE_ORDER = [0, 1, 2]
    PSD_TRIANGLE_KIND = TriangleKind.UPPER
    PSD_SQRT2_SCALING = True

    def name(self) -> str:
        return "DCOPT"

    def apply(self, problem: Any) -> tuple[dict[str, Any], Any]:
        data, inverse = super().apply(problem)
        data["n_ineq"] = data[self.DIMS].nonneg  # as the data of QP solvers have it
        return data, inverse

    def solve_via_data(self, data: dict[str, Any], warm_start: bool, verbose: bool, solver_opts: dict[str, Any],
                       solver_cache: dict[str, Any] | None = None) -> Reply:
        dims = data[ConicSolver.DIMS]
        cones: list[Any] = []
        if dims.zero:
            cones.append(["zero", int(dims.zero)])
        if dims.nonneg:
            cones.append(["nonneg", int(dims.nonneg)])
        cones += [["soc", int(k)] for k in dims.soc]
        cones += [["psd", int(k)] for k in dims.psd]
        if dims.exp:
            cones.append(["exp", 3 * int(dims.exp)])
        cones += [["pow", 3, float(a)] for a in dims.p3d]
        c, b = np.asarray(data[s.C], dtype=float), np.asarray(data[s.B], dtype=float)
        return self._run("conic", data.get(s.P), c, data[s.A], b.size, {"b": b, **_bounds(data)}, cones, warm_start, verbose, solver_opts, solver_cache)


# CVXPY takes a name or an object, so both of these are objects; a call makes another one, as a call of a class does.
DCOPT = ConeSolver()
DCOPT_QP = QuadraticSolver()


def register() -> None:
    """Makes `prob.solve(solver="DCOPT")` known to CVXPY, which takes another solver unless it is asked for this one."""
    defines.SOLVER_MAP_CONIC["DCOPT"] = DCOPT
    defines.SOLVER_MAP_QP["DCOPT_QP"] = DCOPT_QP
