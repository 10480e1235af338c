package dc

import "math"

// approx is the value with its error.
func (f *family) approx(x []float64) approx {
	var s total
	f.approximate(x, func(lo int, v, e []float64) {
		for i, w := range f.w[lo : lo+len(v)] {
			s.addScaled(w, approx{v[i], e[i]})
		}
	})
	return s.approx
}

// approximate is blocks with the errors of the values, by the rules of the atoms.
func (f *family) approximate(x []float64, each func(lo int, v, e []float64)) {
	w := f.pool.Get().(*familyWork)
	defer f.pool.Put(w)
	f.begin(w, x)
	last := len(f.steps) - 1
	f.eachBlock(func(lo, n int) {
		for k := range f.steps {
			f.step(w, k, lo, n, x)
			f.stepError(w, k, lo, n, x)
		}
		each(lo, w.v[last][:n], w.adj[last][:n])
	})
}

// stepError writes the errors of step k, those before and its values being known.
func (f *program) stepError(w *familyWork, k, lo, n int, x []float64) {
	s, dst := &f.steps[k], w.adj[k][:n]
	switch s.op {
	case opRow, opSum:
		f.sumError(dst, s, lo, w, x)
		return
	case "max", opLeast:
		f.extremeError(dst, w, k)
		return
	case "norm2":
		clear(dst)
		for _, arg := range s.args {
			for i, e := range w.adj[arg][:n] {
				dst[i] += e * e
			}
		}
		own := float64(4*len(s.args)+3) * unit
		for i, v := range w.v[k][:n] {
			dst[i] = math.Sqrt(dst[i]) + own*math.Abs(v)
		}
		return
	}
	f.atomError(dst, w, k)
}

// atomError is the error of an atom that is a sum of functions of its arguments, or a
// function of one.
func (f *program) atomError(dst []float64, w *familyWork, k int) {
	s, n := &f.steps[k], len(dst)
	sums, rounding := w.zeros(n), unit // of each addition
	if s.op == "abs" || s.op == "square" || s.op == "mul" || s.curve != nil {
		rounding = 0
	}
	clear(dst)
	add := func(i int, u approx) {
		sums[i] += u.v
		dst[i] += u.e + rounding*math.Abs(sums[i])
	}
	of, h := (&huber{m: s.num}).of, len(s.args)/2
	for a, arg := range s.args {
		v, e := w.v[arg][:n], w.adj[arg][:n]
		switch s.op {
		case "abs", "norm1":
			for i, u := range v {
				add(i, approx{math.Abs(u), e[i]})
			}
		case "square", "sumsq":
			for i, u := range v {
				add(i, approx{u, e[i]}.square())
			}
		case "huber":
			for i, v := range v {
				u := approx{v, e[i]}
				add(i, u.through(of(v), 2*min(math.Abs(v), s.num), of(u.lo()), of(u.hi()), 3))
			}
		case "mul", "inner":
			if a >= h {
				break
			}
			o, b := w.v[s.args[a+h]], w.adj[s.args[a+h]]
			for i, u := range v {
				add(i, approx{u, e[i]}.times(approx{o[i], b[i]}))
			}
		default:
			for i, u := range v {
				add(i, curveApprox(s.curve, approx{u, e[i]}))
			}
		}
	}
}

// zeros are n of them, until the next call.
func (w *familyWork) zeros(n int) []float64 {
	clear(w.sums[:n])
	return w.sums[:n]
}

// extremeError is the error of a maximum, or of a minimum: the exact value is between
// that of the lower and that of the upper ends.
func (f *program) extremeError(dst []float64, w *familyWork, k int) {
	s := &f.steps[k]
	for i := range dst {
		m := newLargest()
		for _, arg := range s.args {
			u := approx{w.v[arg][i], w.adj[arg][i]}
			if s.op == opLeast {
				u.v = -u.v
			}
			m.add(u)
		}
		dst[i] = m.approx().e
	}
}

// sumError is the error of a row, as that of Linear, and of the weighted steps that are
// added to it. Products that members share are added up first, as in values.
func (f *program) sumError(dst []float64, s *step, lo int, w *familyWork, x []float64) {
	d := &f.rows[s.row]
	n := len(dst)
	sums := w.zeros(n)
	if d.shared {
		sum, m := 0.0, 0.0
		for t := range d.idx {
			p := d.val[t][0] * x[d.idx[t][0]]
			sum += p
			m += (1+coefficientErrors)*math.Abs(p) + math.Abs(sum)
		}
		for i := range dst {
			c := pick(d.c, lo+i)
			sums[i] = c + sum
			dst[i] = unit * ((1+coefficientErrors)*(math.Abs(c)+d.lost) + m + math.Abs(sums[i]))
		}
	} else {
		for i := range dst {
			c := pick(d.c, lo+i)
			dst[i] = (1 + coefficientErrors) * (math.Abs(c) + d.lost)
			if d.period == 0 {
				sums[i] = c
			}
		}
		at := d.at(lo)
		for t := range d.idx {
			idx, val := d.idx[t], d.val[t]
			for i, v := range sums {
				p := pick(val, at+i) * x[pick(idx, at+i)]
				v += p
				sums[i] = v
				dst[i] += (1+coefficientErrors)*math.Abs(p) + math.Abs(v)
			}
		}
		for i, v := range sums {
			if d.period > 0 {
				v += pick(d.c, lo+i)
				sums[i] = v
			}
			dst[i] = unit * (dst[i] + math.Abs(v))
		}
	}
	if s.op == opRow {
		return
	}
	for i, v := range sums {
		dst[i] += unit * math.Abs(v)
	}
	for a, arg := range s.args {
		num, v, e := f.nums[s.nums[a]], w.v[arg][:n], w.adj[arg][:n]
		for i, u := range sums {
			q := pick(num, lo+i)
			p := q * v[i]
			u += p
			sums[i] = u
			dst[i] += math.Abs(q)*e[i] + unit*(2*math.Abs(p)+math.Abs(u))
		}
	}
}
