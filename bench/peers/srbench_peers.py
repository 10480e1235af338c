"""Trains regressors of others on the splits of "dcbench srbench" and appends rows of
the same form to its table; those there are are kept. Then "dcbench srbench" with the
same --out has all in one league.

    python srbench_peers.py --data DIR,DIR --out DIR [--models M1,M2] [--only W1,W2] [--trials 10]

Every model has the settings below and one thread; none is tuned to a table. A model whose
package is not installed is left out, with a line on standard error.
"""

import argparse
import importlib
import importlib.metadata
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

import numpy as np
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from tables import Results, begun, name, read, words

HEADER = ["set", "method", "seed", "limit_s", "version", "status", "r2", "size", "seconds", "message"]
# SRBench's: bench/internal/srbench has the same.
SEEDS = [23654, 15795, 860, 5390, 16850, 29910, 4426, 21962, 14423, 28020]
MOST_TRAIN_ROWS = 10000


class Linear:
    """SRBench's linear regression: its published medians against ours show how far splits differ."""

    package = "scikit-learn"

    def __init__(self, seed):
        from sklearn.linear_model import LinearRegression

        self.model = LinearRegression()

    def size(self):
        return int(np.count_nonzero(self.model.coef_)) + 1


class Forest:
    package = "scikit-learn"

    def __init__(self, seed):
        from sklearn.ensemble import RandomForestRegressor

        self.model = RandomForestRegressor(n_estimators=300, random_state=seed, n_jobs=1)

    def size(self):
        return sum(tree.tree_.node_count for tree in self.model.estimators_)


class Boosting:
    package = "scikit-learn"

    def __init__(self, seed):
        from sklearn.ensemble import GradientBoostingRegressor

        self.model = GradientBoostingRegressor(n_estimators=300, random_state=seed)

    def size(self):
        return sum(tree.tree_.node_count for tree in self.model.estimators_[:, 0])


class XGB:
    package = "xgboost"

    def __init__(self, seed):
        from xgboost import XGBRegressor

        self.model = XGBRegressor(n_estimators=500, learning_rate=0.05, subsample=0.8, random_state=seed, n_jobs=1)

    def size(self):
        return len(self.model.get_booster().trees_to_dataframe())


class EBM:
    package = "interpret-core"

    def __init__(self, seed):
        from interpret.glassbox import ExplainableBoostingRegressor

        self.model = ExplainableBoostingRegressor(random_state=seed, n_jobs=1)

    def size(self):
        return sum(scores.size for scores in self.model.term_scores_)


class CubistRules:
    package = "cubist"

    def __init__(self, seed):
        from cubist import Cubist

        self.model = Cubist(n_committees=20, random_state=seed % 4096)

    def size(self):
        # Conditions of the rules, and slopes and constants of their linear models.
        return len(self.model.splits_) + int(self.model.coeffs_.drop(columns=["committee", "rule"]).notna().sum().sum())


class APLR:
    package = "aplr"

    def __init__(self, seed):
        from aplr import APLRRegressor

        self.model = APLRRegressor(random_state=seed, n_jobs=1)

    def size(self):
        return int(np.count_nonzero(self.model.get_term_coefficients()))


class Operon:
    """Operon with a budget of seconds where SRBench had hours: see SECONDS."""

    package = "pyoperon"
    SECONDS = 5

    def __init__(self, seed):
        from pyoperon.sklearn import SymbolicRegressor

        self.model = SymbolicRegressor(
            allowed_symbols="add,sub,mul,aq,sin,constant,variable", offspring_generator="os", optimizer_iterations=5,
            max_length=50, max_depth=10, population_size=500, pool_size=500, generations=1000, max_evaluations=500000,
            max_time=self.SECONDS, objectives=["r2", "length"], epsilon=1e-5, random_state=seed, n_threads=1,
        )

    def size(self):
        return int(self.model.stats_["model_length"])


MODELS = {
    "live-forest": Forest, "live-boosting": Boosting, "live-xgboost": XGB, "live-ebm": EBM,
    "live-cubist": CubistRules, "live-aplr": APLR, "live-operon": Operon, "live-linear": Linear,
}
# Only where they are asked for: the explainable boosting machine takes minutes for a table.
DEFAULT = [name for name in MODELS if name not in ("live-ebm", "live-linear")]


def split(x, y, seed):
    """The training and test parts of a trial, standardised by the first."""
    np.random.seed(seed)
    x, test, y, truth = train_test_split(x, y, train_size=0.75, test_size=0.25, random_state=seed)
    if len(y) > MOST_TRAIN_ROWS:
        picked = np.random.choice(len(y), MOST_TRAIN_ROWS, replace=False)
        x, y = x[picked], y[picked]
    features, target = StandardScaler().fit(x), StandardScaler().fit(y.reshape(-1, 1))
    unit = lambda v: target.transform(v.reshape(-1, 1)).ravel()
    return features.transform(x), unit(y), features.transform(test), unit(truth)


def trial(make, x, y, seed):
    """R2 on the test rows, the model's size, and the processor seconds of training."""
    x, y, test, truth = split(x, y, seed)
    model = make(seed)
    begin = time.process_time()
    model.model.fit(x, y)
    seconds = time.process_time() - begin
    return r2_score(truth, np.asarray(model.model.predict(test)).ravel()), model.size(), seconds


def child(pipe, name, x, y, seed):
    warnings.simplefilter("ignore")
    try:
        pipe.send(("trained", *trial(MODELS[name], x, y, seed), ""))
    except Exception as e:  # a failure is a row
        pipe.send(("failed", np.nan, 0, 0, f"{type(e).__name__}: " + " ".join(str(e).split())[:200]))


def limited(name, x, y, seed, limit):
    """trial in a process of its own, so that no failure and no limit ends the others."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=child, args=(theirs, name, x, y, seed))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            return "time_limit", np.nan, 0, limit, "not trained within the limit"
        return ours.recv()
    except EOFError:
        return "failed", np.nan, 0, 0, "the process ended"
    finally:
        process.terminate()
        process.join()


def versions(names):
    """The version of each model whose package is there."""
    out = {}
    for name in names:
        package = MODELS[name].package
        try:
            out[name] = package + " " + importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is left out: {package} is not installed", file=sys.stderr)
    return out


def main():
    parser = argparse.ArgumentParser(description="the live peers of dcbench srbench")
    parser.add_argument("--data", required=True, type=words)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--models", default=",".join(DEFAULT), type=words)
    parser.add_argument("--only", default="", type=words)
    parser.add_argument("--trials", default=len(SEEDS), type=int)
    parser.add_argument("--time-limit", default=600, type=float)
    args = parser.parse_args()
    if bad := [m for m in args.models if m not in MODELS]:
        sys.exit(f"no model {bad[0]}; there are {', '.join(MODELS)}")
    path = args.out / "srbench.csv"
    version, have = versions(args.models), begun(path, HEADER, ("set", "method", "seed", "version"))
    files = {}
    for folder in map(Path, args.data):
        for file in sorted(f for end in ("*.tsv", "*.tsv.gz", "*.csv.gz") for f in folder.glob(end)):
            files.setdefault(name(file), file)
    files = {n: file for n, file in files.items() if not args.only or any(w in n for w in args.only)}
    table = Results(path, HEADER)
    # Trial by trial, so that a run that is ended early has as many of each table.
    for seed in SEEDS[: args.trials]:
        for n, file in sorted(files.items()):
            todo = [m for m in version if (n, m, str(seed), version[m]) not in have]
            if not todo:
                continue
            x, y = read(file)
            for model in todo:
                print(seed, n, model, file=sys.stderr)
                status, r2, size, seconds, message = limited(model, x, y, seed, args.time_limit)
                score = f"{r2:.12g}".replace("nan", "NaN")
                table.add([n, model, seed, f"{args.time_limit:.6g}", version[model], status, score, size, f"{seconds:.6g}", message])


if __name__ == "__main__":
    main()
