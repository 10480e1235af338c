//go:build lean

package dc

// reserve makes no room: jacobi needs none.
func (w *svdWork) reserve() {}

// decompose is that of other builds, without LAPACK's, which is a fiftieth of the engine in a browser.
func (w *svdWork) decompose(bool) bool { return w.jacobi() }
