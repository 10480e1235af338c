package scene

import "math"

// Drawable reports whether a number can be a coordinate: it is finite, and so are sums of a
// few such numbers.
func Drawable(v float64) bool { return math.Abs(v) < math.MaxFloat64/16 }

// mostPoints is how many points a mark has; of more, every so many are drawn.
// Source: a limit of the size of a picture.
const mostPoints = 4000

// finite are the parts that can be drawn; v may be nil.
func finite(x, y, v []float64) (xs, ys, vs []float64) {
	step := max(1, (len(x)+mostPoints-1)/mostPoints)
	for k := 0; k < len(x); k += step {
		if !Drawable(x[k]) || !Drawable(y[k]) || v != nil && !Drawable(v[k]) {
			continue
		}
		if xs, ys = append(xs, x[k]), append(ys, y[k]); v != nil {
			vs = append(vs, v[k])
		}
	}
	return xs, ys, vs
}

// thinned is a line with at most mostPoints points, of a longer one the least and the
// greatest of each stretch.
func thinned(x, y []float64) (xs, ys []float64) {
	if len(x) <= mostPoints {
		return x, y
	}
	step := (2*len(x) + mostPoints - 1) / mostPoints
	for lo := 0; lo < len(x); lo += step {
		a, b := lo, lo
		for k := lo; k < min(lo+step, len(x)); k++ {
			if y[k] < y[a] || math.IsNaN(y[a]) {
				a = k
			}
			if y[k] > y[b] || math.IsNaN(y[b]) {
				b = k
			}
		}
		a, b = min(a, b), max(a, b)
		if xs, ys = append(xs, x[a]), append(ys, y[a]); a != b {
			xs, ys = append(xs, x[b]), append(ys, y[b])
		}
	}
	return xs, ys
}

// mostSide is how many rows and columns of a matrix are drawn. A cell of a larger one is
// the entry of the largest absolute value in its block.
// Source: a limit of the size of a picture.
const mostSide = 128

// cells adds a matrix as a map of colours.
func (b *builder) cells(label string, n, k int, v []float64) {
	if n == 0 || k == 0 {
		return
	}
	m := Mark{Kind: Cells, Label: label, X: []float64{0.5, float64(k) + 0.5}, Y: []float64{0.5, float64(n) + 0.5},
		Rows: min(n, mostSide), Cols: min(k, mostSide)}
	m.V = make(Values, m.Rows*m.Cols)
	for i := range m.V {
		m.V[i] = math.NaN()
	}
	for i := range n {
		for j := range k {
			at := &m.V[i*m.Rows/n*m.Cols+j*m.Cols/k]
			if e := v[i*k+j]; Drawable(e) && !(math.Abs(*at) >= math.Abs(e)) {
				*at = e
			}
		}
	}
	m.SetColors()
	b.Down = true
	b.put(1, m)
}

// grid adds a matrix whose columns are at x and whose rows are at y, both of equal steps, and
// y upwards.
func (b *builder) grid(label string, x, y, v []float64) {
	if len(x) == 0 || len(y) == 0 {
		return
	}
	first, last := x[0], x[len(x)-1]
	low, high := y[0], y[len(y)-1]
	if !Drawable(first) || !Drawable(last) || !Drawable(low) || !Drawable(high) {
		return
	}
	n, k := len(y), len(x)
	sorted := make([]float64, 0, n*k)
	for i := range n {
		if low > high {
			i = n - 1 - i
		}
		for j := range k {
			if first > last {
				j = k - 1 - j
			}
			sorted = append(sorted, v[i*k+j])
		}
	}
	b.cells(label, n, k, sorted)
	m := &b.Marks[len(b.Marks)-1]
	m.X, m.Y = around(first, last, k), around(low, high, n)
	b.Down = false
}

// around are the ends of n cells of equal width whose middles lie from a to b.
func around(a, b float64, n int) []float64 {
	a, b = min(a, b), max(a, b)
	half := 0.5
	if n > 1 && b > a {
		half = (b - a) / float64(n-1) / 2
	}
	return []float64{a - half, b + half}
}

// SetRanges sets the ranges of the axes: the ranges of the marks with some room.
func (p *Panel) SetRanges() {
	x, y := Range{math.Inf(1), math.Inf(-1)}, Range{math.Inf(1), math.Inf(-1)}
	room, bars := 0.04, false
	for k := range p.Marks {
		m := &p.Marks[k]
		switch m.Kind {
		case Points, Labels:
			x.hold(m.X, 0)
			y.hold(m.Y, 0)
			if m.Kind == Labels {
				room = max(room, 0.1)
			}
		case Circles:
			for i, r := range m.R {
				x.hold(m.X[i:i+1], r)
				y.hold(m.Y[i:i+1], r)
			}
		case Rects:
			for i := range m.X {
				x.hold([]float64{m.X[i], m.X[i] + m.W[i]}, 0)
				y.hold([]float64{m.Y[i], m.Y[i] + m.H[i]}, 0)
			}
		case Lines:
			for _, l := range m.Lines {
				x.hold(l.X, 0)
				y.hold(l.Y, 0)
			}
		case Motion:
			for _, l := range m.Lines {
				x.hold(l.X, m.R[0])
				y.hold(l.Y, m.R[0])
			}
		case Bars:
			bars = true
			x.hold(m.X, m.Width/2)
			y.hold(m.Y, 0)
			y.hold(m.Base, 0)
		case Cells:
			x.hold(m.X, 0)
			y.hold(m.Y, 0)
			room = 0
		}
	}
	foot := y.Lo
	p.X, p.Y = x.widened(room), y.widened(room)
	if bars && foot == 0 {
		p.Y.Lo = 0 // bars stand on the axis
	}
}

// hold extends the range to numbers and d on both sides of them.
func (r *Range) hold(v []float64, d float64) {
	for _, e := range v {
		r.Lo, r.Hi = min(r.Lo, e-d), max(r.Hi, e+d)
	}
}

// widened is the range with room on both sides; one of a single number has some, too.
func (r Range) widened(room float64) Range {
	if d := r.Hi - r.Lo; d > 1e-12*max(math.Abs(r.Lo), math.Abs(r.Hi)) {
		return Range{r.Lo - room*d, r.Hi + room*d}
	}
	d := max(math.Abs(r.Lo)/10, 1e-3)
	return Range{r.Lo - d, r.Hi + d}
}
