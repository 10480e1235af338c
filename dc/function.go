package dc

// function is an expression as one function: see Expr.Function.
type function struct{ e scalar }

func (f function) Value(x []float64) float64 { return f.e.Value(x) }
func (f function) Support() []int            { return f.e.support() }
func (f function) Smooth() bool              { return f.e.smooth() }

func (f function) AddSubgrad(dst []float64, scale float64, x []float64) {
	f.e.AddGradient(dst, scale, x)
}

// Along returns values of the function of n variables where one of these changes at a
// time, an alongAxes.
func (f function) Along(n int) any { return newAlongAxes(&f.e, n) }

// Coefficients is about how many coefficients a value visits.
func (f function) Coefficients() int {
	n := len(f.e.lin.Idx)
	for _, t := range f.e.terms {
		switch g := t.f.(type) {
		case many:
			n += g.coefficients()
		default:
			if r, ok := g.(*vectorAtom); ok && r.a != nil {
				n += r.a.NNZ()
			} else {
				n += len(t.f.Support())
			}
		}
	}
	return n
}
