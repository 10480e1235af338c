"""Trains regressors of scikit-learn on the sets and folds of "dcbench regression"
and appends rows of the same form to its table; those there are are kept. Then
"dcbench report DIR" has all in one page.

    python regression_sklearn.py --data DIR --out DIR [--models M1,M2] [--only S1,S2] [--folds 5] [--seed 1]
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from tables import Results, begun, name, read, words

HEADER = ["set", "model", "fold", "folds", "seed", "limit_s", "version", "status", "fvu", "mse", "seconds", "message"]
# By name, made for a number of rows.
MODELS = {
    "sk-svr": lambda m: SVR(),
    "sk-ridge": lambda m: RidgeCV(alphas=m * np.logspace(-8, 1, 19)),
    "sk-mlp": lambda m: MLPRegressor(random_state=0),
    "sk-forest": lambda m: RandomForestRegressor(n_estimators=300, random_state=0, n_jobs=1),
    "sk-boosting": lambda m: GradientBoostingRegressor(random_state=0),
}


def train(make, x, y, test):
    """The scores on the rows test after training on the others, and the seconds."""
    keep = np.setdiff1d(np.arange(len(y)), test)
    model = make_pipeline(SimpleImputer(), StandardScaler(), make(len(keep)))
    begin = time.perf_counter()
    model.fit(x[keep], y[keep])
    seconds = time.perf_counter() - begin
    rest = ((y[test] - model.predict(x[test])) ** 2).mean()
    return rest / ((y[test] - y[test].mean()) ** 2).mean(), rest, seconds


def main():
    parser = argparse.ArgumentParser(description="scikit-learn's part of dcbench regression")
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--models", default=",".join(MODELS), type=words)
    parser.add_argument("--only", default="", type=words)
    parser.add_argument("--folds", default=5, type=int)
    parser.add_argument("--seed", default=1, type=int)
    args = parser.parse_args()
    if bad := [m for m in args.models if m not in MODELS]:
        sys.exit(f"no model {bad[0]}; there are {', '.join(MODELS)}")
    warnings.simplefilter("ignore", ConvergenceWarning)
    path = args.out / "regression.csv"
    version = "scikit-learn " + sklearn.__version__
    have = begun(path, HEADER, ("set", "model", "fold", "folds", "seed", "version"))
    table = Results(path, HEADER)
    for file in sorted(f for end in ("*.tsv", "*.tsv.gz", "*.csv", "*.csv.gz") for f in args.data.glob(end)):
        if args.only and name(file) not in args.only:
            continue
        x, y = read(file)
        parts = list(KFold(args.folds, shuffle=True, random_state=args.seed).split(x))
        for model in args.models:
            print(name(file), model, file=sys.stderr)
            for fold, (_, test) in enumerate(parts):
                terms = (name(file), model, str(fold), str(args.folds), str(args.seed), version)
                if terms in have:
                    continue
                try:
                    fvu, mse, seconds = train(MODELS[model], x, y, test)
                    row = ["trained", f"{fvu:.12g}", f"{mse:.12g}", f"{seconds:.6g}", ""]
                except Exception as e:  # a failure is a row
                    row = ["failed", "NaN", "NaN", "0", " ".join(str(e).split())]
                table.add([*terms[:5], "0", version, *row])


if __name__ == "__main__":
    main()
