"""Problems without CVXPY, in the words of package dc of Go: arrays, operators and functions.

Examples
--------
>>> from dcopt import dc
>>> m = dc.Model()
>>> x = m.var("x", 2, at_least=0)
>>> m.maximize(dc.norm2(x))
>>> m.subject_to((dc.sum(x) <= 3).named("budget"))
>>> result = m.solve()
>>> round(result.objective, 6), result.status
(3.0, 'optimal')
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from ._errors import CurvatureError, Places, ProblemError, UnsupportedError, checked
from ._graph import Graph, Loaded, flat
from ._result import Callback, Result, of_record, teller
from ._settings import Settings, names
from ._worker import Buffers, Reply, go_on, in_time, left
from ._arrays import *  # noqa: F403
from ._functions import *  # noqa: F403
from ._arrays import Constraint, Expr, Operand, Parameter, Shape, Variable, _expr, _numbers, _shape, _shaped

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

__all__ = [  # with all of _arrays and _functions: type checkers do not add up lists of modules
    "Model", "Constraint", "Expr", "Parameter", "Variable", "abs", "asinh", "atan", "atanh", "between", "cos", "cosh", "cumsum", "dot_sort", "entropy",
    "eq", "erf", "exp", "expm1", "ge", "geo_mean", "huber", "inv_pos", "kl", "lambda_max", "lambda_min", "lambda_sum_largest", "le", "log", "log10",
    "log1p", "log2", "log_det", "log_sum_exp", "logistic", "mat_frac", "matmul", "max", "mean", "min", "mul", "norm1", "norm2", "norm_cdf", "norm_inf",
    "norm_p", "nuclear_norm", "pos", "power", "quad", "quad_over_lin", "semidefinite", "sigmoid", "sin", "sinh", "spectral_norm", "sqrt", "square", "stack",
    "sum", "sum_largest", "sum_squares", "tan", "tanh", "trace", "weighted_geo_mean", "x_exp",
]


class Lowering:
    """Arrays as a graph of the protocol."""

    def __init__(self, roots: Sequence[Expr], leaves: Sequence[Variable | Parameter] = ()) -> None:
        self.graph, self.items, self.leaves, self.exprs = Graph(), {}, [], []  # type: Graph, dict[int, Any], list[Variable | Parameter], list[Expr]
        waiting: list[Expr] = [*reversed(roots), *reversed(leaves)]
        while waiting:  # not by recursion: sums may be long
            e = waiting[-1]
            late = [a for a in e.args if id(a) not in self.items]
            waiting.extend(late)
            if not late:
                waiting.pop()
                if id(e) not in self.items:
                    self.items[id(e)] = self._item(e)

    def _item(self, e: Expr) -> tuple[str, int]:
        go_on()
        add = self.graph.buffers.add
        arrays = {k: add(v, "i64" if k in ("indptr", "indices") else "f64") for k, v in e.arrays.items()}
        if isinstance(e, Variable):
            self.leaves.append(e)
            self.graph.variables.append({"name": e.name, "shape": list(e.shape), **arrays, **e.attrs})
            return "v", len(self.graph.variables) - 1
        if isinstance(e, Parameter):
            self.leaves.append(e)
            self.graph.parameters.append({"name": e.name, "shape": list(e.shape), "value": add(e._now())})
            return "p", len(self.graph.parameters) - 1
        self.exprs.append(e)
        return self.graph.node(e.op, [self.items[id(a)] for a in e.args], e.shape, **arrays, **e.attrs)

    def places(self) -> Places:
        """What messages call the nodes."""
        out = Places()
        leaves = sorted(self.leaves, key=lambda v: isinstance(v, Parameter))
        out.nodes = dict(enumerate([*leaves, *self.exprs]))
        return out


class Model:
    """A problem: variables, an objective, constraints.

    Examples
    --------
    Two circles of radius 1 in the smallest square.

    >>> from dcopt import dc
    >>> m = dc.Model()
    >>> c = m.var("c", (2, 2), start_normal=(0, 1))
    >>> m.minimize(dc.max(abs(c)) + 1)
    >>> m.subject_to((dc.norm2(c[0] - c[1]) >= 2).named("apart"))
    >>> round(m.solve(seed=1).objective, 4)
    1.7071
    """

    def __init__(self) -> None:
        self._leaves: list[Variable | Parameter] = []
        self._objective: tuple[str, Expr] | None = None
        self._constraints: list[Constraint] = []
        self._loaded: Loaded | None = None  # of the problem as it stands

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__, _loaded=None)  # copies are loaded by themselves

    def _declare(self, leaf: Any) -> Any:
        if not isinstance(leaf.name, str) or not leaf.name:
            raise ProblemError(f"the name is {leaf.name!r}, want a text", "problem")
        if any(v.name == leaf.name for v in self._leaves):
            raise ProblemError(f"the name {leaf.name} is taken", "problem")
        self._leaves.append(leaf)
        self._loaded = None
        return leaf

    def var(self, name: str, shape: Shape = (), *, at_least: ArrayLike | None = None, at_most: ArrayLike | None = None, symmetric: bool = False,
            psd: bool = False, start_at: ArrayLike | None = None, start_normal: tuple[float, float] | None = None,
            start_uniform: tuple[float, float] | None = None) -> Variable:
        """A variable with a name of its own. at_least and at_most are bounds, start_at is where it starts; start_normal (mean, deviation) and
        start_uniform (lo, hi) are how starts are drawn; symmetric and psd are for square matrices."""
        shape = _shape(shape)
        arrays = {k: flat(_numbers(f"{name}: {what}", v, shape))
                  for k, what, v in (("lo", "at_least", at_least), ("hi", "at_most", at_most), ("start", "start_at", start_at)) if v is not None}
        spec: dict[str, Any] = {k: True for k, v in (("symmetric", symmetric and not psd), ("psd", psd)) if v}
        spec.update({k: _numbers(f"{name}: {k}", v, (2,)).tolist() for k, v in (("start_normal", start_normal), ("start_uniform", start_uniform)) if v is not None})
        return self._declare(Variable(name, shape, spec, arrays))  # type: ignore[no-any-return]

    def param(self, name: str, shape: Shape = (), value: ArrayLike = 0.0) -> Parameter:
        """Data that may change between solves, by its `value`; nothing is analysed again then."""
        return self._declare(Parameter(name, _shape(shape), value))  # type: ignore[no-any-return]

    def _aim(self, sense: str, objective: Operand) -> None:
        objective = _expr(objective)
        if objective.size != 1:
            raise ProblemError(f"the objective has the shape {objective.shape}", "problem", "Add its entries up: dc.sum.", repr(objective))
        self._objective, self._loaded = (sense, objective), None

    def minimize(self, objective: Operand) -> None:
        """What is to be least."""
        self._aim("minimize", objective)

    def maximize(self, objective: Operand) -> None:
        """What is to be largest."""
        self._aim("maximize", objective)

    def subject_to(self, *constraints: Constraint) -> None:
        """Adds constraints."""
        for c in constraints:
            if not isinstance(c, Constraint):
                raise ProblemError(f"{c!r} is no constraint", "problem", "Constraints are made by <=, >= and == with a variable in them.")
        self._constraints += constraints
        self._loaded = None

    def _load(self) -> Loaded:
        if self._loaded is None:
            roots = [a for c in self._constraints for a in c.args] + ([self._objective[1]] if self._objective else [])
            low = Lowering(roots, self._leaves)
            for leaf in low.leaves:
                if not any(leaf is v for v in self._leaves):
                    raise ProblemError(f"{leaf.name} is of another model", "problem")
            for k, c in enumerate(self._constraints):
                arrays = {name: low.graph.buffers.add(v) for name, v in c.arrays.items()}
                low.graph.constraints.append({"kind": c.kind, "args": [low.items[id(a)] for a in c.args], "name": c.name or f"constraint_{k}", **arrays})
            if self._objective:
                low.graph.objective = {"sense": self._objective[0], "node": low.items[id(self._objective[1])]}
            self._loaded = Loaded(low.graph, low.places())
        return self._loaded

    def _parameters(self, buffers: Buffers) -> dict[str, int]:
        return {p.name: buffers.add(p._now()) for p in self._leaves if isinstance(p, Parameter)}

    def solve(self, *, start: Result | Mapping[str, ArrayLike] | None = None, warm_start: bool = True, callback: Callback = None, verbose: bool = False,
              **settings: Unpack[Settings]) -> Result:
        """Solves the problem.

        Parameters
        ----------
        start : Result or mapping, optional
            Where to start: values of variables by name.
        warm_start : bool
            Without start, begin where the last solve ended.
        callback, verbose, **settings
            As of `dcopt.solve`.

        Returns
        -------
        Result
            Variables and constraints have the `value` and `dual` as well.

        Raises
        ------
        DcoptError
            For what has no split into a difference of convex functions, with the expression.

        Examples
        --------
        >>> from dcopt import dc
        >>> m = dc.Model()
        >>> x, a = m.var("x", at_least=-2, at_most=3), m.param("a", value=1.0)
        >>> m.minimize(abs(x) - 2 * abs(x - a))
        >>> m.solve(starts=5)["x"]
        -2.0
        >>> a.value = -1.0
        >>> m.solve(starts=5)["x"]
        3.0
        """
        given = checked({k.rstrip("_"): v for k, v in settings.items() if v is not None}, names(Settings))
        begin, before, limit, buffers = time.perf_counter(), self._loaded, given.get("time_limit"), Buffers()

        def make() -> Loaded:
            loaded = self._load()
            if limit is not None:
                loaded.load()
            return loaded

        loaded = in_time(limit, make)
        if limit is not None and loaded is not before:
            given["time_limit"] = left(limit, begin)
        header: dict[str, Any] = {"type": "solve", "warm": warm_start, "settings": given, "parameters": self._parameters(buffers)}
        if start is not None:
            values = start.x if isinstance(start, Result) else start
            header["start"] = {k: buffers.add(flat(_numbers(f"the start of {k}", v))) for k, v in values.items()}
        reply = loaded.request(header, buffers, teller(callback, verbose))
        result = self._result(reply, time.perf_counter() - begin)
        if verbose:
            print(f"dcopt: {result.reason}, objective {result.objective:.6g}, {result.iterations} iterations, {result.seconds:.3f} s", flush=True)
        return result

    def _result(self, reply: Reply, seconds: float) -> Result:
        x, y = reply.array("x"), reply.array("multipliers")
        none = reply["status"] in ("infeasible", "unbounded")
        found, at = {}, 0
        for v in self._leaves:
            if isinstance(v, Variable):
                v.value = None if x is None or none else _shaped(x[at:at + v.size], v.shape)
                at += v.size
                if v.value is not None:
                    found[v.name] = v.value
        duals, at = {}, 0
        for k, c in enumerate(self._constraints):
            size = c.args[0].size
            c.dual = None if y is None else _shaped(y[at:at + size], c.shape)
            at += size
            if c.dual is not None:
                duals[c.name or f"constraint_{k}"] = c.dual
        return of_record(reply, found, duals, seconds, {k: v for k, v in reply.header.items() if k not in ("type", "id", "buffers")})

    def why_not(self) -> CurvatureError | UnsupportedError | None:
        """What stands in the way of a solution, with the place and the way out; None where nothing does."""
        try:
            self._load().request({"type": "check"})
        except (CurvatureError, UnsupportedError) as e:
            return e
        return None

    def to_dc(self) -> str:
        """The problem as text in the language of .dc files, parameters at their values."""
        buffers = Buffers()
        parameters = self._parameters(buffers)
        if parameters:
            self._load().request({"type": "set", "parameters": parameters}, buffers)
        return self._load().request({"type": "to_dc"}).text()
