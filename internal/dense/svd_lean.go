//go:build lean

package dense

// reserve makes no room: jacobi needs none.
func (w *SVD) reserve() {}

// Decompose is for builds without LAPACK's, which is a fiftieth of the engine in a
// browser.
func (w *SVD) Decompose(bool) bool { return w.jacobi() }
