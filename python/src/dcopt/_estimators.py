"""scikit-learn estimators over dcopt's linear dilation-erosion regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        return estimator._validate_data(*args, **kwargs)


from ._errors import DcoptError
from ._worker import Buffers, Held, Reply, worker


def _weights(sample_weight: Any, n: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    w = np.asarray(sample_weight, dtype=float)
    if w.ndim == 0:
        w = np.full(n, float(w))
    if w.shape != (n,):
        raise ValueError(f"sample_weight has the shape {w.shape}, want ({n},)")
    if not np.all(np.isfinite(w)) or np.any(w < 0):
        raise ValueError("sample_weight has numbers that are negative, infinite or NaN")
    if not np.any(w > 0):
        raise ValueError("all sample weights are zero")
    return w


def _mixed(h: np.ndarray) -> np.ndarray:
    """The finaliser of splitmix64, a bijection of 64-bit numbers: Steele, Lea and Flood 2014."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


def _distinct(X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The distinct rows of X and y that have a weight, in an order that follows from their contents, and the
    sums of their weights; None where these are equal.

    A model is drawn and chosen by rows. So it depends on how much each row weighs alone, not on the order
    of the rows, or on whether a row has the weight 2 or stands there twice.
    """
    if weights is not None and np.any(weights == 0):
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
    h = np.zeros(len(X), dtype=np.uint64)
    for column in (*X.T, y):
        h = _mixed(h + (np.asarray(column, dtype=float) + 0.0).view(np.uint64))  # -0 is 0
    order = np.argsort(h, kind="stable")
    X, y, h = X[order], y[order], h[order]
    w = np.ones(len(X)) if weights is None else weights[order]
    first = np.r_[True, (h[1:] != h[:-1]) | np.any(X[1:] != X[:-1], axis=1) | (y[1:] != y[:-1])]
    if not np.all(first):
        X, y, w = X[first], y[first], np.add.reduceat(w, np.flatnonzero(first))
    return X, y, None if np.all(w == w[0]) else w


if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Method = Literal["auto", "cheap", "bagged", "ensemble", "ccp", "split", "dca", "refit"]

# The methods that take pieces. The others choose.
_WITH_PIECES = ("ccp", "split", "dca", "refit")


class _LDE(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both estimators share: the worker and the model, as the text of its file."""

    _kind = ""

    def __init__(self, method: Method = "auto", pieces: tuple[int, int] | None = None, max_iter: int | None = None, tol: float | None = None,
                 ridge: float | None = None, random_state: int | np.random.RandomState | None = 0, time_limit: float | None = None,
                 max_features: int | None = None, formula_size: int | None = None) -> None:
        self.method = method
        self.pieces = pieces
        self.max_iter = max_iter
        self.tol = tol
        self.ridge = ridge
        self.random_state = random_state
        self.time_limit = time_limit
        self.max_features = max_features
        self.formula_size = formula_size

    def _settings(self) -> dict[str, Any]:
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31)
        s: dict[str, Any] = {"method": self.method, "seed": int(seed)}
        if self.pieces is not None:
            if self.method not in _WITH_PIECES:
                raise ValueError(f"method {self.method!r} chooses the numbers of pieces itself: leave pieces out, or take one of {', '.join(_WITH_PIECES)}")
            s["pieces"] = [int(v) for v in self.pieces]
        for name in ("max_iter", "tol", "ridge", "time_limit", "max_features", "formula_size"):
            if getattr(self, name) is not None:
                s[name] = getattr(self, name)
        return s

    def _train(self, X: np.ndarray, more: dict[str, Any], buffers: Buffers, weights: np.ndarray | None) -> Reply:
        w = worker()
        held = w.hold("model")
        header = {"type": "fit", "model": held.handle, "kind": self._kind, "shape": list(X.shape),
                  "X": buffers.add(np.ascontiguousarray(X).reshape(-1)), "settings": self._settings(), **more}
        if weights is not None:
            header["weights"] = buffers.add(weights)
        if hasattr(self, "feature_names_in_"):
            header["features"] = [str(f) for f in self.feature_names_in_]
        try:
            reply = w.request(header, buffers, held=held)
            self.model_ = w.request({"type": "export", "model": held.handle, "format": "json"}, held=held).text()
            if self._kind == "regressor":
                self.formula_ = w.request({"type": "export", "model": held.handle, "format": "text"}, held=held).text().strip()
        except DcoptError as e:
            if e.kind in ("data", "request"):
                raise ValueError(str(e).replace("the setting seed", "the setting random_state")) from e
            raise
        self._held = held
        self.training_ = reply["training"]
        self.used_features_ = np.asarray(reply["used_features"], dtype=int)
        self.terms_ = int(reply["terms"])
        self.n_iter_ = max(1, int(reply["training"].get("iterations", 1)))
        return reply

    def _loaded(self) -> Held:
        """The model in the worker, which is given it again after a fork, a restart or
        unpickling."""
        w = worker()
        w.link()
        held = getattr(self, "_held", None)
        if held is None or not held.here(w):
            held = w.hold("model")
            buffers = Buffers()
            file = np.frombuffer(self.model_.encode(), dtype=np.uint8)
            w.request({"type": "load_model", "model": held.handle, "file": buffers.add(file, "u8")}, buffers, held=held)
            self._held = held
        return held

    def _predict(self, X: Any) -> Reply:
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        held = self._loaded()
        buffers = Buffers()
        header = {"type": "predict", "model": held.handle, "shape": list(X.shape), "X": buffers.add(np.ascontiguousarray(X).reshape(-1))}
        return held.worker.request(header, buffers, held=held)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_held", None)
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class LDERegressor(RegressorMixin, _LDE):  # type: ignore[misc]
    """A piecewise linear regressor: the difference of two maxima of affine functions.

    Parameters
    ----------
    method : str
        "auto" (one model that can be read), "cheap", "bagged", "ensemble" (the most accurate), or "ccp", "split", "dca", "refit", which take pieces.
    pieces : pair of int, optional
        Numbers of affine functions in the two maxima; (3, 2) if left out. Only for methods that do not choose them.
    max_iter, tol, ridge : numbers, optional
        Of methods that do not choose; None: the method's own.
    random_state : int, RandomState or None
        Seed of what is drawn. None draws anew in each fit.
    time_limit : float, optional
        Seconds; the best model so far is kept then.
    max_features : int, optional
        At most so many features in a model, of methods that choose them; of stacks in each of their models. None: as many as pay.
    formula_size : int, optional
        At most so many terms, slopes and constants that are not 0, in the formula of "auto". None: as many as pay.

    Attributes
    ----------
    formula_ : str
        The model in the units of the data; of stacks a summary.
    used_features_ : ndarray
        The features that the model depends on, by number, ascending.
    terms_ : int
        How many slopes and constants of it are not 0.
    training_ : dict
        Rows, iterations, errors; oob is the fraction of variance unexplained on rows that had no part in the fit, -1 where it is unknown.
    model_ : str
        The model file, for `dcopt predict`.

    References
    ----------
    Oliveira and Valle 2023, Linear dilation-erosion perceptron trained using a convex-concave procedure.

    Examples
    --------
    >>> import dcopt, numpy as np
    >>> X = np.linspace(-2, 2, 80).reshape(-1, 1)
    >>> model = dcopt.LDERegressor(method="ccp", pieces=(2, 1), random_state=1).fit(X, np.abs(X[:, 0]))
    >>> model.predict([[-1.5], [0.5]]).round(2).tolist()
    [1.5, 0.5]
    >>> model.score(X, np.abs(X[:, 0])) > 0.999
    True
    """

    _kind = "regressor"

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LDERegressor:
        """Trains on the rows of X and the targets y. Raises: ValueError for data or settings that cannot be used."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        X, y, weights = _distinct(X, np.asarray(y, dtype=float), _weights(sample_weight, len(X)))
        buffers = Buffers()
        self._train(X, {"y": buffers.add(y)}, buffers, weights)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The predicted targets."""
        return np.array(self._predict(X).array("y"))


class LDEClassifier(ClassifierMixin, _LDE):  # type: ignore[misc]
    """A classifier by linear dilation-erosion functions: one for two classes, else one for each class against the others.

    Parameters and attributes are those of LDERegressor; there is no formula_.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.

    Examples
    --------
    >>> import dcopt, numpy as np
    >>> X = np.linspace(-2, 2, 80).reshape(-1, 1)
    >>> model = dcopt.LDEClassifier(method="cheap").fit(X, np.where(np.abs(X[:, 0]) < 1, "in", "out"))
    >>> model.predict([[-1.5], [0.0]]).tolist()
    ['out', 'in']
    """

    _kind = "classifier"

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LDEClassifier:
        """Trains on the rows of X and their classes y. Raises: ValueError for data or settings that cannot be used."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        weights = _weights(sample_weight, len(X))
        seen = np.unique(labels if weights is None else labels[weights > 0])
        if len(seen) < 2:
            raise ValueError(f"the target has {len(seen)} class{'es' if len(seen) > 1 else ''}, want at least two")
        X, labels, weights = _distinct(X, labels, weights)
        buffers = Buffers()
        # The program sorts the names of classes: numbers with leading zeros keep the order.
        names = [f"{k:06d}" for k in range(len(self.classes_))]
        self._train(X, {"labels": buffers.add(labels, "i32"), "classes": names}, buffers, weights)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The predicted classes."""
        labels = self._predict(X).array("labels")
        return self.classes_[np.array(labels)]

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities, one column for each of classes_."""
        proba = self._predict(X).array("proba")
        return np.array(proba).reshape(-1, len(self.classes_))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds: of two classes those of the second, one for each sample, else one for
        each of classes_. The largest is that of the predicted class."""
        p = np.clip(self.predict_proba(X), 1e-300, 1.0)
        if p.shape[1] == 2:
            return np.log(p[:, 1]) - np.log(p[:, 0])
        return np.log(p) - np.log(np.maximum(1 - p, 1e-300))
