package convex

// Twice is implemented by functions with second derivatives wherever they have gradients, norms at
// 0 aside, if their parts are such functions.
type Twice interface {
	// Twice reports whether the parts are.
	Twice() bool
	// along is the derivative at x along v.
	Directional(x, v []float64) float64
	// AddProduct adds scale times the product of the Hessian at x and v to dst.
	AddProduct(dst []float64, scale float64, x, v []float64)
}

// HessianOf is the product with the Hessian of f, exact except for rounding: it adds scale·∇²f(x)·v
// to dst, of x's length, for an x at which f has a gradient. ok is false for functions with kinks,
// and where f is a black box or an eigenvalue.
func HessianOf(f Func) (product func(dst []float64, scale float64, x, v []float64), ok bool) {
	t, ok := f.(Twice)
	if !ok || !t.Twice() {
		return nil, false
	}
	return t.AddProduct, true
}

func IsTwice(f Func) bool { t, ok := f.(Twice); return ok && t.Twice() }

func (l Linear) Twice() bool { return true }

func (l Linear) Directional(_, v []float64) float64 {
	s := 0.0
	for k, j := range l.Idx {
		s += l.Val[k] * v[j]
	}
	return s
}

func (l Linear) AddProduct([]float64, float64, []float64, []float64) {}
