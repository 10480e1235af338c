"""`prob.solve(solver=dcopt.DCOPT())`: dcopt's convex backends as a solver of CVXPY."""

from __future__ import annotations

from typing import Any

import cvxpy.settings as s
import numpy as np
from cvxpy.constraints import SOC, ExpCone, PowCone3D
from cvxpy.reductions.solution import Solution, failure_solution
from cvxpy.reductions.solvers import utilities
from cvxpy.reductions.solvers.conic_solvers.conic_solver import ConicSolver

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


class DCOPT(ConicSolver):
    """An instance is a solver: `prob.solve(solver=dcopt.DCOPT(), tol=1e-9)`. Options: tol,
    infeas_tol, max_iter, backend, presolve, time_limit, as docs/protocol.md has them."""

    MIP_CAPABLE = False
    BOUNDED_VARIABLES = True
    SUPPORTED_CONSTRAINTS = ConicSolver.SUPPORTED_CONSTRAINTS + [SOC, ExpCone, PowCone3D, SvecPSD]
    EXP_CONE_ORDER = [0, 1, 2]
    PSD_TRIANGLE_KIND = TriangleKind.UPPER
    PSD_SQRT2_SCALING = True

    def name(self) -> str:
        return "DCOPT"

    def import_solver(self) -> None:
        from ._worker import program

        program()

    def supports_quad_obj(self) -> bool:
        return True

    def cite(self, data: Any) -> str:
        return _CITATION

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
        vectors = {"b": b}
        for name, key in (("lo", s.LOWER_BOUNDS), ("hi", s.UPPER_BOUNDS)):
            if data.get(key) is not None:
                vectors[name] = data[key]
        settings = {k: v for k, v in solver_opts.items() if k != "use_quad_obj"}
        problem = None
        if solver_cache is not None and warm_start:
            problem = solver_cache.get(self.name())
        if not isinstance(problem, Matrices):
            problem = Matrices()
        reply = problem.solve("conic", c.size, data.get(s.P), c, data[s.A], b.size, vectors, cones, settings, warm=warm_start)
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
            k = inverse_data[ConicSolver.DIMS].zero
            duals = utilities.get_dual_values(y[:k], utilities.extract_dual_value, inverse_data[self.EQ_CONSTR])
            duals |= utilities.get_dual_values(y[k:], utilities.extract_dual_value, inverse_data[self.NEQ_CONSTR])
        if status not in s.SOLUTION_PRESENT:
            return failure_solution(status, attr, duals)
        value = float(solution["objective"]) + inverse_data[s.OFFSET]
        return Solution(status, value, {inverse_data[self.VAR_ID]: np.array(solution.array("x"))}, duals, attr)
