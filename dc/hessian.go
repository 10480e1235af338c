package dc

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

func (e *scalar) Twice() bool {
	return !slices.ContainsFunc(e.terms, func(t term) bool { return !convex.IsTwice(t.f) })
}

func (e *scalar) Directional(x, v []float64) float64 {
	s := e.lin.Directional(x, v)
	for _, t := range e.terms {
		s += t.w * t.f.(convex.Twice).Directional(x, v)
	}
	return s
}

func (e *scalar) AddProduct(dst []float64, scale float64, x, v []float64) {
	for _, t := range e.terms {
		t.f.(convex.Twice).AddProduct(dst, scale*t.w, x, v)
	}
}

func (s *sum) expr() *scalar { return &scalar{lin: s.lin, terms: s.terms} }

func (s *sum) Twice() bool                        { return s.expr().Twice() }
func (s *sum) Directional(x, v []float64) float64 { return s.expr().Directional(x, v) }
func (s *sum) AddProduct(dst []float64, scale float64, x, v []float64) {
	s.expr().AddProduct(dst, scale, x, v)
}

func (f function) Twice() bool                        { return f.e.Twice() }
func (f function) Directional(x, v []float64) float64 { return f.e.Directional(x, v) }
func (f function) AddProduct(dst []float64, scale float64, x, v []float64) {
	f.e.AddProduct(dst, scale, x, v)
}

func (f *standIn) Twice() bool                        { return f.e.Twice() }
func (f *standIn) Directional(x, v []float64) float64 { return f.e.Directional(x, v) }
func (f *standIn) AddProduct(dst []float64, scale float64, x, v []float64) {
	f.e.AddProduct(dst, scale, x, v)
}

func (f *family) Twice() bool { return f.plan.Twice() }
func (f *family) Directional(x, v []float64) float64 {
	return f.plan.AddProduct(make([]float64, len(x)), 1, f.w, x, v)
}
func (f *family) AddProduct(dst []float64, scale float64, x, v []float64) {
	f.plan.AddProduct(dst, scale, f.w, x, v)
}

func (c *curveAtom) Twice() bool { return !c.f.row.Kinked && c.e().Twice() }
func (c *curveAtom) Directional(x, v []float64) float64 {
	return c.f.slope(c.e().value(x)) * c.e().Directional(x, v)
}
func (c *curveAtom) AddProduct(dst []float64, scale float64, x, v []float64) {
	u := c.e().value(x)
	if w := scale * c.f.second(u) * c.e().Directional(x, v); w != 0 {
		c.e().addSubgrad(dst, w, x)
	}
	c.e().AddProduct(dst, scale*c.f.slope(u), x, v)
}

// second is the second derivative at u.
func (f curve) second(u float64) float64 {
	return f.signed(f.row.Second.At(min(max(u, f.ends.Lo+steepest), f.ends.Hi), f.p)) + f.bend
}

func (f *vectorAtom) Twice() bool {
	return f.row.Second != nil && !slices.ContainsFunc(f.items, func(e scalar) bool { return !e.Twice() })
}

// moved has the derivatives of the numbers along v, in columns of w that are free.
func (f *vectorAtom) moved(w *numbers, x, v []float64) [][]float64 {
	d := w.errors()
	for k := range d {
		if f.a != nil {
			d[k][0] = f.a.Linear(k).Directional(x, v)
		} else {
			d[k][0] = f.items[k].Directional(x, v)
		}
	}
	return d
}

func (f *vectorAtom) Directional(x, v []float64) float64 {
	w := f.take(x)
	defer w.put()
	g, s := w.gradient(), 0.0
	w.adj[0] = f.sign
	f.row.Slope(g, w.adj, w.u, w.v, f.p)
	for k, d := range f.moved(w, x, v) {
		s += g[k][0] * d[0]
	}
	return s
}

func (f *vectorAtom) AddProduct(dst []float64, scale float64, x, v []float64) {
	w := f.take(x)
	defer w.put()
	g := w.gradient()
	w.adj[0] = f.sign * scale
	f.row.Second(g, w.adj, w.u, f.moved(w, x, v), w.v, f.p)
	for k := range g {
		switch s := g[k][0]; {
		case f.a != nil:
			f.a.AddRow(dst, s, k)
		case s != 0:
			f.items[k].addSubgrad(dst, s, x)
		}
	}
	if f.a != nil {
		return
	}
	g = w.gradient()
	f.row.Slope(g, w.adj, w.u, w.v, f.p)
	for k := range f.items {
		f.items[k].AddProduct(dst, g[k][0], x, v)
	}
}

func (l *liftedArray) Twice() bool {
	return l.row.Second != nil && !slices.ContainsFunc(l.Parts(),
		func(p convex.Func) bool { return !convex.IsTwice(p) })
}

// moved has the derivatives of the gₖ − hₖ along v, and slopes of the row.
func (l *liftedArray) moved(w *numbers, x, v []float64) (d, slopes [][]float64) {
	d, slopes = w.errors(), w.gradient()
	for k := range d {
		d[k][0] = l.g[k].(convex.Twice).Directional(x, v) - l.h[k].(convex.Twice).Directional(x, v)
	}
	w.adj[0] = 1
	l.row.Slope(slopes, w.adj, w.u, w.v, l.p)
	return d, slopes
}

func (l *liftedArray) Directional(x, v []float64) (s float64) {
	w, _ := l.take(x)
	defer w.put()
	d, slopes := l.moved(w, x, v)
	for k := range d {
		s += slopes[k][0]*d[k][0] + l.a*l.g[k].(convex.Twice).Directional(x, v) +
			l.b*l.h[k].(convex.Twice).Directional(x, v)
	}
	return s
}

func (l *liftedArray) AddProduct(dst []float64, scale float64, x, v []float64) {
	w, _ := l.take(x)
	defer w.put()
	d, slopes := l.moved(w, x, v)
	for k := range slopes {
		l.g[k].(convex.Twice).AddProduct(dst, scale*(slopes[k][0]+l.a), x, v)
		l.h[k].(convex.Twice).AddProduct(dst, scale*(l.b-slopes[k][0]), x, v)
	}
	second := w.gradient()
	l.row.Second(second, w.adj, w.u, d, w.v, l.p)
	for k := range second {
		l.g[k].AddSubgrad(dst, scale*second[k][0], x)
		l.h[k].AddSubgrad(dst, -scale*second[k][0], x)
	}
}

func (f *quad) Twice() bool { return true }

// moved is Q times the derivatives of the entries along v.
func (f *quad) moved(x, v []float64) *quadWork {
	w := f.pool.Get().(*quadWork)
	for k := range w.u.Data {
		w.u.Data[k] = f.a.Linear(k).Directional(x, v)
	}
	f.multiply(w)
	return w
}

func (f *quad) Directional(x, v []float64) (s float64) {
	w := f.moved(x, v)
	defer f.pool.Put(w)
	for k, q := range w.qu.Data {
		s += 2 * q * f.a.At(k, x)
	}
	return s
}

func (f *quad) AddProduct(dst []float64, scale float64, x, v []float64) {
	w := f.moved(x, v)
	defer f.pool.Put(w)
	for k, q := range w.qu.Data {
		f.a.AddRow(dst, 2*scale*q, k)
	}
}

func (f *quotient) Twice() bool { return f.a.Twice() && f.b.Twice() }

func (f *quotient) Directional(x, v []float64) float64 {
	b := f.b.value(x)
	return (f.a.Directional(x, v) - f.a.value(x)/b*f.b.Directional(x, v)) / b
}

// addProduct: the gradient is (∇a − q·∇b)/b with q = a/b.
func (f *quotient) AddProduct(dst []float64, scale float64, x, v []float64) {
	b := f.b.value(x)
	q, db := f.a.value(x)/b, f.b.Directional(x, v)
	dq := (f.a.Directional(x, v) - q*db) / b
	f.a.addSubgrad(dst, -scale*db/b/b, x)
	f.b.addSubgrad(dst, -scale*(dq-q*db/b)/b, x)
	f.a.AddProduct(dst, scale/b, x, v)
	f.b.AddProduct(dst, -scale*q/b, x, v)
}

func (f *negLogDet) Twice() bool { return true }

// sandwich has A⁻¹ at x, and A⁻¹VA⁻¹ for the derivative V of A along v.
func (s *symmetric) sandwich(x, v []float64) (inverse, product []float64, ok bool) {
	w := s.pool.Get().(*symWork)
	defer s.pool.Put(w)
	if !w.factor(s, x) {
		return nil, nil, false
	}
	upper, ok := w.inverse()
	if !ok {
		return nil, nil, false
	}
	n := s.n
	inverse, product = make([]float64, n*n), make([]float64, n*n)
	d, half := make([]float64, n*n), make([]float64, n*n)
	for j := range n {
		for i := range j + 1 {
			inverse[i*n+j], inverse[j*n+i] = upper[i*n+j], upper[i*n+j]
			d[i*n+j] = s.at(i, j).Directional(x, v)
			d[j*n+i] = d[i*n+j]
		}
	}
	multiply(half, inverse, d, n)
	multiply(product, half, inverse, n)
	return inverse, product, true
}

// multiply writes the product of two matrices of order n.
func multiply(dst, a, b []float64, n int) {
	for i := range n {
		for k := range n {
			for j := range n {
				dst[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
}

// addEntries adds w times a symmetric matrix, as a gradient with respect to the matrix, to dst.
func (s *symmetric) addEntries(dst []float64, w float64, m []float64) {
	for j := range s.n {
		for i := range j {
			s.a.AddRow(dst, 2*w*m[i*s.n+j], place(i, j))
		}
		s.a.AddRow(dst, w*m[j*s.n+j], place(j, j))
	}
}

func (f *negLogDet) Directional(x, v []float64) (s float64) {
	inverse, _, ok := f.sandwich(x, v)
	for i := 0; ok && i < f.n; i++ {
		for j := range f.n {
			s -= inverse[i*f.n+j] * f.at(min(i, j), max(i, j)).Directional(x, v)
		}
	}
	return s
}

func (f *negLogDet) AddProduct(dst []float64, scale float64, x, v []float64) {
	if _, product, ok := f.sandwich(x, v); ok {
		f.addEntries(dst, scale, product)
	}
}

func (f *matFrac) Twice() bool { return true }

// moved has z = P⁻¹X and its derivative along v, column by column.
func (f *matFrac) moved(x, v []float64) (z, dz []float64, ok bool) {
	inverse, product, ok := f.sandwich(x, v)
	if !ok {
		return nil, nil, false
	}
	n := f.n
	z, dz = make([]float64, f.x.Len()), make([]float64, f.x.Len())
	for c := 0; c < len(z); c += n {
		for i := range n {
			for j := range n {
				value, slope := f.x.At(c+j, x), f.x.Linear(c+j).Directional(x, v)
				z[c+i] += inverse[i*n+j] * value
				dz[c+i] += inverse[i*n+j]*slope - product[i*n+j]*value
			}
		}
	}
	return z, dz, true
}

// along: 2zᵀdx − zᵀ·dP·z, of which the second is the product of z with P·dz = dx − dP·z.
func (f *matFrac) Directional(x, v []float64) (s float64) {
	z, _, ok := f.moved(x, v)
	for c := 0; ok && c < len(z); c += f.n {
		for i := range f.n {
			s += 2 * z[c+i] * f.x.Linear(c+i).Directional(x, v)
			for j := range f.n {
				s -= z[c+i] * z[c+j] * f.at(min(i, j), max(i, j)).Directional(x, v)
			}
		}
	}
	return s
}

// addProduct: the gradient is 2z for a column and −zzᵀ for P.
func (f *matFrac) AddProduct(dst []float64, scale float64, x, v []float64) {
	z, dz, ok := f.moved(x, v)
	if !ok {
		return
	}
	n, m := f.n, make([]float64, f.n*f.n)
	for c := 0; c < len(z); c += n {
		for i := range n {
			f.x.AddRow(dst, 2*scale*dz[c+i], c+i)
			for j := range n {
				m[i*n+j] -= dz[c+i]*z[c+j] + z[c+i]*dz[c+j]
			}
		}
	}
	f.addEntries(dst, scale, m)
}
