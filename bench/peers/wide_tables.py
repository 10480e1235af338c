"""Compares dcopt fit with scikit-learn's RidgeCV on generated wide tables.

usage: python wide_tables.py DCOPT [METHOD,METHOD...]

Prints the geometric means of the FVU on 2000 test rows, and how the FVU that
dcopt states for new rows compares with it.
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
TEST_ROWS = 2000


def table(rows, features, kind, signal):
    rng = np.random.default_rng([0, rows, features, KINDS.index(kind), int(10 * signal), 0])
    count = rows + TEST_ROWS
    x = rng.normal(size=(count, features))
    if kind == "factors":
        x = 0.5 * x + rng.normal(size=(count, 5)) @ rng.normal(size=(5, features))
    slopes = rng.normal(size=features)
    if kind in ("sparse", "bent"):
        slopes = np.zeros(features)
        slopes[rng.choice(features, 3, replace=False)] = rng.normal(size=3)
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
    program = sys.argv[1]
    methods = (sys.argv[2] if len(sys.argv) > 2 else "auto,ensemble").split(",")
    peers = {"RidgeCV": (0.1, 1, 10), "RidgeCV 1e-5..1e5": np.logspace(-5, 5, 21)}
    result = {name: [] for name in [*peers, *methods]}
    claims = {name: [] for name in methods}
    with tempfile.TemporaryDirectory() as temporary:
        for rows, features in SHAPES:
            for kind in KINDS:
                for signal in [0] if kind == "noise" else SIGNALS:
                    x, y, test, truth = table(rows, features, kind, signal)
                    for name, penalties in peers.items():
                        model = make_pipeline(StandardScaler(), RidgeCV(alphas=penalties)).fit(x, y)
                        result[name].append(fvu(truth, model.predict(test)))
                    for name in methods:
                        p, claimed = dcopt(program, name, Path(temporary), x, y, test)
                        result[name].append(fvu(truth, p))
                        if claimed is not None:
                            claims[name].append(result[name][-1] / claimed)
    for name, values in result.items():
        print(f"{name:18s} {len(values)} tables, geometric mean {np.exp(np.log(values).mean()):.3f}, mean {np.mean(values):.3f}")
    for name, values in claims.items():
        middle = np.quantile(values, [0.05, 0.5, 0.95])
        print(f"{name}: {len(values)} stated; true FVU over stated: 5% {middle[0]:.2f}, median {middle[1]:.2f}, 95% {middle[2]:.2f}")


if __name__ == "__main__":
    main()
