package dc

import "fmt"

// linearised is a function f of es whose split is made when the expression is complete, by bounds
// of its second derivative; functions of it are such functions too. Without such bounds, CCP takes
// the tangent at the current point, as Newton's method does; the domain is tested at all points.
// Functions of es that are not smooth need the bounds: err refuses others.
func linearised(f func(parted) written, err error, es ...Expr) Expr {
	var lists [][]int
	smooth := true
	for k := range es {
		smooth = smooth && es[k].smooth()
		lists = append(lists, es[k].support())
	}
	t := &tangential{sign: -1, all: &sum{}}
	for k := range es {
		p := es[k].splitNow()
		t.all.terms = append(append(t.all.terms, p.g...), p.h...)
	}
	t.f = f(parted{split{h: []term{{1, t}}}, union(lists...)})
	p, ok := t.f.(interface{ partial() bool })
	t.everywhere = !(ok && p.partial()) && t.all.Everywhere()
	e := node(t.f, ownerOf(es...))
	if !smooth && !(e.HasSplit() && e.Neg().HasSplit()) {
		return Expr{err: err}
	}
	return e
}

// tangential is sign·f where it stands for a convex function that is subtracted, which it need
// not be: a function of es without a split. See tangent.
type tangential struct {
	f          written
	sign       float64
	all        *sum // of the functions in the splits of the arguments
	everywhere bool // these have subgradients at all points, and f has a value
}

func (t *tangential) Value(x []float64) float64 { return t.sign * t.f.Value(x) }
func (t *tangential) AddSubgrad(dst []float64, scale float64, x []float64) {
	t.f.AddSubgrad(dst, scale*t.sign, x)
}
func (t *tangential) Support() []int { return t.f.Support() }
func (t *tangential) Smooth() bool   { return smooth(t.f) }
func (t *tangential) String() string { return fmt.Sprintf("a function of a %v without a split", t.f) }

func (t *tangential) approx(x []float64) approx {
	a := approximate(t.f, x)
	a.v *= t.sign
	return a
}

func (t *tangential) node() Node {
	return Node{op: "tangent", num: t.sign, args: exprArgs(Expr{terms: []term{{1, t.f}}})}
}

// Domain is that of the arguments.
func (t *tangential) Domain() []Representer { return t.all.Domain() }

func (t *tangential) Everywhere() bool { return t.everywhere }

func (t *tangential) Inside(x []float64) bool {
	return t.everywhere || finite(t.f.Value(x)) && t.all.Inside(x)
}

func (t *tangential) parts() []Convex { return t.all.parts() }

// turned is −t.
func (t *tangential) turned() tangent { return &tangential{t.f, -t.sign, t.all, t.everywhere} }
