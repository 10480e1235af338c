"""The spread of a regressor's errors at a point, from its pieces."""

from __future__ import annotations

import json
from typing import Any, Iterator

import numpy as np


class _Part:
    """The difference of two maxima: which of its pieces holds at a row, the variance of errors on each and the rows that it was seen at.

    A piece counts one further row, the mean of all, for its variance and its leverage, so that pieces without rows have both.
    """

    def __init__(self, part: dict[str, Any], rows: np.ndarray, squares: np.ndarray, weights: np.ndarray) -> None:
        self.above, self.below = (np.column_stack([part[c], part[w]]) for c, w in (("a", "w"), ("b", "m")))
        at, d = self._piece(rows), rows.shape[1]
        count = np.bincount(at, weights, minlength=self.pieces)
        all_rows = rows.T @ (weights[:, None] * rows) / weights.sum() + 1e-9 * np.eye(d)
        self.variance = (np.bincount(at, weights * squares, minlength=self.pieces) + np.average(squares, weights=weights)) / (count + 1)
        self.inverse = np.array([np.linalg.inv(rows[at == k].T @ (weights[at == k, None] * rows[at == k]) + all_rows) for k in range(self.pieces)])

    @property
    def pieces(self) -> int:
        return len(self.above) * len(self.below)

    def _piece(self, rows: np.ndarray) -> np.ndarray:
        at: np.ndarray = np.argmax(rows @ self.above.T, axis=1) * len(self.below) + np.argmax(rows @ self.below.T, axis=1)
        return at

    def of(self, rows: np.ndarray) -> np.ndarray:
        at = self._piece(rows)
        out: np.ndarray = self.variance[at]
        for k in np.unique(at):
            z = rows[at == k]
            out[at == k] *= 1 + np.einsum("ij,jk,ik->i", z, self.inverse[k], z)
        return out


def _parts(model: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "w" in model and "m" in model:
        yield model
    for below in model.values():
        for m in below if isinstance(below, list) else [below]:
            if isinstance(m, dict):
                yield from _parts(m)


class Spread:
    """The spread of the errors of a model, given as the text of its file, which has the errors y - prediction at the rows X of the fit.
    unseen: the factor from the variance of these errors to that on other rows."""

    def __init__(self, model: str, X: np.ndarray, errors: np.ndarray, weights: np.ndarray | None, unseen: float) -> None:
        file = json.loads(model)
        scaling = file.get("scaling", {})
        self.mean = np.asarray(scaling.get("mean", np.zeros(X.shape[1])))
        scale = np.asarray(scaling.get("scale", np.ones(X.shape[1])))
        self.scale = np.where(scale > 0, scale, 1.0)
        w = np.ones(len(X)) if weights is None else weights
        one = {"w": np.zeros((1, X.shape[1])), "a": [0.0], "m": np.zeros((1, X.shape[1])), "b": [0.0]}
        found = [p for p in _parts({"model": file.get("model"), "ensemble": file.get("ensemble")}) if np.shape(p["w"])[-1] == X.shape[1]]
        found = [p for p in found if len(p["w"]) * len(p["m"]) > 1] or [one]  # an affine part tells no rows apart
        self.parts = [_Part(p, self._rows(X), unseen * np.square(errors), w) for p in found]

    def _rows(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(X)), (X - self.mean) / self.scale])

    def at(self, X: np.ndarray) -> np.ndarray:
        rows = self._rows(X)
        return np.sqrt(sum(p.of(rows) for p in self.parts) / len(self.parts))
