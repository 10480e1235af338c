"""Compares dcopt fit with scikit-learn's RidgeCV on generated wide tables.

usage: python wide_tables.py DCOPT [METHOD,METHOD...] [--held-out]

Prints means and geometric means of the FVU on 2000 test rows, by kind of table, and
how the FVU that dcopt states for new rows compares with it. The tables of --held-out
have shapes, kinds, signals and seeds of their own: nothing was chosen on them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SHAPES = [(12, 15), (20, 40), (30, 30), (40, 38), (60, 100), (50, 45), (40, 150), (100, 105), (80, 75)]
KINDS = ["dense", "sparse", "factors", "bent", "noise"]
SIGNALS = [0.5, 4, 25]  # variance of the signal, that of the noise is 1
HELD_SHAPES = [(45, 90), (30, 75), (70, 60), (90, 200)]
HELD_KINDS = ["dense", "chain", "spectrum", "factors", "sparse", "some"]
HELD_SIGNALS = [2, 10, 60]
TEST_ROWS = 2000


def table(rows, features, kind, signal, seed):
    rng = np.random.default_rng([0, rows, features, seed, int(10 * signal), 0])
    count = rows + TEST_ROWS
    x = rng.normal(size=(count, features))
    if kind == "factors":
        x = 0.5 * x + rng.normal(size=(count, 5)) @ rng.normal(size=(5, features))
    if kind == "chain":  # neighbours have correlation .9
        for j in range(1, features):
            x[:, j] = 0.9 * x[:, j - 1] + np.sqrt(0.19) * x[:, j]
    if kind == "spectrum":  # the k-th principal direction has deviation 1/k
        x = (x / np.arange(1, features + 1)) @ rng.normal(size=(features, features))
    slopes = rng.normal(size=features)
    few = {"sparse": 3, "bent": 3, "some": features // 4}.get(kind)
    if few:
        slopes = np.zeros(features)
        slopes[rng.choice(features, few, replace=False)] = rng.normal(size=few)
    f = x @ slopes
    if kind == "bent":
        f = f / f.std() + 1.5 * np.abs(x[:, 0])
    f = 0 * f if kind == "noise" else f / f.std() * np.sqrt(signal)
    y = f + rng.normal(size=count)
    return x[:rows], y[:rows], x[rows:], y[rows:]


def write(path, x, y=None):
    names = [f"f{j}" for j in range(x.shape[1])]
    if y is not None:
        names.append("y")
        x = np.c_[x, y]
    np.savetxt(path, x, delimiter=",", header=",".join(names), comments="", fmt="%.17g")


def fvu(y, p):
    return np.mean((y - p) ** 2) / y.var()


def dcopt(program, method, folder, train, target, test):
    write(folder / "train.csv", train, target)
    write(folder / "test.csv", test)
    model, out = folder / "model.json", folder / "predictions.csv"
    run = [program, "fit", folder / "train.csv", "--target", "y", "--method", method, "-o", model, "--json", "-q"]
    facts = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    subprocess.run([program, "predict", model, folder / "test.csv", "-o", out], check=True)
    return np.loadtxt(out, skiprows=1), facts["oob_fvu"]


def main():
    held = "--held-out" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--held-out"]
    program = arguments[0]
    methods = (arguments[1] if len(arguments) > 1 else "auto,ensemble").split(",")
    peers = {"RidgeCV": (0.1, 1, 10), "RidgeCV 1e-5..1e5": np.logspace(-5, 5, 21)}
    result = {name: [] for name in [*peers, *methods]}
    claims = {name: [] for name in methods}
    kinds = []
    shapes, names, signals = (HELD_SHAPES, HELD_KINDS, HELD_SIGNALS) if held else (SHAPES, KINDS, SIGNALS)
    with tempfile.TemporaryDirectory() as temporary:
        for rows, features in shapes:
            for number, kind in enumerate(names):
                for signal in [0] if kind == "noise" else signals:
                    x, y, test, truth = table(rows, features, kind, signal, number + 200 * held)
                    kinds.append(kind)
                    for name, penalties in peers.items():
                        model = make_pipeline(StandardScaler(), RidgeCV(alphas=penalties)).fit(x, y)
                        result[name].append(fvu(truth, model.predict(test)))
                    for name in methods:
                        p, claimed = dcopt(program, name, Path(temporary), x, y, test)
                        result[name].append(fvu(truth, p))
                        if claimed is not None:
                            claims[name].append(result[name][-1] / claimed)
    print("mean and geometric mean of the FVU:", ", ".join(result))
    kinds = np.array(kinds)
    for kind in [*names, "all"]:
        some = kinds == kind if kind != "all" else kinds == kinds
        columns = [np.array(values)[some] for values in result.values()]
        print(f"{kind:10s} {some.sum():3d} tables", *(f" {np.mean(v):.3f} {np.exp(np.log(v).mean()):.3f}" for v in columns), sep="  ")
    for name, values in claims.items():
        middle = np.quantile(values, [0.05, 0.5, 0.95])
        print(f"{name}: {len(values)} stated; true FVU over stated: 5% {middle[0]:.2f}, median {middle[1]:.2f}, 95% {middle[2]:.2f}")


if __name__ == "__main__":
    main()
