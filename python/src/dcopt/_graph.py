"""Expression graphs as docs/protocol.md has them, and the problems loaded from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from ._errors import Places
from ._worker import Buffers, Held, Reply, Text, Turn, worker


@dataclass
class Graph:
    """A problem that is being written. Variables come first, then parameters, then nodes:
    numbers are given when it is sent, so add in any order and refer to what add returned. The name of
    a node or constraint may be the expression itself, whose text is then made for messages alone."""

    variables: list[dict[str, Any]] = field(default_factory=list)
    parameters: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    constraints: list[dict[str, Any]] = field(default_factory=list)
    objective: dict[str, Any] | None = None
    buffers: Buffers = field(default_factory=Buffers)

    def number(self, item: tuple[str, int]) -> int:
        kind, k = item
        if kind == "v":
            return k
        if kind == "p":
            return len(self.variables) + k
        return len(self.variables) + len(self.parameters) + k

    def node(self, op: str, args: list[tuple[str, int]], shape: tuple[int, ...], name: Any = "", **attrs: Any) -> tuple[str, int]:
        n: dict[str, Any] = {"op": op, "args": args, "shape": [int(s) for s in shape]}
        if attrs:
            n["attrs"] = attrs
        if not isinstance(name, str) or name:
            n["name"] = name
        self.nodes.append(n)
        return ("n", len(self.nodes) - 1)

    def message(self, handle: int) -> dict[str, Any]:
        def numbered(d: dict[str, Any]) -> dict[str, Any]:
            d = dict(d)
            if "args" in d:
                d["args"] = [self.number(a) for a in d["args"]]
            if not isinstance(d.get("name", ""), str):  # an expression of the user's: see Places
                del d["name"]
            return d

        m: dict[str, Any] = {"type": "load", "problem": handle, "variables": self.variables}
        if self.parameters:
            m["parameters"] = self.parameters
        if self.nodes:
            m["nodes"] = [numbered(n) for n in self.nodes]
        if self.constraints:
            m["constraints"] = [numbered(c) for c in self.constraints]
        if self.objective is not None:
            m["objective"] = dict(self.objective, node=self.number(self.objective["node"]))
        return m


class Loaded:
    """A graph that a worker holds. It is loaded again where the worker has been started anew,
    or belongs to another process."""

    def __init__(self, graph: Graph, names: Places) -> None:
        self.graph, self.names = graph, names
        self._turn = Turn()
        self._held: Held | None = None
        self.convex = False  # once loaded: nothing is linearised
        self._key: Any = None  # of the request whose header _text is
        self._text: Text | None = None

    def _load(self) -> Held:
        """What the worker holds. The caller has the turn."""
        w = worker()
        w.link()
        held = self._held
        if held is None or not held.here(w):
            held = w.hold("problem")
            self.convex = bool(w.request(self.graph.message(held.handle), self.graph.buffers, names=self.names, held=held)["convex"])
            self._held, self._key = held, None
        return held

    def request(self, header: dict[str, Any] | Callable[[], dict[str, Any]], buffers: Buffers | None = None,
                progress: Callable[[Reply], None] | None = None, key: Any = None) -> Reply:
        """Sends a request about the problem. key: of two calls one after the other with keys that are equal, and buffers of
        the same sizes, the second has the header of the first; it is not made anew."""
        with self._turn(worker()):
            held = self._load()
            if key is not None and buffers is not None:
                key = (key, [a.size for a in buffers.arrays])
            if key is None or key != self._key:
                made = dict(header() if callable(header) else header, problem=held.handle)
                if key is None:
                    return held.worker.request(made, buffers, progress, self.names, held)
                self._text, self._key = Text(made, buffers), key
            assert self._text is not None
            return held.worker.request(self._text, buffers, progress, self.names, held)

    def keep(self, what: str, header: dict[str, Any], buffers: Buffers) -> tuple[Held, Reply]:
        """Sends a request whose result the worker keeps under a handle, which is given."""
        with self._turn(worker()):
            held = self._load()
            result = held.worker.hold(what)
            made = dict(header, problem=held.handle)
            made[what] = result.handle
            return result, held.worker.request(made, buffers, None, self.names, held)

    def load(self) -> bool:
        """Loads the graph; whether the problem is convex as dcopt splits it."""
        with self._turn(worker()):
            self._load()
        return self.convex


def flat(value: Any) -> np.ndarray:
    """The entries in column-major order, dense."""
    if type(value) is not np.ndarray and hasattr(value, "toarray"):
        value = value.toarray()
    return np.asarray(value, dtype=float).reshape(-1, order="F")
