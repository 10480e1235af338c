"""CVXPY problems as expression graphs.

An affine piece of a tree, whatever atoms it is made of, becomes one node: CVXPY's own
canonicalisation reads its coefficients, with what is not affine in it replaced by variables. So
only the other atoms need an operation of dcopt.
"""

from __future__ import annotations

import inspect
import math
import re
from typing import Any, Callable, Tuple

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy.atoms.affine.affine_atom import AffAtom
from cvxpy.atoms.atom import Atom
from cvxpy.atoms.elementwise.elementwise import Elementwise
from cvxpy.cvxcore.python import canonInterface
from cvxpy.expressions.constants import Constant, Parameter
from cvxpy.expressions.expression import Expression
from cvxpy.expressions.variable import Variable
from cvxpy.lin_ops import lin_op

from ._errors import DcoptError, Places, ProblemError, UnsupportedError, short
from ._graph import Graph, flat
from ._worker import go_on, operations

Item = Tuple[str, int]  # of a kind, "v", "p" or "n", and a number
_CONSTANT_ID = lin_op.CONSTANT_ID if hasattr(lin_op, "CONSTANT_ID") else "constant_id"


class ParameterWithoutValue(DcoptError, cp.error.ParameterError):
    """A parameter has no value: also what CVXPY raises then."""

    def __init__(self, place: str) -> None:
        super().__init__("a parameter has no value", "problem", "Set its .value before solving.", place)


class Lowered:
    """A problem as a graph, and how to read the answer."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.names = Places()
        self.variables: list[Variable] = []
        # Each parameter of the graph and how to compute its value.
        self.parameters: list[tuple[str, Callable[[], Any]]] = []
        self.parameter_exprs: list[Expression] = []  # and what it is in the problem
        # Values that stand in the graph as numbers: where one changes, it is lowered again.
        self.fixed: list[tuple[Parameter, Any]] = []
        # Of each constraint: how to set its dual variables from its slice of the multipliers.
        self.duals: list[tuple[int, Callable[[np.ndarray], None]]] = []
        self.data: list[Any] = []  # constraints on data alone
        self.maximize = False
        self.disciplined = False  # convex by CVXPY's rules

    def changed(self) -> bool:
        """Whether a number that stands in the graph has changed."""
        return any(not np.array_equal(flat(p.value), v) for p, v in self.fixed)


class _Block:
    """An affine piece that waits for its coefficients."""

    def __init__(self, node: int, expr: Expression, original: Expression) -> None:
        self.node, self.expr, self.original = node, expr, original


# Operations on arguments that must not be negative.
_POSITIVE = {"log", "sqrt", "entr", "invpos", "xexp", "kl", "rel_entr", "geomean", "wgeomean"}


# Why a function is refused, by the names of CVXPY's classes.
_LACKS = {
    **dict.fromkeys(("ceil", "floor", "sign", "length"), ("a function with jumps is no difference of convex functions", "unsupported", "State it without jumps, as by a sigmoid.")),
    **dict.fromkeys(("eye_minus_inv", "pf_eigenvalue"), ("a function of geometric programs alone", "unsupported", "Solve it with gp=True.")),
    "gen_lambda_max": ("a function of bisections alone", "unsupported", 'Solve it with qcp=True and solver="DCOPT".'),
}

# What says that a matrix is symmetric.
_SYMMETRIC = {"symmetric_wrap", "psd_wrap"}

# A solver that comes with CVXPY. It has the upper triangles of matrices, scaled by the square root of 2.
_TRIANGLES = "CLARABEL"


def _canon_backend(exprs: list[Expression], parameters: int = 0) -> str | None:
    """The part of CVXPY that reads coefficients: its C++ has no arrays of matrices, and is slow with many entries of parameters. None: the default."""
    plain = all(getattr(e, "_max_ndim", lambda: 2)() <= 2 and getattr(e, "_all_support_cpp", lambda: True)() for e in exprs)
    if plain and parameters >= getattr(cp.settings, "DPP_PARAM_THRESHOLD", np.inf):
        return str(cp.settings.COO_CANON_BACKEND)
    return None if plain else getattr(cp, "SCIPY_CANON_BACKEND", "SCIPY")


def linear_part(exprs: list[Expression], columns: dict[int, int], size: int) -> tuple[sp.csr_array, np.ndarray]:
    """Matrix and constant of affine functions of variables, one after the other: columns has the place of each variable, by its id, among size entries."""
    rows = sum(e.size for e in exprs)
    tensor = sp.coo_array(canonInterface.get_problem_matrix(
        [e.canonical_form[0] for e in exprs], size, columns, {_CONSTANT_ID: 1}, {_CONSTANT_ID: 0}, rows, _canon_backend(exprs)))
    place = tensor.row
    whole = sp.csr_array((tensor.data, (place % rows, place // rows)), shape=(rows, size + 1))
    return whole[:, :size], whole[:, [size]].toarray().reshape(-1)


class Lowerer:
    def __init__(self) -> None:
        self.out = Lowered()
        self.graph = self.out.graph
        self.items: dict[int, Item] = {}  # by id of the expression
        self.keep: list[Any] = []  # so that ids stay unique
        self.leaves: dict[int, Item] = {}  # variables, by CVXPY's ids: two objects may be one variable
        self.columns: dict[int, tuple[int, Item]] = {}  # offset and item of a placeholder, by its id
        self.stand_in: dict[Any, Variable] = {}  # the placeholder of an item
        self.param_stand_in: dict[int, Parameter] = {}
        self.param_items: dict[int, tuple[int, Item]] = {}  # offset and item of a parameter, by its id
        self.words: set[str] = set()
        self.are_symmetric: set[Item] = set()  # items of which a constraint says so
        self.parts: list[tuple[Expression, Expression]] = []  # real and imaginary parts of the same expression
        self.disciplined = False  # convex by CVXPY's rules: an expression may be replaced by a bound of it
        self.conic = False
        self.length = 0
        self.param_length = 0
        self.blocks: list[_Block] = []

    # Leaves

    def unique(self, name: str) -> str:
        """The user's name where it is one word that no other has, else one like it."""
        word = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
        if not word[0].isalpha():
            word = "x" + word
        k, out = 1, word
        while out in self.words:
            k, out = k + 1, f"{word}_{k + 1}"
        self.words.add(out)
        return out

    def variable(self, v: Variable) -> Item:
        if v.id in self.leaves:
            return self.leaves[v.id]
        a = v.attributes
        if a.get("boolean") or a.get("integer"):
            raise UnsupportedError("boolean and integer variables are not supported", "unsupported",
                                   "State a 0-1 variable as 0 <= x <= 1 with x*x == x; dcopt then looks for a local minimum.", v.name())
        n = v.size
        d: dict[str, Any] = {"name": self.unique(v.name()), "shape": [int(s) for s in v.shape]}
        lo, hi = np.full(n, -np.inf), np.full(n, np.inf)
        if a.get("nonneg") or a.get("pos"):
            lo = np.maximum(lo, 0)
        if a.get("nonpos") or a.get("neg"):
            hi = np.minimum(hi, 0)
        late: list[tuple[str, Any]] = []  # bounds that are expressions
        if a.get("bounds") is not None:
            for k, b in enumerate(a["bounds"]):
                if isinstance(b, Expression):
                    if b.parameters():
                        late.append(("lo" if k == 0 else "hi", b))
                        continue
                    b = b.value
                if b is None:
                    continue
                b = b.toarray() if sp.issparse(b) else b
                b = np.broadcast_to(np.asarray(b, dtype=float), v.shape).reshape(-1, order="F")
                if k == 0:
                    lo = np.maximum(lo, b)
                else:
                    hi = np.minimum(hi, b)
        if a.get("sparsity") is not None or a.get("diag"):
            mask = np.ones(v.shape, dtype=bool)
            if a.get("diag"):
                mask = ~np.eye(v.shape[0], dtype=bool)
            else:
                mask[v.sparse_idx] = False
            off = mask.reshape(-1, order="F")
            lo[off], hi[off] = 0.0, 0.0
        if np.any(lo > -np.inf):
            d["lo"] = self.graph.buffers.add(lo)
        if np.any(hi < np.inf):
            d["hi"] = self.graph.buffers.add(hi)
        square = len(v.shape) == 2
        if a.get("PSD") and square:
            d["psd"] = True
        elif (a.get("symmetric") or a.get("NSD")) and square:
            d["symmetric"] = True
        stacked = len(v.shape) > 2 and any(a.get(k) for k in ("symmetric", "PSD", "NSD"))
        item = ("v", len(self.out.variables))
        self.out.variables.append(v)
        self.graph.variables.append(d)
        self.leaves[v.id] = item
        if stacked:
            self.mirrored(item, v.shape, v.name())
            if a.get("PSD") or a.get("NSD"):
                self.semidefinite(item, v.shape, -1.0 if a.get("NSD") else 1.0, v.name() + " is semidefinite")
                self.out.duals.append((n, lambda y: None))
        if a.get("NSD") and square:
            minus = self.affine_of([item], [v.shape], v.shape, sp.identity(n, format="csr") * -1.0)
            self.graph.constraints.append({"kind": "psd", "args": [minus], "name": v.name() + " is NSD"})
            self.out.duals.append((n, lambda y: None))
        for side, b in late:
            other = self.lower(b)
            args = [other, item] if side == "lo" else [item, other]
            self.graph.constraints.append({"kind": "le", "args": args, "name": "a bound of " + v.name()})
            self.out.duals.append((max(n, b.size), lambda y: None))
        return item

    def mirrored(self, item: Item, shape: tuple[int, ...], name: str) -> None:
        """States that each matrix of the last two dimensions is symmetric, once for each item."""
        if item in self.are_symmetric:
            return
        self.are_symmetric.add(item)
        places = np.arange(int(np.prod(shape, dtype=int))).reshape(shape, order="F")
        i, j = np.triu_indices(shape[-1], 1)
        one, other = places[..., i, j].reshape(-1), places[..., j, i].reshape(-1)
        k = one.size
        rows = np.arange(k)
        m = sp.coo_array((np.r_[np.ones(k), -np.ones(k)], (np.r_[rows, rows], np.r_[one, other])), shape=(k, places.size))
        gap = self.affine_of([item], [], (k,), m)
        self.graph.constraints.append({"kind": "eq", "args": [gap], "name": name + " is symmetric"})
        self.out.duals.append((k, lambda y: None))

    @staticmethod
    def matrices_of(shape: tuple[int, ...]) -> np.ndarray:
        """The places of the entries of each matrix of the last two dimensions, a column for each."""
        places = np.arange(int(np.prod(shape, dtype=int))).reshape(shape, order="F")
        return np.moveaxis(places, (-2, -1), (0, 1)).reshape((shape[-2] * shape[-1], -1), order="F")

    def semidefinite(self, item: Item, shape: tuple[int, ...], sign: float, name: str) -> np.ndarray:
        """States that the matrices of the last two dimensions, times sign, are positive
        semidefinite, a constraint for each. Returns the places of their entries in turn."""
        n, size, order = shape[-1], int(np.prod(shape, dtype=int)), self.matrices_of(shape)
        for k, at in enumerate(order.T):
            m = sp.csr_array((np.full(n * n, sign), at, np.arange(n * n + 1)), shape=(n * n, size))
            matrix = self.affine_of([item], [], (n, n), m)
            label = name if order.shape[1] == 1 else f"{name}, matrix {k}"
            self.graph.constraints.append({"kind": "psd", "args": [matrix], "name": label})
        return order.reshape(-1, order="F")

    def parameter(self, value: Callable[[], Any], expr: Expression) -> Item:
        if id(expr) in self.items:
            return self.items[id(expr)]
        name = self.unique(expr.name() if isinstance(expr, Parameter) else "data")
        now = value()
        if now is None:
            raise ParameterWithoutValue(short(expr))
        self.graph.parameters.append({"name": name, "shape": [int(s) for s in expr.shape], "value": self.graph.buffers.add(flat(now))})
        item = ("p", len(self.out.parameters))
        self.out.parameters.append((name, value))
        self.out.parameter_exprs.append(expr)
        self.remember(expr, item)
        return item

    def remember(self, expr: Any, item: Item) -> Item:
        self.items[id(expr)] = item
        self.keep.append(expr)
        return item

    def fix(self, expr: Expression) -> None:
        """Notes that the values of the parameters of expr stand in the graph as numbers."""
        for p in expr.parameters():
            if p.value is None:
                raise ParameterWithoutValue(p.name())
            self.out.fixed.append((p, flat(p.value)))

    def number_of(self, expr: Any) -> float:
        """A number that has to stand in the graph."""
        if isinstance(expr, Expression):
            for p in expr.parameters():
                self.out.fixed.append((p, flat(p.value)))
            expr = expr.value
        return float(np.asarray(expr).reshape(-1)[0])

    # Expressions

    def lower(self, expr: Expression) -> Item:
        """The item of an expression."""
        go_on()
        if id(expr) in self.items:
            return self.items[id(expr)]
        if isinstance(expr, Variable):
            return self.variable(expr)
        if isinstance(expr, Parameter):
            return self.parameter(lambda: expr.value, expr)
        if expr.is_constant():
            if expr.variables():
                self.unused(expr)
            if expr.parameters():
                return self.parameter(lambda: expr.value, expr)
            v = flat(expr.value)
            if np.iscomplexobj(expr.value):
                raise UnsupportedError("a complex constant beside real variables", "unsupported", "", short(expr))
            if np.any(np.isnan(v)):
                raise self.no_numbers(expr, "NaN")
            if v.size and np.all(v == v[0]) and math.isfinite(v[0]):
                item = self.graph.node("const", [], expr.shape, value=float(v[0]))
            else:
                item = self.graph.node("const", [], expr.shape, data=self.graph.buffers.add(v))
            return self.remember(expr, item)
        if self.is_affine_map(expr):
            replaced = self.replace(expr)
            self.graph.nodes.append({"op": "affine", "args": [], "shape": [int(s) for s in expr.shape], "name": expr})
            item = ("n", len(self.graph.nodes) - 1)
            self.blocks.append(_Block(item[1], replaced, expr))
            return self.remember(expr, item)
        kind = type(expr).__name__
        build = getattr(self, "op_" + kind, self.by_name)
        found: Item | None = None
        if self.conic and not all(a.is_affine() for a in expr.args if isinstance(a, Expression)):
            found = self.by_cones(expr)
        if found is None:
            found = build(expr)
        if found is None:
            raise UnsupportedError(*_LACKS.get(kind, (f"dcopt has no function {kind}", "unsupported", "Write it with functions that dcopt has; dcopt.functions() lists them.")),
                                   short(expr))
        if found[0] == "n":
            self.graph.nodes[found[1]].setdefault("name", expr)
        return self.remember(expr, found)

    @staticmethod
    def no_numbers(expr: Expression, what: str) -> ProblemError:
        return ProblemError(f"the data of the problem contains {what}", "problem", "Replace or leave out what is missing in the data.", short(expr))

    def unused(self, expr: Expression) -> None:
        """What is made of an array without entries is a constant for CVXPY, but the functions in it have their domains."""
        for a in expr.args:
            if a.is_constant() or self.is_affine_map(a):
                if a.variables():
                    self.unused(a)
            elif not isinstance(a, Variable):
                self.replace(a)

    @staticmethod
    def is_affine_map(expr: Expression) -> bool:
        """Whether an atom is affine in the arguments that are not constant."""
        if not isinstance(expr, AffAtom):
            return False
        kind = type(expr).__name__
        free = [a for a in expr.args if not a.is_constant()]
        if kind in ("cumprod", "cumsum"):
            return False
        if kind == "DivExpression":
            return bool(expr.args[1].is_constant())
        if kind in ("multiply", "MulExpression", "kron", "conv", "convolve", "Einsum"):
            return len(free) <= 1
        return type(expr).graph_implementation is not Atom.graph_implementation

    def replace(self, expr: Expression) -> Expression:
        """The tree with plain variables in the places of variables and of what is not
        affine, and with plain parameters in those of parameters and functions of them."""
        if expr.is_constant():
            if not expr.parameters():
                return expr if isinstance(expr, Constant) else Constant(expr.value)
            item = self.lower(expr)
            p = self.param_stand_in.get(item[1])
            if p is None:
                p = Parameter(expr.shape)
                self.param_stand_in[item[1]] = p
                self.param_items[p.id] = (self.param_length, item)
                self.param_length += expr.size
            return p
        if type(expr).__name__ in _SYMMETRIC and len(expr.shape) == 2:  # what they say of a matrix holds for this one
            x = self.replace(expr.args[0])
            return (x + x.T) / 2
        if self.is_affine_map(expr):
            new = expr.copy([self.replace(a) for a in expr.args])
            if new.parameters() and not new.is_dpp():
                # Not affine in parameters and variables together, as 2*p*(x - p) or kron: the
                # values of those that multiply stand in the graph as numbers.
                args = []
                for a in expr.args:
                    if a.is_constant() and a.parameters():
                        self.fix(a)
                        a = Constant(a.value)
                    args.append(self.replace(a))
                new = expr.copy(args)
                if new.parameters() and not new.is_dpp():
                    raise UnsupportedError("a product of parameters inside an affine function", "unsupported",
                                           "Give the product as one parameter.", short(expr))
            return new
        item = self.lower(expr)
        v = self.stand_in.get(item)
        if v is None or v.shape != expr.shape:
            v = Variable(expr.shape)
            self.stand_in[item] = v
            self.columns[v.id] = (self.length, item)
            self.length += v.size
        return v

    def extract(self) -> None:
        """Reads the coefficients of all affine pieces at once."""
        offsets = sorted((at, item) for at, item in self.columns.values())
        starts = np.array([at for at, _ in offsets] + [self.length])
        if not self.blocks:
            self.domains(np.zeros(0, dtype=int), offsets, starts)
            return
        sizes: dict[Any, int] = {_CONSTANT_ID: 1}
        places: dict[Any, int] = {_CONSTANT_ID: self.param_length}
        for k, (at, item) in sorted(self.param_items.items(), key=lambda e: e[1][0]):
            sizes[k], places[k] = self.size_of_parameter(item), at
        rows = sum(b.expr.size for b in self.blocks)
        tensor = canonInterface.get_problem_matrix(
            [b.expr.canonical_form[0] for b in self.blocks], self.length,
            {k: at for k, (at, _) in self.columns.items()}, sizes, places, rows, _canon_backend([b.expr for b in self.blocks], self.param_length))
        tensor = sp.coo_array(tensor)
        place, which, value = tensor.row, tensor.col, tensor.data
        row, column = place % rows, place // rows
        # Parameters as they stand in the graph, entry by entry.
        ends = np.cumsum([0] + [int(np.prod(p["shape"], dtype=int)) for p in self.graph.parameters])
        graph_entry = np.zeros(self.param_length, dtype=np.int64)
        for at, item in self.param_items.values():
            n = self.size_of_parameter(item)
            graph_entry[at:at + n] = ends[item[1]] + np.arange(n)
        order = np.argsort(row, kind="stable")
        row, column, which, value = self.without_noise(row[order], column[order], which[order], value[order])
        first = 0
        for b in self.blocks:
            n = b.expr.size
            lo, hi = np.searchsorted(row, [first, first + n])
            if not np.all(np.isfinite(value[lo:hi][(column[lo:hi] < self.length)])):
                raise self.no_numbers(b.original, "NaN or Inf")
            if np.any(np.isnan(value[lo:hi])):
                raise self.no_numbers(b.original, "NaN")
            self.fill(b, row[lo:hi] - first, column[lo:hi], which[lo:hi], value[lo:hi], n, starts, offsets, graph_entry, ends)
            first += n
        self.domains(column, offsets, starts)

    def without_noise(self, row: np.ndarray, column: np.ndarray, which: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, ...]:
        """The coefficients, in the order of their rows, without those of a real or imaginary part that are rounding errors beside the other part: a
        sum of products has an error of its length times eps beside their moduli (Higham 2002, section 3.1)."""
        part = np.zeros(len(row), dtype=bool)
        modulus = np.zeros(int(row[-1]) + 1 if len(row) else 0)
        at, spans = 0, {}
        for b in self.blocks:
            spans[id(b.original)] = (at, *np.searchsorted(row, [at, at + b.expr.size]))
            at += b.expr.size
        for pair in self.parts:
            if all(id(e) in spans for e in pair) and pair[0].size == pair[1].size:
                both = np.zeros(pair[0].size)
                for first, lo, hi in (spans[id(e)] for e in pair):
                    part[lo:hi] = True
                    np.maximum.at(both, row[lo:hi] - first, np.abs(value[lo:hi]))
                for first, lo, hi in (spans[id(e)] for e in pair):
                    modulus[row[lo:hi]] = both[row[lo:hi] - first]
        if not np.any(part):
            return row, column, which, value
        # The entries on either side of the diagonal of a symmetric matrix are one variable.
        mirror = np.arange(self.length + 1)
        for at, item in self.columns.values():
            d = self.graph.variables[item[1]] if item[0] == "v" else {}
            if d.get("symmetric") or d.get("psd"):
                places = np.arange(np.prod(d["shape"], dtype=int)).reshape(d["shape"], order="F")
                mirror[at + places.reshape(-1, order="F")] = at + places.T.reshape(-1, order="F")
        free = part & (which == self.param_length)
        m = sp.csr_array(sp.coo_array((value[free], (row[free], column[free])), shape=(len(modulus), self.length + 1)))
        total = np.asarray((m + m[:, mirror])[row[free], column[free]]).reshape(-1)
        keep = np.ones(len(row), dtype=bool)
        keep[free] = np.abs(total) > np.finfo(float).eps * self.length * modulus[row[free]]
        return row[keep], column[keep], which[keep], value[keep]

    def domains(self, column: np.ndarray, offsets: list[tuple[int, Item]], starts: np.ndarray) -> None:
        """CVXPY wants each entry of an array of functions within its domain, whether or not the
        problem uses it; dcopt those that are used."""
        used = np.zeros(self.length + 1, dtype=bool)
        used[column] = True
        for k, (at, item) in enumerate(offsets):
            if item[0] != "n" or self.graph.nodes[item[1]]["op"] not in _POSITIVE or np.all(used[at:starts[k + 1]]):
                continue
            node = self.graph.nodes[item[1]]
            for a in node["args"]:
                if a[0] == "n":
                    shape = self.graph.nodes[a[1]]["shape"]
                else:
                    shape = (self.graph.variables if a[0] == "v" else self.graph.parameters)[a[1]]["shape"]
                self.at_least_zero(a, "the domain of " + short(node.get("name", "")), int(np.prod(shape, dtype=int)))

    def size_of_parameter(self, item: Item) -> int:
        return int(np.prod(self.graph.parameters[item[1]]["shape"], dtype=int))

    def fill(self, b: _Block, row: np.ndarray, column: np.ndarray, which: np.ndarray, value: np.ndarray, n: int,
             starts: np.ndarray, offsets: list[tuple[int, Item]], graph_entry: np.ndarray, ends: np.ndarray) -> None:
        free, plain = column == self.length, which == self.param_length
        constant = np.zeros(n)
        np.add.at(constant, row[free & plain], value[free & plain])
        # The variables and nodes that the piece has, and where their columns are.
        owner = np.searchsorted(starts, column, side="right") - 1
        used = np.unique(owner[~free])
        width = starts[1:] - starts[:-1]
        shift = np.zeros(len(offsets), dtype=np.int64)
        args, at = [], 0
        for k in used:
            shift[k] = at - starts[k]
            args.append(offsets[k][1])
            at += int(width[k])
        # Parameters that are added are arguments, too.
        added = free & ~plain
        extra_row, extra_col = row[added], np.zeros(0, dtype=np.int64)
        if np.any(added):
            entry = graph_entry[which[added]]
            extra_col = np.zeros(len(entry), dtype=np.int64)
            of = np.searchsorted(ends, entry, side="right") - 1
            for k in np.unique(of):
                extra_col[of == k] = at + entry[of == k] - ends[k]
                args.append(("p", int(k)))
                at += int(ends[k + 1] - ends[k])
        with_free = ~free
        r = np.concatenate([row[with_free], extra_row])
        c = np.concatenate([column[with_free] + shift[owner[with_free]] if np.any(with_free) else np.zeros(0, dtype=np.int64), extra_col])
        w = np.concatenate([which[with_free], np.full(len(extra_row), self.param_length)])
        v = np.concatenate([value[with_free], value[added]])
        attrs: dict[str, Any] = {}
        if np.all(w == self.param_length):
            # In order, as almost always: SciPy would take most of the time of a small problem to see it.
            if np.all((r[1:] > r[:-1]) | (r[1:] == r[:-1]) & (c[1:] > c[:-1])):
                attrs = self.rows(np.searchsorted(r, np.arange(n + 1)), c, v)
            else:
                attrs = self.csr(sp.coo_array((v, (r, c)), shape=(n, at)).tocsr())
        else:
            # One coefficient for each place, and how it depends on the parameters.
            key = r.astype(np.int64) * max(at, 1) + c
            places, inverse = np.unique(key, return_inverse=True)
            fixed = w == self.param_length
            data = np.zeros(len(places))
            np.add.at(data, inverse[fixed], v[fixed])
            t = sp.coo_array((v[~fixed], (inverse[~fixed], graph_entry[w[~fixed]])), shape=(len(places), int(ends[-1]))).tocsr()
            rows_of, cols_of = places // max(at, 1), places % max(at, 1)
            indptr = np.searchsorted(rows_of, np.arange(n + 1))
            add = self.graph.buffers.add
            attrs = {"indptr": add(indptr, "i64"), "indices": add(cols_of, "i64"), "data": add(data), "data_map": self.csr(t)}
        if np.any(constant):
            attrs["constant"] = self.graph.buffers.add(constant)
        node = self.graph.nodes[b.node]
        node["args"], node["attrs"] = args, attrs

    def csr(self, m: Any) -> dict[str, int]:
        m = sp.csr_array(m)
        return self.rows(m.indptr, m.indices, m.data)

    def rows(self, indptr: np.ndarray, indices: np.ndarray, data: np.ndarray) -> dict[str, int]:
        add = self.graph.buffers.add
        return {"indptr": add(indptr, "i64"), "indices": add(indices, "i64"), "data": add(data)}

    def affine_of(self, args: list[Item], shapes: list[tuple[int, ...]], shape: tuple[int, ...], matrix: Any, constant: Any = None) -> Item:
        attrs: dict[str, Any] = self.csr(matrix)
        if constant is not None:
            attrs["constant"] = self.graph.buffers.add(constant)
        return self.graph.node("affine", args, shape, **attrs)

    def take(self, item: Item, places: np.ndarray, shape: tuple[int, ...]) -> Item:
        """Entries of an item, by their flat places."""
        k = len(places)
        return self.graph.node("affine", [item], shape, **self.rows(np.arange(k + 1), places, np.ones(k)))

    def grouped(self, expr: Expression, axis: Any) -> tuple[Item, int]:
        """The argument with each group along the axis in one piece, and the number of groups."""
        item = self.lower(expr)
        shape = expr.shape
        if axis is None or len(shape) <= 1:
            return item, 1
        axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
        axes = tuple(a % len(shape) for a in axes)
        rest = [a for a in range(len(shape)) if a not in axes]
        places = np.arange(expr.size).reshape(shape, order="F").transpose(list(axes) + rest).reshape(-1, order="F")
        groups = int(np.prod([shape[a] for a in rest], dtype=int))
        if np.array_equal(places, np.arange(expr.size)):
            return item, groups
        return self.take(item, places, (expr.size,)), groups

    def reduced(self, op: str, expr: Expression, **attrs: Any) -> Item:
        item, groups = self.grouped(expr.args[0], getattr(expr, "axis", None))
        if groups != 1:
            attrs["groups"] = groups
        return self.graph.node(op, [item], expr.shape, **attrs)

    def elementwise(self, op: str, expr: Expression, **attrs: Any) -> Item:
        return self.graph.node(op, [self.shaped(a, expr.shape) for a in expr.args], expr.shape, **attrs)

    def by_name(self, expr: Expression) -> Item | None:
        """A function of one number that has the same name in dcopt, or one by cones."""
        name = getattr(expr, "operation", type(expr).__name__)
        if isinstance(expr, Elementwise) and len(expr.args) == 1 and name in operations():
            return self.elementwise(name, expr)
        return self.by_cones(expr)

    def shaped(self, arg: Expression, shape: tuple[int, ...]) -> Item:
        """The argument, repeated where NumPy would."""
        item = self.lower(arg)
        if arg.size == 1 or arg.shape == shape:
            return item
        places = np.broadcast_to(np.arange(arg.size).reshape(arg.shape, order="F"), shape).reshape(-1, order="F")
        return self.take(item, places, shape)

    def at_least_zero(self, item: Item, what: str, n: int) -> None:
        minus = self.graph.node("sum", [item], (n,), factors=[-1.0])
        self.graph.constraints.append({"kind": "le", "args": [minus], "name": what})
        self.out.duals.append((n, lambda y: None))

    # Functions, by the names of CVXPY's classes, beside those of one number that have the same name in dcopt

    def op_kl_div(self, e: Any) -> Item: return self.elementwise("kl", e)
    def op_rel_entr(self, e: Any) -> Item: return self.elementwise("rel_entr", e)
    def op_maximum(self, e: Any) -> Item: return self.elementwise("max", e)
    def op_minimum(self, e: Any) -> Item: return self.elementwise("min", e)
    def op_max(self, e: Any) -> Item: return self.reduced("max", e)
    def op_min(self, e: Any) -> Item: return self.reduced("min", e)
    def op_norm1(self, e: Any) -> Item: return self.reduced("norm1", e)
    def op_norm_inf(self, e: Any) -> Item: return self.reduced("norminf", e)
    def op_log_sum_exp(self, e: Any) -> Item: return self.reduced("lse", e)
    def symmetric(self, e: Expression) -> Item:
        """A matrix that has to be symmetric: where its form does not say so, a constraint does."""
        item = self.lower(e)
        if e.is_symmetric() or e.is_constant():
            return item
        self.mirrored(item, e.shape, short(e))
        n = e.shape[0]
        places = np.arange(n * n)
        mirror = places.reshape((n, n), order="F").T.reshape(-1, order="F")
        halves = np.full(2 * n * n, 0.5)
        mean = sp.coo_array((halves, (np.r_[places, places], np.r_[places, mirror])), shape=(n * n, n * n))
        return self.affine_of([item], [], e.shape, mean)

    def of_matrix(self, op: str, e: Any, symmetric: bool, **attrs: Any) -> Item:
        """A function of a matrix, or of each matrix of the last two dimensions."""
        x = e.args[0]
        if len(x.shape) <= 2:
            return self.graph.node(op, [self.symmetric(x) if symmetric else self.lower(x)], e.shape, **attrs)
        item = self.lower(x)
        if symmetric and not x.is_symmetric():
            self.mirrored(item, x.shape, short(x))
        each = []
        for at in self.matrices_of(x.shape).T:
            each.append(self.graph.node(op, [self.take(item, at, x.shape[-2:])], (), name=e, **attrs))
        return self.affine_of(each, [], e.shape, sp.identity(len(each), format="csr"))

    def op_normNuc(self, e: Any) -> Item: return self.of_matrix("normnuc", e, False)
    def op_sigma_max(self, e: Any) -> Item: return self.of_matrix("sigma_max", e, False)
    def op_log_det(self, e: Any) -> Item: return self.of_matrix("logdet", e, True)
    def op_lambda_max(self, e: Any) -> Item: return self.of_matrix("lambda_max", e, True)
    def op_tr_inv(self, e: Any) -> Item: return self.of_matrix("tr_inv", e, True)
    def op_MatrixFrac(self, e: Any) -> Item: return self.graph.node("matfrac", [self.lower(e.args[0]), self.symmetric(e.args[1])], e.shape)

    def op_lambda_sum_largest(self, e: Any) -> Item:
        return self.of_matrix("lambda_sumlargest", e, True, k=int(self.number_of(e.k)))

    def op_log1p(self, e: Any) -> Item:
        one = self.graph.node("const", [], (), value=1.0)
        return self.graph.node("log", [self.graph.node("sum", [self.lower(e.args[0]), one], e.shape)], e.shape)

    def op_huber(self, e: Any) -> Item:
        return self.graph.node("huber", [self.lower(e.args[0])], e.shape, m=self.number_of(e.M))

    def op_sum_largest(self, e: Any) -> Item:
        k = self.number_of(e.k)
        below, part = math.floor(k), k - math.floor(k)
        if part == 0:
            return self.reduced("sumlargest", e, k=below)
        above = self.reduced("sumlargest", e, k=below + 1)
        if below == 0:
            return self.graph.node("sum", [above], e.shape, factors=[part])
        return self.graph.node("sum", [self.reduced("sumlargest", e, k=below), above], e.shape, factors=[1 - part, part])

    def op_dotsort(self, e: Any) -> Item:
        if e.args[1].parameters():
            for p in e.args[1].parameters():
                self.out.fixed.append((p, flat(p.value)))
        w = flat(e.args[1].value)
        w = np.concatenate([w, np.zeros(e.args[0].size - w.size)])
        return self.graph.node("dotsort", [self.lower(e.args[0])], e.shape, weights=self.graph.buffers.add(w))

    def op_Pnorm(self, e: Any) -> Item:
        p = self.number_of(e.original_p)
        if p == 2:
            return self.reduced("norm2", e)
        if p < 1:
            return self.by_cones(e) or self.lower(cp.power(cp.sum(cp.power(e.args[0], p), axis=e.axis, keepdims=e.keepdims), 1 / p))
        return self.reduced("norm", e, p=p)

    def by_cones(self, e: Expression) -> Item | None:
        """A function that dcopt lacks as CVXPY states it for cone solvers: a bound of it, which is enough in
        a problem that is convex by CVXPY's rules. None where it has no such form, or that is not enough."""
        if not self.disciplined:
            return None
        from cvxpy.reductions.dcp2cone.canonicalizers import CANON_METHODS

        canon = CANON_METHODS.get(type(e))
        if canon is None:
            return None
        more = {}
        if type(e).__name__ == "perspective" and "solver_context" in inspect.signature(canon).parameters:
            # It is stated as a solver would have it; which one matters for the triangles of con_SvecPSD.
            from cvxpy.utilities.solver_context import SolverInfo

            if _TRIANGLES not in cp.installed_solvers():
                return None
            more["solver_context"] = SolverInfo(solver=_TRIANGLES)
        try:
            bound, constraints = canon(e, e.args, **more)
        except ValueError:  # a cone that wants affine arguments
            return None
        for c in constraints:
            self.constrain(c)
        return self.lower(bound if isinstance(bound, Expression) else Constant(bound))

    def op_PartialProblem(self, e: Any) -> Item:
        """The value of an inner problem: its variables become variables of the whole."""
        if not self.disciplined:
            raise UnsupportedError("the value of an inner problem, in a problem that is not convex by CVXPY's rules", "unsupported", "State both as one.", short(e))
        for c in e.args[0].constraints:
            self.constrain(c)
        return self.lower(e.args[0].objective.args[0])

    op_PnormApprox = op_Pnorm

    def op_Power(self, e: Any) -> Item:
        p = self.number_of(e.p)
        item = self.lower(e.args[0])
        if p == 1:
            return item
        if p == 0:
            return self.graph.node("const", [], e.shape, value=1.0)
        if p == 2:
            return self.graph.node("square", [item], e.shape)
        if p == .5:
            return self.graph.node("sqrt", [item], e.shape)
        if p == -1:
            return self.graph.node("invpos", [item], e.shape)
        if p > 1 and p == int(p) and int(p) % 2 == 1:
            # CVXPY has odd powers of nonnegative arguments alone.
            self.at_least_zero(item, "the argument of " + short(e), e.args[0].size)
        return self.graph.node("power", [item], e.shape, p=p)

    op_PowerApprox = op_power = op_Power  # the last: before CVXPY 1.8

    def op_GeoMean(self, e: Any) -> Item:
        p = np.asarray(e.p, dtype=float).reshape(-1)
        item, groups = self.grouped(e.args[0], getattr(e, "axis", None))  # it has an axis from CVXPY 1.7 on
        m = e.args[0].size // groups
        kept = np.asarray(getattr(e, "_keep", p > 0))  # entries with the weight 0 take no part
        if not np.all(kept):
            p = p[kept] if p.size == m else p
            places = (np.flatnonzero(kept)[:, None] + m * np.arange(groups)).reshape(-1, order="F")
            item = self.take(item, places, (places.size,))
        extra = {"groups": groups} if groups != 1 else {}
        if np.all(p == p[0]):
            return self.graph.node("geomean", [item], e.shape, **extra)
        return self.graph.node("wgeomean", [item], e.shape, weights=self.graph.buffers.add(p), **extra)

    op_GeoMeanApprox = op_geo_mean = op_GeoMean

    def op_quad_over_lin(self, e: Any) -> Item:
        item, groups = self.grouped(e.args[0], getattr(e, "axis", None))
        extra = {"groups": groups} if groups != 1 else {}
        y = e.args[1]
        if y.is_constant() and not y.parameters() and np.all(flat(y.value) == 1):
            return self.graph.node("sumsq", [item], e.shape, **extra)
        return self.graph.node("quadoverlin", [item, self.lower(y)], e.shape, **extra)

    def op_QuadForm(self, e: Any) -> Item:
        x, p = e.args
        item = self.lower(x)
        if p.parameters():
            return self.graph.node("quad", [item, self.lower(p)], e.shape)
        m = p.value
        m = (m + m.T) / 2
        if sp.issparse(m):
            return self.graph.node("quad", [item], e.shape, **self.csr(m))
        return self.graph.node("quad", [item], e.shape, matrix=self.graph.buffers.add(flat(m)))

    def op_multiply(self, e: Any) -> Item:
        return self.elementwise("mul", e)

    def op_DivExpression(self, e: Any) -> Item:
        return self.elementwise("div", e)

    def op_MulExpression(self, e: Any) -> Item:
        """A product of two matrices, neither of which is data."""
        if any(len(a.shape) > 2 for a in e.args):
            raise UnsupportedError("a product of arrays with more than two dimensions", "unsupported", "Write it as products of matrices.", short(e))
        return self.graph.node("matmul", [self.lower(a) for a in e.args], e.shape)

    def op_Prod(self, e: Any) -> Item:
        item, groups = self.grouped(e.args[0], e.axis)
        n = e.args[0].size
        k = n // groups
        places = np.arange(n).reshape((k, groups), order="F")
        out = self.take(item, places[0], e.shape)
        for row in places[1:]:
            out = self.graph.node("mul", [out, self.take(item, row, e.shape)], e.shape)
        return out

    def along(self, e: Any) -> tuple[Item, int, np.ndarray]:
        """The argument with each line along the axis in one piece, the length of a line, and where each entry then stands. No axis: row by row."""
        x = e.args[0]
        places = np.arange(x.size).reshape(x.shape, order="F")
        lines = places.reshape((1, -1)) if e.axis is None or len(x.shape) < 2 else np.moveaxis(places, e.axis, -1)
        order = lines.reshape(-1)
        back = np.arange(x.size)
        if len(e.shape) > 1:  # else the lines are one, and the result
            back[order] = np.arange(x.size)
        return self.take(self.lower(x), order, (x.size,)), lines.shape[-1], back

    def op_cumsum(self, e: Any) -> Item:
        item, n, back = self.along(e)
        sums = self.graph.node("cumsum", [item], (int(e.size),), **({"groups": int(e.size // n)} if n != e.size else {}))
        return self.take(sums, back, e.shape)

    def running(self, op: str, e: Any) -> Item:
        """The operation on the entries up to each."""
        item, n, back = self.along(e)
        lines = np.arange(e.size).reshape(-1, n)
        out = [self.take(item, lines[:, 0], (len(lines),))]
        for k in range(1, n):
            out.append(self.graph.node(op, [out[-1], self.take(item, lines[:, k], (len(lines),))], (len(lines),)))
        # The results stand column by column of lines.
        m = sp.csr_array((np.ones(e.size), (back % n) * len(lines) + back // n, np.arange(e.size + 1)), shape=(e.size, e.size))
        return self.affine_of(out, [], e.shape, m)

    def op_cummax(self, e: Any) -> Item: return self.running("max", e)
    def op_cumprod(self, e: Any) -> Item: return self.running("mul", e)

    # Of real numbers: complex ones have become real and imaginary parts before.

    def op_real(self, e: Any) -> Item: return self.lower(e.args[0])
    def op_conj(self, e: Any) -> Item: return self.lower(e.args[0])
    def op_imag(self, e: Any) -> Item: return self.graph.node("const", [], e.shape, value=0.0)

    # Quotients and functions of positive numbers

    def op_one_minus_pos(self, e: Any) -> Item: return self.lower(1 - e.args[0])
    def op_gmatmul(self, e: Any) -> Item: return self.lower(cp.exp(e.A @ cp.log(e.args[0])))

    def op_dist_ratio(self, e: Any) -> Item:
        return self.lower(cp.norm(e.args[0] - e.args[1]) / cp.norm(e.args[0] - e.args[2]))

    def op_condition_number(self, e: Any) -> Item:
        return self.lower(cp.lambda_max(e.args[0]) / cp.lambda_min(e.args[0]))

    # Constraints

    def constrain(self, c: Any) -> None:
        kind = type(c).__name__
        build = getattr(self, "con_" + kind, None)
        if build is None:
            raise UnsupportedError(f"dcopt has no constraint {kind}", "unsupported", "", short(c))
        build(c)

    def add(self, c: Any, spec: dict[str, Any], parts: list[tuple[Any, int, tuple[int, ...], Callable[[np.ndarray], np.ndarray]]]) -> None:
        """Adds a constraint; parts are its dual variables with sizes and shapes."""
        self.graph.constraints.append(dict(spec, name=c))
        if len(parts) == 1 and parts[0][0] is not None:
            only, n, shape, turned = parts[0]
            if shape == (n,):
                self.out.duals.append((n, lambda y: only.save_value(turned(y))))
            else:
                self.out.duals.append((n, lambda y: only.save_value(turned(y).reshape(shape, order="F"))))
            return

        def save(y: np.ndarray) -> None:
            at = 0
            for var, n, shape, turn in parts:
                if var is not None:
                    var.save_value(turn(y[at:at + n]).reshape(shape, order="F"))
                at += n

        self.out.duals.append((sum(p[1] for p in parts), save))

    def difference(self, c: Any, kind: str, args: list[Expression], minus: bool = False) -> None:
        shape = c.shape if hasattr(c, "shape") else args[0].shape
        items = [self.lower(a) for a in args]
        if minus:
            items = [self.graph.node("sum", [items[0]], args[0].shape, factors=[-1.0])]
        n = max(a.size for a in args)
        self.add(c, {"kind": kind, "args": items}, [(c.dual_variables[0], n, shape if n == int(np.prod(shape, dtype=int)) else (n,), lambda y: y)])

    def con_Equality(self, c: Any) -> None: self.two_sided(c, "eq")
    def con_Inequality(self, c: Any) -> None: self.two_sided(c, "le")
    def con_Zero(self, c: Any) -> None: self.difference(c, "eq", [c.args[0]])
    def con_NonPos(self, c: Any) -> None: self.difference(c, "le", [c.args[0]])
    def con_NonNeg(self, c: Any) -> None: self.difference(c, "le", [c.args[0]], minus=True)

    def two_sided(self, c: Any, kind: str) -> None:
        left, right = c.args
        shape = np.broadcast_shapes(left.shape, right.shape)
        n = int(np.prod(shape, dtype=int))
        self.add(c, {"kind": kind, "args": [self.shaped(left, shape), self.shaped(right, shape)]},
                 [(c.dual_variables[0], n, shape, lambda y: y)])

    def con_PSD(self, c: Any) -> None:
        x = c.args[0]
        item = self.lower(x)
        if len(x.shape) == 2:
            self.add(c, {"kind": "psd", "args": [item]}, [(c.dual_variables[0], x.size, x.shape, lambda y: y)])
            return
        order, dual = self.semidefinite(item, x.shape, 1.0, short(c)), c.dual_variables[0]

        def save(y: np.ndarray) -> None:
            out = np.empty(x.size)
            out[order] = y
            dual.save_value(out.reshape(x.shape, order="F"))

        self.out.duals.append((x.size, save))

    def con_SvecPSD(self, c: Any) -> None:
        """Matrices by their upper triangles, column by column, what is off the diagonal times the square
        root of 2: as _TRIANGLES asks for."""
        x, n = c.args[0], c._cone_size()  # noqa: SLF001
        i, j = np.tril_indices(n)
        j, i = i, j  # of the upper triangle, column by column
        k = i.size
        weight = np.where(i == j, 1.0, math.sqrt(.5))
        for at in range(0, x.size, k):
            m = sp.coo_array((np.r_[weight, weight[i != j]], (np.r_[i + n * j, (j + n * i)[i != j]], np.r_[np.arange(k), np.flatnonzero(i != j)] + at)),
                             shape=(n * n, x.size))
            matrix = self.affine_of([self.lower(x)], [], (n, n), m)
            self.graph.constraints.append({"kind": "psd", "args": [matrix], "name": c})
        dual = c.dual_variables[0]

        def save(y: np.ndarray) -> None:
            each = y.reshape((-1, n * n))[:, i + n * j] / weight
            dual.save_value(each.reshape(dual.shape))

        self.out.duals.append((n * n * (x.size // k), save))

    def con_SOC(self, c: Any) -> None:
        t, x = c.args
        item, groups = (self.lower(x), 1) if t.size == 1 and x.size != 0 and len(x.shape) < 2 else self.grouped(x, c.axis)
        spec: dict[str, Any] = {"kind": "soc", "args": [self.lower(t), item]}
        if groups != 1:
            spec["groups"] = groups
        each = x.size // max(groups, 1)
        back = (lambda y: y) if c.axis == 0 or len(x.shape) < 2 else (lambda y: y.reshape((each, groups), order="F").T.reshape(-1, order="F"))
        self.add(c, spec, [(c.dual_variables[0], t.size, t.shape, lambda y: y), (c.dual_variables[1], x.size, x.shape, back)])

    def con_ExpCone(self, c: Any) -> None:
        self.add(c, {"kind": "exp", "args": [self.lower(a) for a in c.args]},
                 [(d, a.size, a.shape, lambda y: y) for d, a in zip(c.dual_variables, c.args)])

    def con_RelEntrConeQuad(self, c: Any) -> None:
        """x log(x/y) <= z, of which the quadrature is an approximation: exp(-z, x, y)."""
        x, y, z = (self.lower(a) for a in c.args)
        minus = self.graph.node("sum", [z], c.args[2].shape, factors=[-1.0])
        dx, dy, dz = c.dual_variables
        self.add(c, {"kind": "exp", "args": [minus, x, y]}, [
            (dz, c.args[2].size, c.args[2].shape, lambda v: -v), (dx, c.args[0].size, c.args[0].shape, lambda v: v),
            (dy, c.args[1].size, c.args[1].shape, lambda v: v)])

    def con_PowCone3D(self, c: Any) -> None:
        alpha = c.alpha
        for p in alpha.parameters():
            self.out.fixed.append((p, flat(p.value)))
        self.add(c, {"kind": "pow", "args": [self.lower(a) for a in c.args], "alpha": self.graph.buffers.add(flat(alpha.value))},
                 [(d, a.size, a.shape, lambda y: y) for d, a in zip(c.dual_variables, c.args)])

    con_PowCone3DApprox = con_PowCone3D

    def con_PowConeND(self, c: Any) -> None:
        w, z = c.args
        alpha = np.asarray(c.alpha.value if isinstance(c.alpha, Expression) else c.alpha, dtype=float)
        if c.axis == 1:
            alpha = alpha.T
        item, groups = (self.lower(w), 1) if len(w.shape) < 2 else self.grouped(w, c.axis)
        each = w.size // max(groups, 1)
        back = (lambda y: y) if c.axis == 0 or len(w.shape) < 2 else (lambda y: y.reshape((each, groups), order="F").T.reshape(-1, order="F"))
        powers = flat(alpha).reshape((each, -1), order="F")  # CVXPY lets their sums differ from 1 by 1e-6
        spec: dict[str, Any] = {"kind": "pownd", "args": [item, self.lower(z)], "alpha": self.graph.buffers.add(powers / powers.sum(axis=0))}
        if groups != 1:
            spec["groups"] = groups
        self.add(c, spec, [(c.dual_variables[0], w.size, w.shape, back), (c.dual_variables[1], z.size, z.shape, lambda y: y)])


def lower(problem: cp.Problem, conic: bool = False, parts: list[tuple[Expression, Expression]] | None = None) -> Lowered:
    """The graph of a real problem; conic: a function of what is not affine is stated by cones, as CVXPY
    does, where the problem is convex by its rules; parts: the real and imaginary parts of complex expressions.
    Raises UnsupportedError with the place."""
    k = Lowerer()
    k.parts = parts or []
    k.disciplined = k.out.disciplined = problem.is_dcp()
    k.conic = conic
    objective = problem.objective
    item = k.lower(objective.args[0])
    k.out.maximize = isinstance(objective, cp.Maximize)
    k.graph.objective = {"sense": "maximize" if k.out.maximize else "minimize", "node": item}
    for c in problem.constraints:
        if c.variables():
            k.constrain(c)
        else:
            k.out.data.append(c)
    for v in problem.variables():
        k.variable(v)
    k.extract()
    base = len(k.graph.variables) + len(k.graph.parameters)
    for i, v in enumerate(k.out.variables):
        k.out.names.nodes[i] = v.name()
    for i, e in enumerate(k.out.parameter_exprs):
        k.out.names.nodes[len(k.graph.variables) + i] = e
    for i, n in enumerate(k.graph.nodes):
        if "name" in n:
            k.out.names.nodes[base + i] = n["name"]
    for i, c in enumerate(k.graph.constraints):
        k.out.names.constraints[i] = c.get("name", "")
    return k.out
