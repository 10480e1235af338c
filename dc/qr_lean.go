//go:build lean

package dc

// qrReduced is a: the engine of the playground has no QR factorisation, and its norms have the rows that they were written with.
func qrReduced(a Expr) Expr { return a }
