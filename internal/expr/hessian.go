package expr

import (
	"slices"

	"github.com/dcopt/dcopt/internal/convex"
)

func (e *Scalar) Twice() bool {
	return !slices.ContainsFunc(e.Terms, func(t Term) bool { return !convex.IsTwice(t.F) })
}

func (e *Scalar) Directional(x, v []float64) float64 {
	s := e.Lin.Directional(x, v)
	for _, t := range e.Terms {
		s += t.W * t.F.(convex.Twice).Directional(x, v)
	}
	return s
}

func (e *Scalar) AddProduct(dst []float64, scale float64, x, v []float64) {
	for _, t := range e.Terms {
		t.F.(convex.Twice).AddProduct(dst, scale*t.W, x, v)
	}
}

func (f *StandIn) Twice() bool                        { return f.E.Twice() }
func (f *StandIn) Directional(x, v []float64) float64 { return f.E.Directional(x, v) }
func (f *StandIn) AddProduct(dst []float64, scale float64, x, v []float64) {
	f.E.AddProduct(dst, scale, x, v)
}

func (c *CurveAtom) Twice() bool {
	return !c.F.Row.Kinked && (c.E().Twice() || c.ofSize() && c.F.slope(0) == 0 && c.F.second(0) == 0)
}
func (c *CurveAtom) Directional(x, v []float64) float64 {
	return c.F.slope(c.E().Value(x)) * c.E().Directional(x, v)
}
func (c *CurveAtom) AddProduct(dst []float64, scale float64, x, v []float64) {
	u := c.E().Value(x)
	if w := scale * c.F.second(u) * c.E().Directional(x, v); w != 0 {
		c.E().AddSubgrad(dst, w, x)
	}
	c.E().AddProduct(dst, scale*c.F.slope(u), x, v)
}

// second is the second derivative at u.
func (f Curve) second(u float64) float64 {
	return f.Signed(f.Row.Second.At(min(max(u, f.ends.Lo+Steepest), f.ends.Hi), f.P)) + f.Bend
}

func (f *VectorAtom) Twice() bool {
	return f.Row.Second != nil && !slices.ContainsFunc(f.Args.Fs, func(e Scalar) bool { return !e.Twice() })
}

// moved has the derivatives of the numbers along v, in columns of w that are free.
func (f *VectorAtom) moved(w *numbers, x, v []float64) [][]float64 {
	d := w.errors()
	for k := range d {
		e := f.Args.Scalar(k)
		d[k][0] = e.Directional(x, v)
	}
	return d
}

func (f *VectorAtom) Directional(x, v []float64) float64 {
	w := f.take(x)
	defer w.put()
	g, s := w.gradient(), 0.0
	w.adj[0] = f.sign
	f.Row.Slope(g, w.adj, w.u, w.v, f.P)
	for k, d := range f.moved(w, x, v) {
		s += g[k][0] * d[0]
	}
	return s
}

func (f *VectorAtom) AddProduct(dst []float64, scale float64, x, v []float64) {
	w := f.take(x)
	defer w.put()
	g := w.gradient()
	w.adj[0] = f.sign * scale
	f.Row.Second(g, w.adj, w.u, f.moved(w, x, v), w.v, f.P)
	f.Args.addRows(dst, g, x)
	if f.affine() {
		return
	}
	g = w.gradient()
	f.Row.Slope(g, w.adj, w.u, w.v, f.P)
	for k := range f.Args.Fs {
		f.Args.Fs[k].AddProduct(dst, g[k][0], x, v)
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
