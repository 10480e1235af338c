package factorable

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// Op is the function of a term: its place in functions. Up to Product it is its number in a proof,
// which names the others.
type Op uint8

// The functions that have more than bounds. Those of one column are all but Affine and Product.
const (
	Affine   Op = 0 // an affine function of the columns before
	Square   Op = 1
	Abs      Op = 2
	Even     Op = 3
	Huber    Op = 4
	PosPower Op = 5
	Power    Op = 9
	Product  Op = 12 // of two columns. Source: the format of proofs
)

// functions are those of one column. The rows of the table that are not listed follow.
var functions = []*atom.Curve{
	Square: atom.Find("square"), Abs: atom.Find("abs"), Even: atom.Find("abspower"), Huber: atom.Find("huber"),
	PosPower: atom.Find("pos_power"), 6: atom.Find("exp"), 7: atom.Find("logistic"), 8: atom.Find("xexp"),
	Power: atom.Find("power"), 10: atom.Find("log"), 11: atom.Find("entr"), Product: nil,
}

var _ = withRows()

// withRows adds the rows without a number.
func withRows() bool {
	functions = append(functions, slices.DeleteFunc(atom.Curves(), func(c *atom.Curve) bool {
		return slices.Contains(functions, c)
	})...)
	return true
}

// opOf is the function of a row.
func opOf(c *atom.Curve) Op { return Op(slices.Index(functions, c)) }

// row is the function of one column.
func (t *Term) row() *atom.Curve { return functions[t.Op] }

// Name is the name of the function of a term in a proof, empty if it has a number.
func (t *Term) Name() string {
	if t.Op <= Product {
		return ""
	}
	return t.row().Name
}

// OfOne reports whether the term is a function of one column that is not affine.
func (t *Term) OfOne() bool { return t.Op != Affine && t.Op != Product }

// domain is the set on which the function of one column has values.
func (t *Term) domain() Interval {
	if t.row().Domain != nil {
		return t.row().Domain(t.P)
	}
	return interval.Whole
}

// at is the value at a number, enclosed.
func (t *Term) at(v float64) Interval { return t.row().Value.Over(interval.Point(v), t.P) }

// slopes are those at a number, at a kink all subgradients.
func (t *Term) slopes(v float64) Interval { return t.row().Slope.Over(interval.Point(v), t.P) }

// image is the set of values on an interval.
func (t *Term) image(a Interval) Interval {
	if a = meet(a, t.domain()); empty(a) {
		return a
	}
	return t.row().Value.Over(a, t.P)
}

// second encloses the second derivatives inside an interval.
func (t *Term) second(a Interval) Interval {
	if a.Lo < a.Hi {
		a = interval.New(num.Up(a.Lo), num.Down(a.Hi))
	}
	if a = meet(a, t.domain()); a.Lo >= a.Hi {
		return Interval{}
	}
	return t.row().Second.Over(a, t.P)
}

// Bends is 1 where the function of one column is convex on an interval, −1 where it is concave, 2
// where it is affine, and 0 where it may be neither.
func (t *Term) Bends(a Interval) int {
	switch s := t.second(a); {
	case s == Interval{}:
		return 2
	case s.Lo >= 0:
		return 1
	case s.Hi <= 0:
		return -1
	}
	return 0
}

// Kink reports whether the function has a kink at 0.
func (t *Term) Kink() bool { return t.row().Kinked || t.Op == PosPower }

// Slope is the derivative, at a kink a subgradient.
func (t *Term) Slope(v float64) float64 { return t.row().Slope.At(Clip(t.domain(), v), t.P) }

// Breaks lists the numbers inside an interval where the function has a kink or an inflection point.
func (t *Term) Breaks(a Interval) []float64 {
	switch {
	case t.Kink() && a.Lo < 0 && a.Hi > 0:
		return []float64{0}
	case t.row().Inflections == nil:
		return nil
	}
	return t.row().Inflections(a, t.P)
}

// cones states the function, or minus it where it is concave, if it has cones.
func (t *Term) cones() {
	name, u := t.row().Name, dc.FromLinear(ColumnOf(t.A))
	var data []float64
	if t.row().HasParameter {
		data = []float64{t.P}
	}
	if t.Op == Even {
		if name = "power"; math.Mod(t.P, 2) != 0 {
			u = dc.Abs(u)
		}
	}
	e, sense := dc.Apply(name, data, u), 1.0
	if t.Bends(interval.Whole) < 0 {
		e, sense = e.Neg(), -1
	}
	if e.Err() == nil && e.IsConvex() && t.Op != Abs { // that has lines
		t.Cones, t.Sense = e.Scalar().G(), sense
	}
}

// Lines below a curve: how many numbers they are made of, and how many there are at most. Source:
// with 3, 4, 6 and 10 lines Shubert's function in two variables (cmd/dcopt/testdata/smooth) is
// proved in 2.7, 3.4, 1.7 and 2.3 s.
const (
	samples   = 32
	mostLines = 6
)

// Line is the function Slope·u + Const.
type Line struct{ Slope, Const float64 }

// Lines are below sign times the function on an interval, to the accuracy of samples, and touch its
// convex hull.
func (t *Term) Lines(a Interval, sign float64) (out []Line) {
	if a = meet(a, t.domain()); t.Op == Abs && !a.IsFinite() {
		return sizeLines(a, sign)
	}
	n := samples
	if b := t.Bends(a); b == 2 || float64(b) == -sign {
		n = 1
	}
	at := append(t.Breaks(a), a.Hi)
	for i := range n {
		at = append(at, a.Lo+interval.Width(a)*float64(i)/float64(n))
	}
	slices.Sort(at)
	var us, vs []float64 // the lower hull of points of the function
	slope := func(k int, u, v float64) float64 { return (v - vs[k]) / (u - us[k]) }
	value := func(u float64) float64 { return sign * t.row().Value.At(u, t.P) }
	for _, u := range at {
		v := value(u)
		if math.IsInf(v, 0) || math.IsNaN(v) || math.IsInf(u, 0) {
			return nil
		}
		if len(us) > 0 && !(u > us[len(us)-1]) {
			continue
		}
		k := len(us)
		for k > 1 && slope(k-2, us[k-1], vs[k-1]) >= slope(k-2, u, v) {
			k--
		}
		us, vs = append(us[:k], u), append(vs[:k], v)
	}
	most := min(len(us)-1, mostLines)
	for i := range most {
		k := i * (len(us) - 2) / max(most-1, 1)
		s, mid := slope(k, us[k+1], vs[k+1]), us[k]+(us[k+1]-us[k])/2
		if c := min(vs[k]-s*us[k], value(mid)-s*mid); s-s == 0 && c-c == 0 { // of a parabola the tangent at mid
			out = append(out, Line{s, c})
		}
	}
	return out
}

// sizeLines are those of an absolute value on an interval without an end.
func sizeLines(a Interval, sign float64) (out []Line) {
	switch {
	case sign < 0 && a.Lo > math.Inf(-1):
		return []Line{{-1, 2 * min(a.Lo, 0)}}
	case sign < 0 && a.Hi < math.Inf(1):
		return []Line{{1, -2 * max(a.Hi, 0)}}
	case sign < 0:
		return nil
	}
	if a.Hi > 0 {
		out = append(out, Line{1, 0})
	}
	if a.Lo < 0 {
		out = append(out, Line{-1, 0})
	}
	return out
}

// Values are the values of all columns at a point.
func (p *Problem) Values(x []float64) []float64 {
	x = slices.Clone(x)
	for k := range p.Terms {
		switch t := &p.Terms[k]; t.Op {
		case Affine:
			x = append(x, t.Lin.Value(x))
		case Product:
			x = append(x, x[t.A]*x[t.B])
		default:
			x = append(x, -t.Off(x, 0))
		}
	}
	return x
}

// Off is how much a column's value w differs from the function at its arguments x, and the
// value there.
func (t *Term) Off(x []float64, w float64) float64 {
	switch t.Op {
	case Affine:
		return 0
	case Product:
		return w - x[t.A]*x[t.B]
	}
	return w - t.row().Value.At(Clip(t.domain(), x[t.A]), t.P)
}

// inverse is the part of a on which the function can be in w: at either end, a part whose image is
// apart from w is cut off.
func (t *Term) inverse(w, a Interval) Interval {
	a = meet(a, t.domain())
	apart := func(b Interval) bool {
		v := t.image(b)
		return v.Lo > w.Hi || v.Hi < w.Lo
	}
	if empty(a) || apart(a) {
		return interval.New(1, -1)
	}
	if apart(interval.Point(a.Lo)) {
		a.Lo = t.far(a.Lo, a.Hi, w, func(v float64) bool { return apart(interval.New(a.Lo, v)) })
	}
	if apart(interval.Point(a.Hi)) {
		a.Hi = t.far(a.Hi, a.Lo, w, func(v float64) bool { return apart(interval.New(v, a.Hi)) })
	}
	return a
}

// far is a number as far from the first on the way to the last as none between is in: next to an
// argument with an end of w for its value if it is known, else where halving leads to.
func (t *Term) far(first, last float64, w Interval, out func(v float64) bool) float64 {
	if f := t.row(); f.Inverse != nil {
		for _, end := range [2]float64{w.Lo, w.Hi} {
			v := f.Inverse(end, t.P)
			for _, e := range [4]float64{0x1p-50, 0x1p-45, 0x1p-40, 0x1p-30} {
				u := v - math.Copysign(e*math.Abs(v), last-first)
				if (u-first)*(last-u) > 0 && out(u) {
					return u
				}
			}
		}
	}
	for range halvings {
		mid := between(min(first, last), max(first, last))
		if mid == first || mid == last || math.Abs(last-first) <= 0x1p-36*math.Abs(mid) {
			break
		}
		if out(mid) {
			first = mid
		} else {
			last = mid
		}
	}
	return first
}

// halvings is how often an interval is halved, or doubled, at most. Source: any number does; the
// next round goes on.
const halvings = 60
