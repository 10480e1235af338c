"""scikit-learn estimators over dcopt's linear dilation-erosion regressors."""

from __future__ import annotations

import html
import re
import warnings
from typing import TYPE_CHECKING, Any, Literal, Mapping

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        return estimator._validate_data(*args, **kwargs)


from ._errors import DcoptError
from ._spread import Spread
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


def _mixed(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
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
    from numpy.typing import ArrayLike, NDArray

Method = Literal["auto", "cheap", "bagged", "ensemble", "ccp", "split", "dca", "refit"]

# The methods that take pieces. The others choose.
_WITH_PIECES = ("ccp", "split", "dca", "refit")


# What a person reads: the terms of a formula, if formula_size does not say.
_READABLE = 12

# The rows, a sample, that a formula beside the model and the importances of features are made of.
_SAMPLE = 2000


def _named(text: str, classes: list[str]) -> str:
    """A formula with the names of the classes in the places of their numbers, which stand before the sign of equality."""
    return re.sub(r'(?m)^(?:"|\\text\{)?(\d{6})["}]?(?= =)', lambda m: classes[int(m[1])], text)


def _tex(name: str) -> str:
    return r"\text{" + re.sub(r"([#$%&_{}])", r"\\\1", name) + "}"


class Formula(str):
    """A formula as text; notebooks show it as mathematics.

    Attributes
    ----------
    latex : str
        The formula in LaTeX.
    terms : int
        Slopes and constants that are not 0.
    score, model_score : float
        The share of the variance that the formula explains of the rows of the fit, or a sample of them, and the share that the model does; of
        classifiers the shares of labels that are right.

    Examples
    --------
    >>> import dcopt, numpy as np
    >>> X = np.linspace(-2, 2, 80).reshape(-1, 1)
    >>> formula = dcopt.LDERegressor().fit(X, np.abs(X[:, 0])).formula_
    >>> formula.terms <= 12, formula.score > 0.99
    (True, True)
    """

    latex: str
    terms: int
    score: float
    model_score: float

    def __new__(cls, text: str, latex: str = "", terms: int = 0, score: float = float("nan"), model_score: float = float("nan")) -> Formula:
        out = super().__new__(cls, text)
        out.latex, out.terms, out.score, out.model_score = latex, terms, score, model_score
        return out

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.latex, self.terms, self.score, self.model_score

    def _repr_latex_(self) -> str:
        return self.latex

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>\n<p>{self.terms} terms, score {self.score:.3g}; the model has {self.model_score:.3g}</p>"


class _LDE(BaseEstimator):
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

    def _fitted(self, X: np.ndarray, targets: tuple[str, np.ndarray, str], more: dict[str, Any], weights: np.ndarray | None, settings: dict[str, Any]) -> tuple[Held, Reply]:
        """A model of the rows, in the worker, and what is told of it."""
        w, buffers = worker(), Buffers()
        held, (name, values, kind) = w.hold("model"), targets
        header = {"type": "fit", "model": held.handle, "kind": self._kind, "shape": list(X.shape), "X": buffers.add(np.ascontiguousarray(X).reshape(-1)),
                  name: buffers.add(values, kind), "settings": settings, **more}
        if weights is not None:
            header["weights"] = buffers.add(weights)
        if hasattr(self, "feature_names_in_"):
            header["features"] = [str(f) for f in self.feature_names_in_]
        return held, w.request(header, buffers, held=held)

    def _train(self, X: np.ndarray, targets: tuple[str, np.ndarray, str], more: dict[str, Any], weights: np.ndarray | None) -> None:
        settings = self._settings()
        try:
            held, reply = self._fitted(X, targets, more, weights, settings)
            self.model_ = self._exported(held, "json")
            self._held = held
            # The rows stand in an order that has nothing to do with what is in them: the first are a sample.
            X, w = X[:_SAMPLE], None if weights is None else weights[:_SAMPLE]
            targets = (targets[0], targets[1][:_SAMPLE], targets[2])
            self._importances(X)
            self._explain(X, targets, more, w, settings, held, reply)
        except DcoptError as e:
            if e.kind in ("data", "request"):
                raise ValueError(str(e).replace("the setting seed", "the setting random_state")) from e
            raise
        self.training_ = reply["training"]
        self.used_features_ = np.asarray(reply["used_features"], dtype=int)
        self.terms_ = int(reply["terms"])
        self.n_iter_ = max(1, int(reply["training"].get("iterations", 1)))
        if self.training_["status"] != "converged":
            warnings.warn(f"the fit ended as {self.training_['status']}: the model is the best so far. Raise max_iter or time_limit.",
                          ConvergenceWarning, stacklevel=3)

    @staticmethod
    def _exported(held: Held, form: str) -> str:
        return held.worker.request({"type": "export", "model": held.handle, "format": form}, held=held).text()

    def _values(self, held: Held, X: np.ndarray) -> np.ndarray:
        """Predictions, or probabilities."""
        reply = self._predicted(held, X)
        y = reply.array("y" if self._kind == "regressor" else "proba")
        return np.array(y).reshape(len(X), -1)

    def _importances(self, X: np.ndarray) -> None:
        """How much predictions change, in the mean square, where a feature has the value of another row."""
        out = np.zeros(X.shape[1])
        X = X[:_SAMPLE // 4]
        base = self._values(self._held, X)
        for j in range(X.shape[1]):
            other = X.copy()
            other[:, j] = np.roll(X[:, j], len(X) // 2)
            out[j] = np.mean(np.square(self._values(self._held, other) - base))
        self.feature_importances_ = out / out.sum() if out.sum() > 0 else out

    def _explain(self, X: np.ndarray, targets: tuple[str, np.ndarray, str], more: dict[str, Any], weights: np.ndarray | None,
                 settings: dict[str, Any], held: Held, reply: Reply) -> None:
        """Sets formula_: the model where it is short or formula_size says what it is, else another one of few terms."""
        of, told = held, reply
        if self.formula_size is None and reply["terms"] > _READABLE:
            short = {k: v for k, v in settings.items() if k in ("seed", "max_features", "time_limit")}
            of, told = self._fitted(X, targets, more, weights, {**short, "method": "auto", "formula_size": _READABLE})
        try:
            text, latex = self._exported(of, "text").strip(), self._exported(of, "latex")
        except DcoptError:  # a stack of few terms
            text, latex = self._exported(of, "text").strip(), ""
        if "classes" in more:
            text, latex = (_named(t, [escape(str(c)) for c in self.classes_]) for t, escape in ((text, str), (latex, _tex)))
        scores = [self._score_of(self._values(h, X), targets[1], weights) for h in (of, held)]
        self.formula_ = Formula(text, latex, int(told["terms"]), *scores)

    def _score_of(self, values: np.ndarray, right: np.ndarray, weights: np.ndarray | None) -> float:
        if self._kind == "classifier":
            return float(np.average(values.argmax(axis=1) == right, weights=weights))
        mean = np.average(right, weights=weights)
        spread = np.average(np.square(right - mean), weights=weights)
        return float(1 - np.average(np.square(right - values[:, 0]), weights=weights) / spread) if spread > 0 else float("nan")

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
        return self._predicted(self._loaded(), X)

    @staticmethod
    def _predicted(held: Held, X: np.ndarray) -> Reply:
        buffers = Buffers()
        header = {"type": "predict", "model": held.handle, "shape": list(X.shape), "X": buffers.add(np.ascontiguousarray(X).reshape(-1))}
        return held.worker.request(header, buffers, held=held)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_held", None)
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class LDERegressor(RegressorMixin, _LDE):
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
        Seconds; the best model so far is kept then. A formula beside the model takes some more.
    max_features : int, optional
        At most so many features in a model, of methods that choose them; of stacks in each of their models. None: as many as pay.
    formula_size : int, optional
        At most so many terms, slopes and constants that are not 0, in the model of "auto". None: as many as pay.

    Attributes
    ----------
    formula_ : Formula
        The model in the units of the data, if it has at most 12 terms or formula_size is given; else another model of at most 12 terms, of at most 2000
        of the rows. `formula_.score` and `formula_.model_score` say how well both fit.
    feature_importances_ : ndarray
        How much predictions change, in the mean square, where a feature has the value of another row; they add up to 1.
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
        rows, values = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        rows, values, weights = _distinct(rows, np.asarray(values, dtype=float), _weights(sample_weight, len(rows)))
        self._train(rows, ("y", values, "f64"), {}, weights)
        rows, values, weights = rows[:_SAMPLE], values[:_SAMPLE], None if weights is None else weights[:_SAMPLE]
        told = self.training_
        unseen = told["oob"] / told["fvu"] if told["oob"] >= 0 and told["fvu"] > 0 else len(values) / max(len(values) - self.terms_, 1)
        self._spread = Spread(self.model_, rows, values - self._values(self._held, rows)[:, 0], weights, unseen)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The predicted targets; with return_std also the standard deviation of their errors at each row.

        Its square is the variance of errors on the piece of the model that holds at the row, times 1 + the leverage of the row among the rows of
        the fit on that piece; of a model of several differences of maxima, the mean over these, which blurs. Errors of at most 2000 rows of the fit count, and
        are scaled to those on rows that had no part in the fit, as `training_["oob"]` says; where the method has none, by n / (n - terms_).
        """
        reply = self._predict(X)
        y = np.array(reply.array("y"))
        if not return_std:
            return y
        return y, self._spread.at(validate_data(self, X, reset=False, dtype=np.float64))


class LDEClassifier(ClassifierMixin, _LDE):
    """A classifier by linear dilation-erosion functions: one for two classes, else one for each class against the others.

    Parameters and attributes are those of LDERegressor, and:

    Parameters
    ----------
    class_weight : mapping or "balanced", optional
        Weights of the classes, which multiply those of the rows; "balanced": each class weighs as much as any other.

    Attributes
    ----------
    formula_ : Formula
        A score for each class, the largest is that of the predicted class; of two classes that of the second, which is predicted where it is above 0.
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

    def __init__(self, method: Method = "auto", pieces: tuple[int, int] | None = None, max_iter: int | None = None, tol: float | None = None,
                 ridge: float | None = None, random_state: int | np.random.RandomState | None = 0, time_limit: float | None = None,
                 max_features: int | None = None, formula_size: int | None = None, class_weight: Mapping[Any, float] | str | None = None) -> None:
        super().__init__(method, pieces, max_iter, tol, ridge, random_state, time_limit, max_features, formula_size)
        self.class_weight = class_weight

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LDEClassifier:
        """Trains on the rows of X and their classes y. Raises: ValueError for data or settings that cannot be used."""
        rows, targets = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(targets)
        self.classes_, labels = np.unique(targets, return_inverse=True)
        weights = _weights(sample_weight, len(rows))
        seen = np.unique(labels if weights is None else labels[weights > 0])
        if len(seen) < 2:
            raise ValueError(f"the target has {len(seen)} class{'es' if len(seen) > 1 else ''}, want at least two")
        if self.class_weight is not None:
            each = compute_sample_weight(self.class_weight, targets)
            weights = each if weights is None else weights * each
        rows, labels, weights = _distinct(rows, labels, weights)
        # The program sorts the names of classes: numbers with leading zeros keep the order.
        names = [f"{k:06d}" for k in range(len(self.classes_))]
        self._train(rows, ("labels", labels, "i32"), {"classes": names}, weights)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The predicted classes."""
        labels = self._predict(X).array("labels")
        classes: np.ndarray = self.classes_[np.array(labels)]
        return classes

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities, one column for each of classes_."""
        proba = self._predict(X).array("proba")
        return np.array(proba).reshape(-1, len(self.classes_))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds: of two classes those of the second, one for each sample, else one for
        each of classes_. The largest is that of the predicted class."""
        p = np.clip(self.predict_proba(X), 1e-300, 1.0)
        odds: np.ndarray = np.log(p[:, 1]) - np.log(p[:, 0]) if p.shape[1] == 2 else np.log(p) - np.log(np.maximum(1 - p, 1e-300))
        return odds
