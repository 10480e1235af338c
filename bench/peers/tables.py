"""What the scripts of regressors share: the tables that they read, write and go on with."""

import csv
import gzip
import sys

import numpy as np


def words(text):
    """The parts of a list with commas."""
    return [w.strip() for w in text.split(",") if w.strip()]


def name(file):
    """A table's name: that of its file without the endings."""
    return file.name.split(".tsv")[0].split(".csv")[0]


def read(file):
    """The features, with NaN for gaps, and the targets."""
    separator = "," if ".csv" in file.name else "\t"
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt") as f:
        columns = f.readline().rstrip("\r\n").split(separator)
        table = np.genfromtxt(f, delimiter=separator, ndmin=2)
    at = columns.index("target")
    return np.delete(table, at, axis=1), table[:, at]


def begun(path, header, terms):
    """The terms, some of the columns, of the rows that a table of results has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        return set()
    # A line that was being written when a run ended is cut off.
    data = path.read_bytes()
    data = data[: data.rfind(b"\n") + 1]
    path.write_bytes(data)
    lines = data.decode().splitlines(keepends=True)
    if lines and next(csv.reader(lines)) != header:
        sys.exit(f"{path} is no table of this version of dcbench")
    return {tuple(r[t] for t in terms) for r in csv.DictReader(lines)}


class Results:
    """A table of results that rows are added to."""

    def __init__(self, path, header):
        self.file = open(path, "a", newline="")
        self.rows = csv.writer(self.file, lineterminator="\n")
        if path.stat().st_size == 0:
            self.rows.writerow(header)

    def add(self, row):
        self.rows.writerow(row)
        self.file.flush()
