package dc

import "math"

// evaluate is f at x, with the parts that are wanted.
func (f *family) evaluate(x []float64, want asked) evaluation {
	keep := f.coefficients() >= leastRecent*len(f.indices)
	if keep {
		if e, ok := f.recent.find(f.indices, x, want); ok {
			return e
		}
	}
	e := f.compute(x, want)
	if keep {
		f.recent.add(f.indices, x, e)
	}
	return e
}

// compute is evaluate by the members. With the error come the sizes: they cost little beside it.
func (f *family) compute(x []float64, want asked) evaluation {
	if want.error {
		want.sizes = true
	}
	e := evaluation{asked: want}
	var s total
	add := func(lo int, v []float64) {
		weights, value := f.w[lo:lo+len(v)], e.value
		for i, u := range v {
			value += weights[i] * u
		}
		e.value = value
		if !want.sizes {
			return
		}
		for i, u := range v {
			size := finiteSize(weights[i] * u)
			e.sum, e.most = e.sum+size, max(e.most, size)
		}
	}
	if !want.error {
		w := f.pool.Get().(*familyWork)
		defer f.pool.Put(w)
		f.blocks(w, x, add)
		return e
	}
	f.approximate(x, func(lo int, v, errs []float64) {
		add(lo, v)
		for i, w := range f.w[lo : lo+len(v)] {
			s.addScaled(w, approx{v[i], errs[i]})
		}
	})
	e.bound = s.e
	return e
}

func (f *family) Value(x []float64) float64 { return f.evaluate(x, asked{}).value }

// sizes are the sum of the sizes of the weighted members, and the largest; sizes that
// are not finite do not count.
func (f *family) sizes(x []float64) (sum, most float64) {
	e := f.evaluate(x, asked{sizes: true})
	return e.sum, e.most
}

// approx is the value with its error.
func (f *family) approx(x []float64) approx {
	e := f.evaluate(x, asked{error: true})
	return approx{e.value, e.bound}
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
		f.sumError(dst, k, lo, w, x)
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
		case "square", "sumsq": // as approx.square
			for i, u := range v {
				e, q := e[i], u*u
				sum := sums[i] + q
				sums[i] = sum
				dst[i] += (2*math.Abs(u)+e)*e + unit*q + rounding*sum
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
	s, n := &f.steps[k], len(dst)
	top, least := w.v[k][:n], s.op == opLeast
	lo, hi := w.zeros(n), dst
	for a, arg := range s.args {
		v, e := w.v[arg][:n], w.adj[arg][:n]
		switch {
		case a == 0:
			for i, u := range v {
				lo[i], hi[i] = u-e[i], u+e[i]
			}
		case least:
			for i, u := range v {
				lo[i], hi[i] = min(lo[i], u-e[i]), min(hi[i], u+e[i])
			}
		default:
			for i, u := range v {
				lo[i], hi[i] = max(lo[i], u-e[i]), max(hi[i], u+e[i])
			}
		}
	}
	for i, v := range top {
		dst[i] = max(hi[i]-v, v-lo[i])
	}
}

// sumError is the error of a row, as that of Linear, and of the weighted steps that are
// added to it. Products that members share are added up first, as in values.
func (f *program) sumError(dst []float64, k, lo int, w *familyWork, x []float64) {
	s := &f.steps[k]
	sums, known := w.v[k][:len(dst)], s.op == opRow && f.rows[s.row].shared
	if !known {
		sums = w.zeros(len(dst))
	}
	f.rowError(dst, sums, s.row, lo, w, x, known)
	if s.op == opRow {
		return
	}
	n := len(dst)
	for i, v := range sums {
		dst[i] += unit * math.Abs(v)
	}
	for a, arg := range s.args {
		num, v, e := f.nums[s.nums[a]], w.v[arg][:n], w.adj[arg][:n]
		q := num[0]
		for i, u := range sums {
			if len(num) > 1 {
				q = num[lo+i]
			}
			p := q * v[i]
			u += p
			sums[i] = u
			dst[i] += math.Abs(q)*e[i] + unit*(2*math.Abs(p)+math.Abs(u))
		}
	}
}

// rowError writes the errors of row k of the members from lo on. sums are the values of the row; where these are not known,
// it writes them as well.
func (f *program) rowError(dst, sums []float64, k, lo int, w *familyWork, x []float64, known bool) {
	d, n := &f.rows[k], len(dst)
	each := 0.0 // the part of all members
	switch {
	case d.shared:
		sum := 0.0
		for t := range d.idx {
			p := d.val[t][0] * x[d.idx[t][0]]
			sum += p
			each += (1+coefficientErrors)*math.Abs(p) + math.Abs(sum)
		}
		if !known {
			f.row(sums, k, lo, w, x)
		}
		clear(dst)
	case d.period > 0:
		p, e := w.products[k][:n], w.errors[k][:n]
		if lo < d.period {
			clear(p)
			clear(e)
			d.productErrors(e, p, lo, x)
		}
		for i, v := range p {
			sums[i] = v + pick(d.c, lo+i)
		}
		copy(dst, e)
	default:
		for i := range sums {
			sums[i] = pick(d.c, lo+i)
		}
		clear(dst)
		d.productErrors(dst, sums, lo, x)
	}
	each += (1 + coefficientErrors) * d.lost
	if len(d.c) == 1 {
		each += (1 + coefficientErrors) * math.Abs(d.c[0])
		for i, v := range sums {
			dst[i] = unit * (dst[i] + each + math.Abs(v))
		}
		return
	}
	for i, c := range d.c[lo : lo+n] {
		dst[i] = unit * (dst[i] + (1+coefficientErrors)*math.Abs(c) + each + math.Abs(sums[i]))
	}
}

// productErrors adds the products of the variables and the coefficients in the lists from lo on to sums, and their errors, in
// units, to dst.
func (d *rowData) productErrors(dst, sums []float64, lo int, x []float64) {
	dst = dst[:len(sums)]
	for t := range d.idx {
		idx, val := d.idx[t], d.val[t]
		if len(idx) > 1 || len(val) == 1 {
			for i, v := range sums {
				p := pick(val, lo+i) * x[pick(idx, lo+i)]
				v += p
				sums[i] = v
				dst[i] += (1+coefficientErrors)*math.Abs(p) + math.Abs(v)
			}
			continue
		}
		at, val := x[idx[0]], val[lo:][:len(sums)]
		for i, v := range sums {
			p := val[i] * at
			v += p
			sums[i] = v
			dst[i] += (1+coefficientErrors)*math.Abs(p) + math.Abs(v)
		}
	}
}
