"""Makes the files of this folder, by NumPy 2.4 and SciPy 1.17: one matrix in all formats."""

import os

import numpy as np
import scipy.io
import scipy.sparse as sp

os.chdir(os.path.dirname(os.path.abspath(__file__)))
m = np.array([[0, 1, 0], [2, 0, 3]])
signed = m * [[1, 1, 1], [-1, 1, 1]]
for kind in ["<f8", ">f8", "<f4", "<f2", "<i8", ">i4", "<i2", "|i1"]:
    np.save(f"dense_{np.dtype(kind).name}_{'big' if kind[0] == '>' else 'little'}.npy", signed.astype(kind))
for kind in ["<u8", "<u4", ">u2", "|u1"]:
    np.save(f"natural_{np.dtype(kind).name}.npy", m.astype(kind))
np.save("truth.npy", m != 0)
np.save("columns.npy", np.asfortranarray(signed.astype(float)))
np.save("cube.npy", np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
np.save("scalar.npy", np.array(2.5))
np.save("vector.npy", np.array([1.0, np.inf, -np.inf]))
np.save("none.npy", np.zeros((0, 3)))
np.save("complex.npy", m + 1j)
np.save("words.npy", np.array(["a", "b"]))
np.save("objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
np.save("records.npy", np.zeros(2, dtype=[("a", float), ("b", int)]))
np.save("nan.npy", np.array([[1.0, np.nan]]))
np.savez("several.npz", a=signed.astype(float), b=np.array([1, 2]))
np.savez_compressed("one.npz", only=signed.astype(np.float32))
s = signed.astype(float)
for name, a in {"csr": sp.csr_matrix(s), "csc": sp.csc_matrix(s), "coo": sp.coo_matrix(s), "csr_array": sp.csr_array(s), "coo_array": sp.coo_array(s)}.items():
    sp.save_npz(f"sparse_{name}.npz", a)
    sp.save_npz(f"sparse_{name}_plain.npz", a, compressed=False)
# Entries with one place, in any order, and one that is 0.
twice = sp.coo_matrix(([1.5, 3, -2, -0.5, 0], ([0, 1, 1, 0, 0], [1, 2, 0, 1, 0])), shape=(2, 3))
sp.save_npz("sparse_twice.npz", twice)
unsorted = sp.csr_matrix(([1.0, 3.0, -2.0], [1, 2, 0], [0, 1, 3]), shape=(2, 3))
sp.save_npz("sparse_unsorted.npz", unsorted)
sp.save_npz("sparse_bsr.npz", sp.bsr_matrix(s))
scipy.io.mmwrite("general.mtx", sp.coo_matrix(s))
scipy.io.mmwrite("integer.mtx", sp.coo_matrix(signed))
scipy.io.mmwrite("pattern.mtx", sp.coo_matrix(m != 0), field="pattern")
scipy.io.mmwrite("array.mtx", s)
square = np.array([[2.0, -1, 0], [-1, 0, 3], [0, 3, 1]])
scipy.io.mmwrite("symmetric.mtx", sp.coo_matrix(square), symmetry="symmetric")
scipy.io.mmwrite("symmetric_array.mtx", square, symmetry="symmetric")
skew = np.array([[0.0, -1, 4], [1, 0, 3], [-4, -3, 0]])
scipy.io.mmwrite("skew.mtx", sp.coo_matrix(skew), symmetry="skew-symmetric")
scipy.io.mmwrite("skew_array.mtx", skew, symmetry="skew-symmetric")
