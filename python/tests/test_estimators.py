"""The estimators of scikit-learn."""

import inspect
import pickle
import re

import numpy as np
import pytest

import need

need.module("sklearn")
from sklearn.datasets import make_friedman1  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.metrics import r2_score  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import dcopt  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [dcopt.LDERegressor(method="cheap"), dcopt.LDEClassifier(method="cheap")], ids=["regressor", "classifier"])
def test_check_estimator(estimator):
    failed, passed = [], 0
    for name, outcome in outcomes(estimator):
        failed += [(name, outcome)] if outcome else []
        passed += not outcome
    assert not failed and passed > 40


def outcomes(estimator):
    """The checks of scikit-learn, and what each has found or ""."""
    if "on_fail" in inspect.signature(check_estimator).parameters:  # from 1.6 on
        for r in check_estimator(estimator, on_fail=None):
            if r["status"] in ("passed", "failed"):
                yield r["check_name"], str(r["exception"])[:200] if r["status"] == "failed" else ""
        return
    for copy, check in check_estimator(estimator, generate_only=True):
        try:
            check(copy)
        except need.LEFT_OUT:
            continue
        except Exception as e:
            yield str(check), str(e)[:200]
        else:
            yield str(check), ""


def test_repeated_rows_are_weights():
    """The order of the rows does not matter, and a row that stands there twice is one of the weight 2."""
    x, y = bent(80)
    x[:5, 0] = 0.0
    w = np.arange(80) % 4
    each = np.repeat(np.arange(80), w)
    shuffled = np.random.default_rng(7).permutation(len(each))
    one = dcopt.LDERegressor().fit(x, y, sample_weight=w)
    other = dcopt.LDERegressor().fit((x * 1.0)[each][shuffled] * np.where(x[each][shuffled] == 0, -1.0, 1.0), y[each][shuffled])
    assert one.formula_ == other.formula_
    np.testing.assert_array_equal(one.predict(x), other.predict(x))
    assert one.formula_ == dcopt.LDERegressor().fit(x[::-1], y[::-1], sample_weight=w[::-1]).formula_


def bent(m=200, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((m, 5))
    return x, np.abs(x[:, 0]) + x[:, 1]


def test_regressor():
    x, y = bent()
    r = dcopt.LDERegressor().fit(x, y)
    assert r.score(*bent(seed=1)) > 0.99
    assert "max(" in r.formula_ and r.training_["oob"] < 0.02
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again.predict(x), r.predict(x))


def test_names_of_pandas():
    pd = need.module("pandas")
    x, y = bent()
    table = pd.DataFrame(x, columns=["alpha", "beta", "c", "d", "e"])
    r = dcopt.LDERegressor().fit(table, y)
    assert "alpha" in r.formula_ and list(r.feature_names_in_) == list(table.columns)


def test_classifier():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((300, 2))
    y = np.array(["in", "out"])[((x**2).sum(axis=1) > 1.4).astype(int)]
    c = dcopt.LDEClassifier().fit(x, y)
    assert c.score(x, y) > 0.9 and list(c.classes_) == ["in", "out"]
    p = c.predict_proba(x)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(c.classes_[p.argmax(axis=1)], c.predict(x))


def test_nested_grid_search_in_processes():
    x, y = bent(90)
    search = GridSearchCV(dcopt.LDERegressor(method="refit"), {"pieces": [(1, 1), (2, 2)]}, cv=3, n_jobs=2)
    assert cross_val_score(search, x, y, cv=3).mean() > 0.9


def test_weights():
    x, y = bent()
    y = y.copy()
    y[:100] = 1e3
    w = np.r_[np.zeros(100), np.ones(100)]
    assert dcopt.LDERegressor(method="refit").fit(x, y, sample_weight=w).score(x[100:], y[100:]) > 0.95


def test_few_features_and_short_formulas():
    x, y = bent()
    r = dcopt.LDERegressor(max_features=2, formula_size=12).fit(x, y)
    assert len(r.used_features_) <= 2 and set(r.used_features_) <= {0, 1} and r.terms_ <= 12
    assert r.score(*bent(seed=1)) > 0.9
    with pytest.raises(ValueError, match="the setting max_features is 2"):
        dcopt.LDERegressor(method="refit", max_features=2).fit(x, y)
    c = dcopt.LDEClassifier(max_features=1).fit(x, x[:, 0] > 0)
    assert list(c.used_features_) == [0] and c.score(x, x[:, 0] > 0) > 0.95


def evaluated(formula, x):
    """The value of a formula as it is printed, by its text alone."""
    body, _, clip = formula.partition("clipped to")
    body = body.partition("=")[2]
    body = re.sub(r"(?<=\d) (x\d+)", r" * \1", body).replace("max(", "most(").replace("\n", " ")
    columns = {f"x{j + 1}": x[:, j] for j in range(x.shape[1])}
    y = eval(body, {"most": lambda *pieces: np.max(np.broadcast_arrays(*pieces), axis=0), **columns})
    return np.clip(y, *eval(clip)) if clip else y


def test_formulas_are_short_and_rounded_well():
    """The default formula is one that a person reads, and its printed numbers fit as well as is said."""
    x, y = make_friedman1(400, random_state=0)
    r = dcopt.LDERegressor().fit(x, y)
    f = r.formula_
    assert r.terms_ > 12 >= f.terms and 0.7 < f.score < f.model_score
    assert r2_score(y, evaluated(f, x)) == pytest.approx(f.score, abs=1e-3)
    assert f.model_score == pytest.approx(r.score(x, y), abs=1e-9)
    assert len(re.findall(r"\d[\d.e+-]*(?= x\d)|(?<=[+-] )\d[\d.]*(?=,?$)", f, re.M)) <= 12
    long = dcopt.LDERegressor(formula_size=40).fit(x, y)
    assert 12 < long.terms_ == long.formula_.terms <= 40 and long.formula_.score > f.score
    assert f._repr_latex_().startswith("\\begin{align*}") and "x1" in f._repr_html_() and "12 terms" not in f._repr_html_().replace(f"{f.terms} terms", "")
    again = pickle.loads(pickle.dumps(r)).formula_
    assert again == f and (again.terms, again.score, again.latex) == (f.terms, f.score, f.latex)
    assert dcopt.LDERegressor(method="ensemble", time_limit=20).fit(x[:100], y[:100]).formula_.terms <= 12


def test_importances():
    x, y = bent()
    r = dcopt.LDERegressor().fit(x, y)
    assert r.feature_importances_.sum() == pytest.approx(1) and set(np.argsort(r.feature_importances_)[-2:]) == {0, 1}
    assert np.all(r.feature_importances_[[j for j in range(5) if j not in r.used_features_]] == 0)


@pytest.mark.parametrize("method", ["auto", "cheap", "ccp", "ensemble"])
def test_deviation_of_predictions(method):
    rng = np.random.default_rng(2)

    def noisy(n):
        x = rng.uniform(-2, 2, size=(n, 2))
        return x, np.abs(x[:, 0]) + x[:, 1] + np.where(x[:, 0] < 0, 0.1, 0.5) * rng.standard_normal(n)

    x, y = noisy(600)
    model = dcopt.LDERegressor(method=method).fit(x, y)
    x, y = noisy(4000)
    value, std = model.predict(x, return_std=True)
    np.testing.assert_array_equal(value, model.predict(x))
    within = np.abs(y - value) <= 1.645 * std  # 90 % of a normal distribution
    assert 0.86 <= np.mean(within) <= 0.96
    if method != "ensemble":  # whose many pieces blur the two sides
        for side in (x[:, 0] < 0, x[:, 0] > 0):
            assert 0.84 <= np.mean(within[side]) <= 0.99
    assert model.predict([[0.5, 0.5], [0.5, 50]], return_std=True)[1][1] > 2 * std.min(), "far from the rows of the fit"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(x, return_std=True)[1], std)


def test_formula_and_weights_of_classes():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((400, 2))
    y = np.where(x[:, 0] + 0.8 * rng.standard_normal(400) > 1.5, "rare", "common")
    plain, weighed = (dcopt.LDEClassifier(method="cheap", class_weight=w).fit(x, y) for w in (None, "balanced"))
    assert plain.formula_.startswith("rare = ") and plain.formula_.terms <= 12
    recall = [np.mean(c.predict(x)[y == "rare"] == "rare") for c in (plain, weighed)]
    assert recall[1] > recall[0] + 0.1
    by_hand = dcopt.LDEClassifier(method="cheap").fit(x, y, sample_weight=np.where(y == "rare", 1 / np.mean(y == "rare"), 1 / np.mean(y == "common")))
    np.testing.assert_array_equal(weighed.predict(x), by_hand.predict(x))
    three = dcopt.LDEClassifier(max_features=1).fit(x, np.digitize(x[:, 0], [-1, 1]))
    assert [line.partition(" =")[0] for line in three.formula_.splitlines() if " = " in line] == ["0", "1", "2"]


def test_limits_are_warned_of():
    x, y = make_friedman1(300, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        dcopt.LDERegressor(method="ccp", pieces=(3, 2), max_iter=1).fit(x, y)


def test_settings_in_the_words_of_the_estimator():
    x, y = bent()
    for settings, text in (
        (dict(max_features="two"), "^the setting max_features is a string, want an integer"), (dict(random_state=-1), "^the setting random_state is -1"),
        (dict(random_state="zero"), "seed"), (dict(method="chep"), "chep"), (dict(pieces=(3, 2)), "method 'auto' chooses the numbers of pieces itself.*ccp"),
        (dict(method="ensemble", pieces=(3, 2)), "method 'ensemble' chooses"), (dict(method="ccp", pieces=(3,)), "the setting pieces has 1 numbers, want 2"),
    ):
        with pytest.raises(ValueError, match=text):
            dcopt.LDERegressor(**settings).fit(x, y)


def test_no_random_state_draws_anew():
    x, y = bent(60)
    y = y + np.random.default_rng(5).standard_normal(60)

    def formulas(state):
        return {dcopt.LDERegressor(method="cheap", random_state=state).fit(x, y).formula_ for _ in range(4)}

    assert len(formulas(3)) == 1 and len(formulas(None)) > 1
    assert len(formulas(np.random.RandomState(1))) > 1, "a generator goes on"
    assert {dcopt.LDERegressor(method="cheap", random_state=np.random.RandomState(1)).fit(x, y).formula_ for _ in range(2)} < formulas(np.random.RandomState(1))
