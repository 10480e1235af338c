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
			f.stepWithError(w, k, lo, n, x)
		}
		each(lo, w.v[last][:n], w.adj[last][:n])
	})
}

// stepWithError writes the values of step k and their errors, those before being known: in one pass where step and stepError would
// take several, with the same results to the last bit.
func (f *program) stepWithError(w *familyWork, k, lo, n int, x []float64) {
	switch s := &f.steps[k]; {
	case s.op == "max" || s.op == opLeast:
		f.extreme(w, k, n)
	case s.op == opSum && f.rows[s.row].shared && len(f.rows[s.row].c) == 1:
		f.sumOfSteps(w, k, lo, n, x)
	case w.joined[k] && s.op != opRow:
		f.squaresOfRows(w, k, lo, n, x)
	default:
		f.step(w, k, lo, n, x)
		if !w.joined[k] { // squaresOfRows computes the errors of its rows
			f.stepError(w, k, lo, n, x)
		}
	}
}

// squaresOfRows is stepWithError of a sum of squares of rows that joinSquares marks.
func (f *program) squaresOfRows(w *familyWork, k, lo, n int, x []float64) {
	s, sums, dst := &f.steps[k], w.v[k][:n], w.adj[k][:n]
	clear(sums)
	clear(dst)
	for _, arg := range s.args {
		d := &f.rows[f.steps[arg].row]
		v, c, each := w.v[arg][:n], d.c[lo:][:n], d.sharedErrors(x)
		for i, u := range v {
			sums[i] += u * u // as in step, which may be one operation
			size := math.Abs(u)
			e := unit * ((1+coefficientErrors)*math.Abs(c[i]) + each + size)
			dst[i] += (2*size+e)*e + unit*(u*u) + unit*sums[i]
		}
	}
}

// sumOfSteps is stepWithError of a sum of steps and of a row that is one number for all members.
func (f *program) sumOfSteps(w *familyWork, k, lo, n int, x []float64) {
	s := &f.steps[k]
	d, sums, dst := &f.rows[s.row], w.v[k][:n], w.adj[k][:n]
	u := d.c[0] + w.shared[s.row]
	e := unit*(d.sharedErrors(x)+(1+coefficientErrors)*math.Abs(d.c[0])+math.Abs(u)) + unit*math.Abs(u)
	for i := range sums {
		sums[i], dst[i] = u, e
	}
	f.addErrors(dst, sums, s, lo, w)
}

// extreme is stepWithError of a maximum, or of a minimum: the exact value is between that of the lower and that of the upper ends.
func (f *program) extreme(w *familyWork, k, n int) {
	s, top, lo, hi := &f.steps[k], w.v[k][:n], w.sums[:n], w.adj[k][:n]
	for a, arg := range s.args {
		v, e := w.v[arg][:n], w.adj[arg][:n]
		switch {
		case a == 0:
			for i, u := range v {
				e := approx{u, e[i]}.spread()
				top[i], lo[i], hi[i] = u, u-e, u+e
			}
		case s.op == opLeast:
			for i, u := range v {
				e := approx{u, e[i]}.spread()
				top[i], lo[i], hi[i] = min(top[i], u), min(lo[i], u-e), min(hi[i], u+e)
			}
		default:
			for i, u := range v {
				e := approx{u, e[i]}.spread()
				top[i], lo[i], hi[i] = max(top[i], u), max(lo[i], u-e), max(hi[i], u+e)
			}
		}
	}
	for i, v := range top {
		hi[i] = max(hi[i]-v, v-lo[i])
	}
}

// sharedErrors are the errors of a row that all members share, in units: of the products, and of what was lost.
func (d *rowData) sharedErrors(x []float64) (each float64) {
	sum := 0.0
	for t := range d.idx {
		p := d.val[t][0] * x[d.idx[t][0]]
		sum += p
		each += (1+coefficientErrors)*math.Abs(p) + math.Abs(sum)
	}
	return each + (1+coefficientErrors)*d.lost
}

// stepError writes the errors of step k, those before and its values being known.
func (f *program) stepError(w *familyWork, k, lo, n int, x []float64) {
	s, dst := &f.steps[k], w.adj[k][:n]
	switch s.op {
	case opRow, opSum:
		f.sumError(dst, k, lo, w, x)
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
	if s.op == "abs" || s.op == "square" || s.op == "mul" || s.curve.row != nil {
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
				add(i, s.curve.approx(approx{u, e[i]}))
			}
		}
	}
}

// zeros are n of them, until the next call.
func (w *familyWork) zeros(n int) []float64 {
	clear(w.sums[:n])
	return w.sums[:n]
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
	for i, v := range sums {
		dst[i] += unit * math.Abs(v)
	}
	f.addErrors(dst, sums, s, lo, w)
}

// addErrors adds the weighted steps that are added in s to sums, and their errors to dst.
func (f *program) addErrors(dst, sums []float64, s *step, lo int, w *familyWork) {
	n := len(dst)
	for a, arg := range s.args {
		num, v, e := f.nums[s.nums[a]], w.v[arg][:n], w.adj[arg][:n]
		q := num[0]
		for i, u := range sums {
			if len(num) > 1 {
				q = num[lo+i]
			}
			u += q * v[i] // as in step, which may be one operation
			sums[i] = u
			dst[i] += math.Abs(q)*e[i] + unit*(2*math.Abs(q*v[i])+math.Abs(u))
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
		each = d.sharedErrors(x)
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
	if !d.shared {
		each = (1 + coefficientErrors) * d.lost
	}
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
