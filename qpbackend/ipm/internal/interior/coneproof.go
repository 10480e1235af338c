package interior

import "github.com/dcopt/dcopt/internal/num"

// ConesMet reports whether Ad is among the
// directions in which cones stay met, up to a multiple of the unit that may
// depend on the rows of the cone.
func (w *Work) ConesMet(ad []float64, limit func(row, length int) float64) bool {
	for _, mb := range w.cone.of {
		d := ad[mb.row:][:mb.to-mb.from]
		t := limit(mb.row, len(d))
		if mb.sym != nil {
			if !(mb.sym.Margin(d) >= -t) {
				return false
			}
			continue
		}
		moved := mb.part(w.cone.tryS)
		copy(moved, d)
		num.Axpy(moved, t, mb.part(w.cone.e))
		if !mb.asym.Contains(moved) {
			return false
		}
	}
	return true
}
