"""Entry for the living edition of SRBench: the linear dilation-erosion regressor, one
formula, a difference of two maxima of affine functions, with the package dcopt.

est is the estimator with its defaults, model(est, X) its formula as a string that
sympy reads, with the columns of X as names.
"""

import json

from dcopt import LDERegressor

est = LDERegressor(method="auto", random_state=0)
# The method chooses sizes, penalties and features itself: nothing to tune.
hyper_params = []


def complexity(est):
    """How many slopes and constants are not 0."""
    return est.terms_


def model(est, X=None):
    """The fitted formula, for features in their own units."""
    file = json.loads(est.model_)
    names = list(X.columns) if X is not None and hasattr(X, "columns") else file["features"]
    mean, scale = file["scaling"]["mean"], file["scaling"]["scale"]
    pieces = file["model"]
    # The first piece of the second maximum is taken from all: it is 0 then.
    slopes, constant = pieces["m"][0], pieces["b"][0]

    def affine(row, offset):
        w = [(v - s) / d for v, s, d in zip(row, slopes, scale)]
        c = offset - constant - sum(v * m for v, m in zip(w, mean))
        terms = [f"({v!r})*{name}" for v, name in zip(w, names) if v != 0]
        return " + ".join([*terms, f"({c!r})"])

    def largest(rows, offsets):
        all = [affine(row, offset) for row, offset in zip(rows, offsets)]
        return all[0] if len(all) == 1 else "Max(" + ", ".join(all) + ")"

    text = largest(pieces["w"], pieces["a"])
    if len(pieces["m"]) > 1:
        text += " - " + largest(pieces["m"], pieces["b"])
    if "clip" in file:
        low, high = file["clip"]
        text = f"Min(Max({text}, {low!r}), {high!r})"
    return text
