"""`prob.solve(method="dcopt")`: CVXPY problems as they are, solved by dcopt."""

from __future__ import annotations

import os
import threading
import time
import warnings
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping

import cvxpy as cp
import numpy as np
from cvxpy import settings as s
from cvxpy.expressions.expression import Expression
from cvxpy.reductions.solution import Solution

from . import _derivative
from ._errors import CurvatureError, DcoptError, UnsupportedError, checked
from ._graph import Loaded, flat
from ._lower import Lowered, ParameterWithoutValue, lower
from ._result import Callback, number, outcome, teller
from ._settings import Settings, names
from ._worker import Buffers, Reply, in_time, left, operations

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The names of DCCP for settings of dcopt.
_DCCP = {"max_iter": "max_iter", "tau_ini": "tau0", "mu": "mu", "tau_max": "tau_max", "k_ccp": "starts", "seed": "seed"}
_DCCP_IGNORED = {"ep", "max_slack", "parallel", "max_workers", "linearize_around", "verify_dccp", "max_iter_damp", "k_ini", "std",
                 "mp_context"}

_SETTINGS = names(Settings)


@dataclass
class SolverStats:
    """`prob.solver_stats` after a solve.

    Attributes
    ----------
    solver_name : str
        "dcopt".
    solve_time, setup_time : float
        Seconds of the solve, and of the translation before it.
    num_iters : int
        Iterations.
    extra_stats : dict
        All that the program reports: status, objective_error, max_violation, feasible, starts, message, seconds, bound, gap, ...
    """

    solver_name: str
    solve_time: float | None = None
    setup_time: float | None = None
    num_iters: int | None = None
    extra_stats: dict[str, Any] = field(default_factory=dict)


_ATTRIBUTE = "_dcopt"


class _Kept:
    """A problem that has been translated. Its parameters may change; nothing else can. The problem has it as an
    attribute, and both end together; a table by problems would keep them for ever, as a translation may refer to its problem."""

    def __init__(self, problem: cp.Problem, gp: bool = False) -> None:
        self._of = weakref.ref(problem)
        # The problem that dcopt has, and CVXPY's reduction to it: of complex numbers to real
        # ones, or of a geometric program to its logarithms.
        self.real, self.gp = problem, gp
        self.reduced: Any = None
        parts: list[tuple[Any, Any]] = []
        if problem.is_mixed_integer():
            v = next(v for v in problem.variables() if v.attributes["boolean"] or v.attributes["integer"])
            raise UnsupportedError("boolean and integer variables are not supported", "unsupported",
                                   "State a 0-1 variable as 0 <= x <= 1 with x*x == x; dcopt then looks for a local minimum.", v.name())
        if gp:
            self.real, self.reduced = _logarithms(problem)
        elif any(leaf.is_complex() for leaf in problem.variables() + problem.parameters() + problem.constants()):
            self.real, self.reduced = _real_parts(problem)
            of = {c.id: c for c in self.real.constraints}
            for real, imag in self.reduced[1].real2imag.items():
                if real in of and imag in of:
                    parts += zip(of[real].args, of[imag].args)
        self.lowered: Lowered = lower(self.real, parts=parts)
        self.loaded = Loaded(self.lowered.graph, self.lowered.names)
        if self.lowered.disciplined and not self.loaded.load():
            # Convex by the rules of CVXPY, not by dcopt's splits of compositions: each function
            # of what is not affine is stated by cones.
            self.lowered = lower(self.real, conic=True, parts=parts)
            self.loaded = Loaded(self.lowered.graph, self.lowered.names)
        # Of each variable its places in a point, and whether its value is the array that stands there.
        self.places: list[tuple[Any, int, int, bool]] = []
        at = 0
        for v in self.lowered.variables:
            plain = not v.attributes.get("diag") and getattr(v, "sparse_idx", None) is None
            self.places.append((v, at, at + v.size, plain))
            at += v.size
        self.chain: Any = None  # of derivatives, made when first needed
        self.values: list[tuple[Any, Any]] = []  # of the parameters at the last solve for them
        # The values that the last solve of a convex problem has given, where nothing stands between them
        # and the problem's variables.
        self.left: list[Any] | None = None

    @staticmethod
    def of(problem: cp.Problem) -> _Kept | None:
        """The last translation of the problem; None where it has none, or that of the problem it is a copy of."""
        kept = problem.__dict__.get(_ATTRIBUTE)
        return kept if kept is not None and kept._of() is problem else None

    def __reduce__(self) -> Any:
        return type(None), ()  # copies and pickles of the problem are translated anew

    def at_last(self) -> bool:
        """Whether the variables of a convex problem are as the last solve has left them: the worker has that point."""
        return self.left is not None and self.loaded.convex and all(v.value is x for (v, _, _, _), x in zip(self.places, self.left))


def _real_parts(problem: cp.Problem) -> tuple[cp.Problem, Any]:
    from cvxpy.reductions.complex2real.complex2real import Complex2Real

    reduction = Complex2Real()
    real, inverse = reduction.apply(problem)
    return real, (reduction, inverse)


def _logarithms(problem: cp.Problem) -> tuple[cp.Problem, Any]:
    from cvxpy.reductions.dgp2dcp.dgp2dcp import Dgp2Dcp

    if not problem.is_dgp():
        raise CurvatureError("the problem is not geometric by the rules of CVXPY", "curvature", "Leave gp=True out; dcopt needs no rules.")
    reduction = Dgp2Dcp(problem)
    real, inverse = reduction.apply(problem)
    return real, (reduction, inverse)


# CVXPY counts the variables that it makes, and has flags for the way it reads parameters: one thread translates at a time.
_translating = threading.RLock()


def _after_fork() -> None:
    global _translating
    _translating = threading.RLock()  # a thread that is not in the child may hold the first


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def translated(problem: cp.Problem, gp: bool = False) -> _Kept:
    """The translation of a problem: the last one, if it still holds."""
    with _translating:
        return _translated(problem, gp)


def _translated(problem: cp.Problem, gp: bool) -> _Kept:
    kept = _Kept.of(problem)
    if kept is not None and kept.reduced is not None and problem.parameters():
        update = getattr(kept.reduced[0], "update_parameters", None)  # from CVXPY 1.7 on
        if update is None:
            kept = None
        elif all(p.value is not None for p in problem.parameters()):
            update(problem)
    if kept is None or kept.gp != gp or kept.lowered.fixed and kept.lowered.changed():
        kept = _Kept(problem, gp)
        problem.__dict__[_ATTRIBUTE] = kept
    return kept


def settings_of(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the program that keywords of dcopt and of DCCP give."""
    settings: dict[str, Any] = {}
    if keywords.get("solver") is not None:
        raise DcoptError('solver= has no meaning beside method="dcopt"', "request",
                         "Leave one of the two out; the setting backend says what solves the convex problems.")
    for name, value in keywords.items():
        if name not in _DCCP_IGNORED and value is not None:
            settings[_DCCP.get(name, name.rstrip("_"))] = value
    return checked(settings, _SETTINGS) if settings else settings


def solve(problem: cp.Problem, *, verbose: bool = False, warm_start: bool = True, gp: bool = False, requires_grad: bool = False, callback: Callback = None,
          **settings: Unpack[Settings]) -> float:
    """Solves a CVXPY problem whose functions dcopt has, convex or a difference of convex ones: `prob.solve(method="dcopt")`.

    Parameters
    ----------
    problem : cvxpy.Problem
    verbose : bool
        Print progress to standard output, at most ten lines a second, and how the run ended.
    warm_start : bool
        Begin at the values of the variables.
    gp : bool
        Solve a geometric program, in the logarithms of its variables.
    requires_grad : bool
        `problem.backward()` and `problem.derivative()` are then the derivatives of this solution.
    callback : callable or "tqdm", optional
        It is called with a `dcopt.Progress` at most ten times a second; "tqdm" shows a bar. What it raises ends the solve.
    **settings
        starts : starting points; the first has the values of the variables, where they have any. By default the first solve from no values takes as many
        as effort buys, with a bound, and later ones take one. effort : "local" (a local minimum, quickly), "quick" (with searches), "normal" (a second) or
        "thorough" (a minute). seed : of the random starts. time_limit : seconds; the best point so far is the answer then. The rest are those of docs/protocol.md (tol, max_iter, backend, global_, ...), or
        DCCP's names (tau_ini, mu, tau_max, k_ccp, ...).

    Returns
    -------
    float
        The objective, as of `Problem.solve`.

    Raises
    ------
    UnsupportedError, CurvatureError
        With the place, before any value is changed.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable()
    >>> prob = cp.Problem(cp.Minimize(cp.abs(x) - 2 * cp.abs(x - 1)), [x >= -2, x <= 3])
    >>> round(dcopt.solve(prob, seed=1), 6), prob.status
    (-4.0, 'optimal')
    """
    given = settings_of(settings)
    begin = time.perf_counter()
    limit = given.get("time_limit")

    def make() -> _Kept:
        kept = translated(problem, gp)
        if limit is not None:
            kept.loaded.load()
        return kept

    before = _Kept.of(problem)
    kept = in_time(limit, make)
    if limit is not None and kept is not before:
        given["time_limit"] = left(limit, begin)
    low = kept.lowered
    buffers = Buffers()
    for name, parameter in low.parameters:
        now = parameter()
        if now is None:
            raise ParameterWithoutValue(name)
        buffers.add(flat(now))
    tell = teller(callback, verbose, np.exp if gp else float)
    key: Any = None if tell else repr(given) if given else ""
    warm, start = False, None
    if warm_start:
        warm = kept.at_last()
        if not warm:
            start = start_of(problem, kept, buffers)

    def header() -> dict[str, Any]:
        h: dict[str, Any] = {"type": "solve", "warm": warm}
        if given:
            h["settings"] = given
        if low.parameters:
            h["parameters"] = {name: k for k, (name, _) in enumerate(low.parameters)}
        if start:
            h["start"] = start
        return h

    ready = time.perf_counter()
    for c in low.data:
        if not c.value():
            return _infeasible_data(problem, c, ready - begin)
    reply = kept.loaded.request(header, buffers, tell, None if key is None or start else (warm, key))
    solved = time.perf_counter()
    value = _unpack(problem, kept, reply, ready - begin, solved - ready)
    if requires_grad:
        _derivative.attach(problem, kept)
    elif "_dcopt_derivative" in problem.__dict__:
        _derivative.detach(problem)
    if verbose:
        print(f"dcopt: {reply['status']}, objective {value:.6g}, {reply['iterations']} iterations, {solved - begin:.3f} s", flush=True)
    return value


def _infeasible_data(problem: cp.Problem, constraint: Any, setup: float) -> float:
    """The answer where a constraint that has no variables does not hold."""
    for v in problem.variables():
        v.save_value(None)
    for c in problem.constraints:
        for d in c.dual_variables:
            d.save_value(None)
    value = -np.inf if isinstance(problem.objective, cp.Maximize) else np.inf
    _finish(problem, s.INFEASIBLE, value, SolverStats("dcopt", 0.0, setup, 0, {
        "status": "infeasible", "feasible": False, "message": f"{constraint} has no variables and does not hold"}))
    return value


def start_of(problem: cp.Problem, kept: _Kept, buffers: Buffers) -> dict[str, int]:
    if kept.gp:
        for v, log in kept.reduced[0].canon_methods._variables.items():  # noqa: SLF001
            if v.value is not None and np.all(v.value > 0):
                log.value = np.log(v.value)
    elif kept.reduced is not None:
        _, inverse = kept.reduced
        for v in problem.variables():
            if v.value is None:
                continue
            for ident, part in ((inverse.real2imag.get(v.id), np.imag(v.value)), (v.id, np.real(v.value))):
                for real in kept.lowered.variables:
                    if real.id == ident:
                        real.value = part
    start = {}
    for spec, v in zip(kept.lowered.graph.variables, kept.lowered.variables):
        if v.value is not None:
            at = flat(v.value)
            if at.size == v.size and np.all(np.isfinite(at)):
                start[spec["name"]] = buffers.add(at)
    return start


def _unpack(problem: cp.Problem, kept: _Kept, reply: Reply, setup: float, spent: float) -> float:
    low = kept.lowered
    status, feasible = reply["status"], bool(reply.get("feasible"))
    ended = outcome(status, feasible)
    if ended in (s.USER_LIMIT, s.INFEASIBLE_INACCURATE):
        warnings.warn(f"dcopt ended as {status}" + (": " + reply["message"] if reply.get("message") else "") +
                      (". The point is feasible." if feasible else ". The best point found is not feasible."), stacklevel=4)
    x = reply.array("x")
    useful = x is not None and ended in (s.OPTIMAL, s.USER_LIMIT, s.INFEASIBLE_INACCURATE)
    values: list[Any] = [None] * len(kept.places)
    plain = kept.reduced is None
    for k, (v, lo, hi, direct) in enumerate(kept.places):
        if x is not None and useful:
            values[k] = x[lo:hi] if len(v.shape) == 1 else x[lo:hi].reshape(v.shape, order="F")
            plain = plain and direct
        if direct or not useful:
            v.save_value(values[k])
        else:
            _save(v, values[k])
    kept.left = values if useful and plain else None
    primal: dict[int, Any] = {v.id: at for (v, _, _, _), at in zip(kept.places, values)}
    y = reply.array("multipliers")
    certified = ended == s.INFEASIBLE and reply.get("certificate") == "infeasible"
    if ended in (s.INFEASIBLE, s.UNBOUNDED):
        for v in problem.variables():
            v.save_value(None)
        for c in problem.constraints:
            for d in c.dual_variables:
                d.save_value(None)
    if y is not None and (certified or useful and ended != s.INFEASIBLE_INACCURATE):
        at = 0
        for n, save in low.duals:
            save(y[at:at + n])
            at += n
    if ended == s.OPTIMAL:
        for c in low.data:  # constraints that hold whatever the variables are
            for d in c.dual_variables:
                d.save_value(np.zeros(d.shape))
    if kept.gp:
        for v, log in kept.reduced[0].canon_methods._variables.items():  # noqa: SLF001
            at_log = primal.get(log.id)
            v.save_value(None if at_log is None else np.exp(at_log))
    elif kept.reduced is not None:
        _complex_values(problem, kept, primal)
    if ended in (s.INFEASIBLE, s.UNBOUNDED):
        sign = -1.0 if low.maximize else 1.0
        value = sign * (np.inf if ended == s.INFEASIBLE else -np.inf)
        value = float(np.exp(value)) if kept.gp else value
    elif useful and kept.gp:
        value = float(np.exp(number(reply.get("objective"))))
    elif useful:
        value = number(reply.get("objective"))
    else:
        value = float("nan")
    header = reply.header
    for name in ("type", "id", "buffers"):
        header.pop(name, None)
    if not feasible:
        for name in ("worst", "message"):
            if header.get(name):
                header[name] = low.names.named(header[name])
    stats = SolverStats("dcopt", spent, setup, header.get("iterations"), header)
    _finish(problem, ended, value, stats, primal if kept.left is not None else None)
    return value


def _finish(problem: cp.Problem, outcome: str, value: float, stats: SolverStats, primal: dict[int, Any] | None = None) -> None:
    """Gives the problem its status and value; CVXPY has no other way in. primal is what the variables
    have, None: they are asked."""
    problem._status, problem._value, problem._solver_stats = outcome, value, stats  # noqa: SLF001
    attr = {s.SOLVE_TIME: stats.solve_time, s.SETUP_TIME: stats.setup_time, s.NUM_ITERS: stats.num_iters, s.EXTRA_STATS: stats.extra_stats}
    if primal is None:
        primal = {v.id: v.value for v in problem.variables() if v.value is not None}
    duals = {}
    for c in problem.constraints:
        values = [d.value for d in c.dual_variables]
        if values and values[0] is not None:
            duals[c.id] = values[0] if len(values) == 1 else values
    problem._solution = Solution(outcome, value, primal, duals, attr)  # noqa: SLF001


def _save(v: Any, value: Any) -> None:
    if value is not None and v.attributes.get("diag"):
        import scipy.sparse as sp

        value = sp.diags_array(np.diag(value))
    if value is not None and getattr(v, "sparse_idx", None) is not None:
        try:
            v.save_value(value)
        except Exception:  # a version that keeps the entries alone
            v.save_value(value[v.sparse_idx])
        return
    v.save_value(value)


def _complex_values(problem: cp.Problem, kept: _Kept, primal: dict[int, Any]) -> None:
    reduction, inverse = kept.reduced
    values = {k: v for k, v in primal.items() if v is not None}
    if not values:
        return
    for v in problem.variables():  # parts that no function depends on are 0
        for ident in (v.id, inverse.real2imag.get(v.id)):
            if ident is not None and ident not in values:
                hermitian = v.attributes.get("hermitian") and ident != v.id
                n = v.shape[0] if v.shape else 1
                values[ident] = np.zeros(n * (n - 1) // 2 if hermitian else v.shape)
    solution = reduction.invert(Solution(s.OPTIMAL, 0.0, values, {}, {}), inverse)
    for v in problem.variables():
        if v.id in solution.primal_vars:
            v.save_value(solution.primal_vars[v.id])
    at = {c.id: k for k, c in enumerate(kept.real.constraints)}

    def values_of(ident: Any) -> list[Any] | None:
        if ident not in at:
            return None
        return [d.value for d in kept.real.constraints[at[ident]].dual_variables]

    for c in problem.constraints:
        real, imag = values_of(c.id), values_of(inverse.real2imag.get(c.id))
        for d, value in zip(c.dual_variables, _complex_duals(c, real, imag, kept.real.constraints, at.get(c.id))):
            d.save_value(value)


def _complex_duals(c: Any, real: list[Any] | None, imag: list[Any] | None, constraints: list[Any], place: int | None) -> list[Any]:
    """The dual values of a constraint from those of its real and imaginary parts, None where
    it has no such part: <y, z> is the real part of the inner product."""
    if isinstance(c, cp.SOC) and imag is not None:  # purely imaginary
        return [imag[0], 1j * imag[1]]
    if isinstance(c, cp.SOC) and real is not None and place is not None and c.args[1].is_complex():
        parts = constraints[place - 1].dual_variables[1].value  # of the real and imaginary parts, two rows
        return [real[0], (parts[0] + 1j * parts[1]).reshape(c.args[1].shape, order="F")]
    if isinstance(c, cp.constraints.PSD) and real is not None and c.args[0].is_complex():
        n = c.args[0].shape[0]  # of the matrix of both parts, twice as large: see Complex2Real
        return [2 * (real[0][:n, :n] + 1j * real[0][n:, :n])]
    if real is None and imag is None:
        return [None for _ in c.dual_variables]
    if imag is None:
        return real or []
    if real is None:
        return [1j * v for v in imag]
    return [a + 1j * b for a, b in zip(real, imag)]


def is_dc(problem: cp.Problem | Expression) -> bool:
    """Whether dcopt can solve the problem, or a problem with that expression. `why_not` says where and why it cannot.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable(3)
    >>> dcopt.is_dc(cp.norm1(x) - cp.norm2(x)), dcopt.is_dc(cp.ceil(x))
    (True, False)
    """
    return why_not(problem) is None


def why_not(problem: cp.Problem | Expression) -> DcoptError | None:
    """What stands in the way of a solution, with the place and the way out; None where nothing does.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable(name="x")
    >>> print(dcopt.why_not(cp.ceil(x)).place)
    ceil(x)
    """
    if not isinstance(problem, (cp.Problem, Expression)):
        raise TypeError(f"want a problem or an expression of CVXPY, not {type(problem).__name__}")
    if isinstance(problem, Expression):
        problem = cp.Problem(cp.Minimize(problem if problem.is_scalar() else cp.sum(problem)))
    try:
        translated(problem).loaded.request({"type": "check"})
    except (CurvatureError, UnsupportedError) as e:
        return e
    return None


def to_dc(problem: cp.Problem) -> str:
    """The problem as text in the language of .dc files, parameters at their values. `dcopt.from_dc` reads it.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable(name="x")
    >>> print(dcopt.to_dc(cp.Problem(cp.Minimize(cp.square(x)))).rstrip())
    var   x
    minimize  x^2
    """
    kept = translated(problem)
    if kept.lowered.parameters:
        buffers = Buffers()
        values = {name: buffers.add(flat(value())) for name, value in kept.lowered.parameters}
        kept.loaded.request({"type": "set", "parameters": values}, buffers)
    return kept.loaded.request({"type": "to_dc"}).text()


def functions() -> list[str]:
    """The names of the operations that dcopt has, for `dcopt.apply`, which takes those of one number.

    Examples
    --------
    >>> import dcopt
    >>> {"erf", "sigmoid"} <= set(dcopt.functions())
    True
    """
    return list(operations())


def register() -> None:
    """Makes `prob.solve(method="dcopt")` known to CVXPY; importing dcopt does it."""
    cp.Problem.register_solve("dcopt", solve)


# Iterations of dcopt for one of DCCP's: max_iter of DCCP bounds those of a descent, of dcopt those of the descents
# from a start with the searches around them. Source: the defaults, 200 and 100.
_ITERATIONS = 2


def as_dccp(problem: cp.Problem, *args: Any, **kwargs: Any) -> float:
    """`solve` for who calls DCCP: of the keywords, those of DCCP and of dcopt count; options of the solver that DCCP would use do not.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable(value=0.5)
    >>> round(dcopt.as_dccp(cp.Problem(cp.Maximize(cp.abs(x)), [x >= -2, x <= 3]), k_ccp=3, seed=1), 4)
    3.0
    """
    known = {k: v for k, v in kwargs.items() if k in _DCCP or k.rstrip("_") in _SETTINGS or k in ("verbose", "callback", "warm_start", "gp")}
    if known.get("max_iter") is not None:
        known["max_iter"] *= _ITERATIONS
    if not problem.is_dcp():
        known.setdefault("backend_tol", 1e-9)  # DCCP's own tests compare points to six digits
    return solve(problem, *args, **known)


def replace_dccp() -> None:
    """Makes `prob.solve(method="dccp")` mean dcopt.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> dcopt.replace_dccp()
    >>> x = cp.Variable(2)
    >>> round(cp.Problem(cp.Maximize(cp.norm(x)), [cp.norm(x - 1) <= 1]).solve(method="dccp", seed=1), 4)
    2.4142
    """
    try:
        import dccp  # noqa: F401: it registers its own method when it is imported
    except ImportError:
        pass
    cp.Problem.register_solve("dccp", as_dccp)
