package dc

import "math"

// approx is the value with its error, member by member.
func (f *family) approx(x []float64) approx {
	at := make([]approx, len(f.steps))
	var s total
	for i, w := range f.w {
		for k := range f.steps {
			at[k] = f.approxStep(&f.steps[k], i, x, at)
		}
		s.addScaled(w, at[len(at)-1])
	}
	return s.approx
}

// approxStep is a step of member i, those before being known, by the rules of the
// atoms.
func (f *family) approxStep(s *step, i int, x []float64, at []approx) approx {
	var sum total
	switch s.op {
	case opRow, opSum:
		sum.add(f.rows[s.row].approx(i, x))
		if s.op == opRow {
			return f.rows[s.row].approx(i, x)
		}
		for k, a := range s.args {
			sum.addScaled(pick(f.nums[s.nums[k]], i), at[a])
		}
		return sum.approx
	case "max":
		m := newLargest()
		for _, a := range s.args {
			m.add(at[a])
		}
		return m.approx()
	case "norm2":
		v, e := make([]float64, len(s.args)), make([]float64, len(s.args))
		for k, a := range s.args {
			v[k], e[k] = at[a].v, at[a].e
		}
		norm := euclid(v)
		return approx{norm, euclid(e) + float64(4*len(s.args)+3)*unit*norm}
	}
	h := len(s.args) / 2
	for k, a := range s.args {
		u := at[a]
		switch s.op {
		case "abs":
			return approx{math.Abs(u.v), u.e}
		case "square":
			return u.square()
		case "norm1":
			sum.add(approx{math.Abs(u.v), u.e})
		case "sumsq":
			sum.add(u.square())
		case "huber":
			of := (&huber{m: s.num}).of
			sum.add(u.through(of(u.v), 2*min(math.Abs(u.v), s.num), of(u.lo()), of(u.hi()), 3))
		case "mul":
			return u.times(at[s.args[1]])
		case "inner":
			if k < h {
				sum.add(u.times(at[s.args[k+h]]))
			}
		default:
			return curveApprox(s.curve, u)
		}
	}
	return sum.approx
}

// approx is the row of member i, as that of Linear; shared products are added up
// first, as in values.
func (d *rowData) approx(i int, x []float64) approx {
	s, c := 0.0, pick(d.c, i)
	if !d.shared {
		s, c = c, 0
	}
	m := math.Abs(s+c) * (1 + coefficientErrors)
	for t := range d.idx {
		p := pick(d.val[t], i) * x[pick(d.idx[t], i)]
		s += p
		m += (1+coefficientErrors)*math.Abs(p) + math.Abs(s)
	}
	return approx{c + s, unit * (m + math.Abs(c+s))}
}
