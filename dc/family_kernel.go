package dc

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// family is a weighted sum of functions that are the same atoms of affine
// functions with other numbers: Σ w[i]·f(data[i]; x). It has the structure once, as
// a program of steps, and the numbers as arrays; values and subgradients are
// computed for many members at a time.
type family struct {
	program
	w       []float64
	indices []int
	pool    sync.Pool // of *familyWork
	once    sync.Once
	s       split
	recent  recent
	period  int // members that follow one another by so many have the same coefficients; the number of members where that is not so
}

// program computes functions that differ in numbers alone.
type program struct {
	steps []step // in the order of their computation; the last one is f
	rows  []rowData
	nums  [][]float64 // weights inside of f, by member
	of    *space
}

// step is an atom of earlier steps, a row of data, or a sum: a row plus weighted
// steps.
type step struct {
	op    string // of Node; opRow, opSum
	row   int    // of opRow and opSum
	args  []int
	nums  []int   // of opSum: the weights
	num   float64 // of the atom
	curve curve
}

const (
	opRow   = "row"
	opSum   = "sum"
	opLeast = "least of" // see leastOf
)

// rowData are the numbers of an affine function, by member: coefficient t of member
// i is val[t][i]. A list of length one holds for all members.
type rowData struct {
	idx [][]int32
	val [][]float64
	c   []float64
	// lost is the largest of the members': see Linear.
	lost float64
	// shared: all members have the same coefficients.
	shared bool
	// period, if not 0, is how many of the first members the lists of coefficients are for; further ones, members in all,
	// have the same again.
	period, members int
}

// at is the place of member i in the lists of coefficients.
func (d *rowData) at(i int) int {
	if d.period > 0 {
		return i % d.period
	}
	return i
}

func pick[T any](list []T, i int) T {
	if len(list) == 1 {
		return list[0]
	}
	return list[i]
}

// memberBlock is how many members are computed together: their numbers and those of
// the steps between stay in the first level of a cache.
// Source: derived: 1 kB for a step, and 32 kB for the steps of most members.
const memberBlock = 128

// familyWork is the room for a block of members.
type familyWork struct {
	v, adj [][]float64 // by step; adj has the adjoints, or the errors
	sums   []float64
	shared []float64 // by row: Σ val·x where that is one number
	list   []float64
	grad   []float64 // by row: the sum of the adjoints, where coefficients are shared
	// by row with a period: the products of coefficients and variables of the block that came first, and the sums of the adjoints
	// of the blocks with these coefficients
	products, adjoint [][]float64
	errors            [][]float64 // the errors of products, in units
	joined            []bool      // by step: see joinSquares
}

func newFamilyWork(f *program) *familyWork {
	w := &familyWork{v: make([][]float64, len(f.steps)), adj: make([][]float64, len(f.steps)), shared: make([]float64, len(f.rows)), grad: make([]float64, len(f.rows)), sums: make([]float64, memberBlock), joined: f.joinSquares()}
	for k := range f.steps {
		w.v[k], w.adj[k] = make([]float64, memberBlock), make([]float64, memberBlock)
	}
	w.products, w.adjoint, w.errors = make([][]float64, len(f.rows)), make([][]float64, len(f.rows)), make([][]float64, len(f.rows))
	for k := range f.rows {
		if f.rows[k].period > 0 {
			w.products[k], w.adjoint[k], w.errors[k] = make([]float64, memberBlock), make([]float64, memberBlock), make([]float64, memberBlock)
		}
	}
	return w
}

// joinSquares marks sums of squares of rows that have coefficients in common and a constant for each member, and these rows.
func (f *program) joinSquares() []bool {
	joined, users := make([]bool, len(f.steps)), make([]int, len(f.steps))
	for k := range f.steps {
		for _, arg := range f.steps[k].args {
			users[arg]++
		}
	}
	for k := range f.steps {
		s := &f.steps[k]
		joined[k] = s.op == "sumsq" && !slices.ContainsFunc(s.args, func(arg int) bool {
			d := &f.rows[f.steps[arg].row]
			return f.steps[arg].op != opRow || users[arg] > 1 || !d.shared || len(d.c) == 1
		})
		for _, arg := range s.args {
			joined[arg] = joined[arg] || joined[k]
		}
	}
	return joined
}

// begin computes the values that all members share.
func (f *program) begin(w *familyWork, x []float64) {
	for k := range f.rows {
		d := &f.rows[k]
		s := 0.0
		if d.shared {
			for t := range d.idx {
				s += d.val[t][0] * x[d.idx[t][0]]
			}
		}
		w.shared[k] = s
	}
}

// row writes an affine function of the members from lo on.
func (f *program) row(dst []float64, k, lo int, w *familyWork, x []float64) {
	d := &f.rows[k]
	n := len(dst)
	switch {
	case len(d.c) == 1:
		u := d.c[0] + w.shared[k]
		for i := range dst {
			dst[i] = u
		}
	default:
		copy(dst, d.c[lo:lo+n])
		floats.AddConst(w.shared[k], dst)
	}
	switch {
	case d.shared:
	case d.period > 0:
		p := w.products[k][:n]
		if lo < d.period {
			clear(p)
			d.addProducts(p, lo, x)
		}
		floats.Add(dst, p)
	default:
		d.addProducts(dst, lo, x)
	}
}

// addProducts adds the products of the variables and the coefficients in the lists from lo on.
func (d *rowData) addProducts(dst []float64, lo int, x []float64) {
	n := len(dst)
	for t := range d.idx {
		idx, val := d.idx[t], d.val[t]
		switch {
		case len(idx) == 1 && len(val) == 1:
			u := val[0] * x[idx[0]]
			for i := range dst {
				dst[i] += u
			}
		case len(idx) == 1:
			floats.AddScaled(dst, x[idx[0]], val[lo:lo+n])
		case len(val) == 1:
			u := val[0]
			for i, j := range idx[lo : lo+n] {
				dst[i] += u * x[j]
			}
		default:
			val := val[lo : lo+n]
			for i, j := range idx[lo : lo+n] {
				dst[i] += val[i] * x[j]
			}
		}
	}
}

// forward computes the steps of n members from lo on.
func (f *program) forward(w *familyWork, lo, n int, x []float64) {
	for k := range f.steps {
		f.step(w, k, lo, n, x)
	}
}

// step computes step k of n members from lo on, those before being known.
func (f *program) step(w *familyWork, k, lo, n int, x []float64) {
	s := &f.steps[k]
	dst := w.v[k][:n]
	switch s.op {
	case opRow, opSum:
		f.row(dst, s.row, lo, w, x)
		for a, arg := range s.args {
			addScaled(dst, f.nums[s.nums[a]], lo, w.v[arg])
		}
		return
	case "max":
		copy(dst, w.v[s.args[0]])
		for _, arg := range s.args[1:] {
			for i, v := range w.v[arg][:n] {
				dst[i] = max(dst[i], v) // NaN where one is
			}
		}
		return
	case opLeast:
		copy(dst, w.v[s.args[0]])
		for _, arg := range s.args[1:] {
			for i, v := range w.v[arg][:n] {
				dst[i] = min(dst[i], v)
			}
		}
		return
	case "norm2":
		f.norms(dst, w, s)
		return
	}
	h := len(s.args) / 2
	for a, arg := range s.args {
		v := w.v[arg][:n]
		first := a == 0
		switch s.op {
		case "abs", "norm1":
			for i, u := range v {
				put(dst, i, first, math.Abs(u))
			}
		case "square", "sumsq":
			if first {
				for i, u := range v {
					dst[i] = u * u
				}
				break
			}
			for i, u := range v {
				dst[i] += u * u
			}
		case "huber":
			for i, u := range v {
				put(dst, i, first, (&huber{m: s.num}).of(u))
			}
		case "mul", "inner":
			if a >= h {
				break
			}
			o := w.v[s.args[a+h]][:n]
			for i, u := range v {
				put(dst, i, first, u*o[i])
			}
		default:
			for i, u := range v {
				dst[i] = s.curve.value(u)
			}
		}
	}
}

func put(dst []float64, i int, first bool, v float64) {
	if first {
		dst[i] = v
	} else {
		dst[i] += v
	}
}

func addScaled(dst, num []float64, lo int, v []float64) {
	if len(num) == 1 {
		floats.AddScaled(dst, num[0], v[:len(dst)])
		return
	}
	for i, u := range num[lo : lo+len(dst)] {
		dst[i] += u * v[i]
	}
}

// norms are the Euclidean norms of the arguments, by their squares where these are
// far from underflow and overflow.
func (f *program) norms(dst []float64, w *familyWork, s *step) {
	clear(dst)
	for _, arg := range s.args {
		for i, u := range w.v[arg][:len(dst)] {
			dst[i] += u * u
		}
	}
	for i, sq := range dst {
		if sq > 1/hugeSquare && sq < hugeSquare {
			dst[i] = math.Sqrt(sq)
			continue
		}
		w.list = w.list[:0]
		for _, arg := range s.args {
			w.list = append(w.list, w.v[arg][i])
		}
		dst[i] = euclid(w.list)
	}
}

// hugeSquare is a sum of squares up to which none of them has overflown, and above
// the inverse of which none that counts has lost digits.
// Source: derived: below 2¹⁰²⁴; and of a sum of 2⁻⁹⁰⁰ the last digit, 2⁻⁹⁵³, is a normal number.
const hugeSquare = 0x1p900

// euclid is the Euclidean norm, without overflow: big·√sq.
func euclid(list []float64) float64 {
	big, sq := 0.0, 0.0
	for _, v := range list {
		switch v := math.Abs(v); {
		case v > big:
			sq = 1 + sq*(big/v)*(big/v)
			big = v
		case v > 0:
			sq += (v / big) * (v / big)
		case math.IsNaN(v):
			return v
		}
	}
	if math.IsInf(big, 1) {
		return big
	}
	return big * math.Sqrt(sq)
}

// blocks computes all members, a block at a time, and calls each with the values
// of f.
func (f *family) blocks(w *familyWork, x []float64, each func(lo int, v []float64)) {
	f.begin(w, x)
	last := len(f.steps) - 1
	f.eachBlock(func(lo, n int) {
		f.forward(w, lo, n, x)
		each(lo, w.v[last][:n])
	})
}

// eachBlock calls do with n members from lo on, blocks with the same coefficients one after the other: these
// are then in a near cache.
func (f *family) eachBlock(do func(lo, n int)) {
	for from := 0; from < f.period; from += memberBlock {
		n := min(memberBlock, f.period-from)
		for lo := from; lo < len(f.w); lo += f.period {
			do(lo, n)
		}
	}
}

// AddSubgrad goes through the steps backwards. At a kink the choice is that of the
// atom.
func (f *family) AddSubgrad(dst []float64, scale float64, x []float64) { f.addGradient(dst, scale, x) }

// addGradient is AddSubgrad, and returns Value.
func (f *family) addGradient(dst []float64, scale float64, x []float64) float64 {
	w := f.pool.Get().(*familyWork)
	defer f.pool.Put(w)
	return f.gradientOf(w, dst, scale, x, nil)
}

// gradientOf is addGradient of all members but those that are marked in except, nil for none.
func (f *family) gradientOf(w *familyWork, dst []float64, scale float64, x []float64, except []bool) float64 {
	clear(w.grad)
	last, value := len(f.steps)-1, 0.0
	f.blocks(w, x, func(lo int, v []float64) {
		n := len(v)
		for k := range w.adj {
			clear(w.adj[k][:n])
		}
		adj, weights := w.adj[last][:n], f.w[lo:lo+n]
		if except == nil {
			for i, u := range v {
				adj[i] = scale * weights[i]
				value += weights[i] * u
			}
		} else {
			for i, u := range v {
				if !except[lo+i] {
					adj[i] = scale * weights[i]
					value += weights[i] * u
				}
			}
		}
		for k := last; k >= 0; k-- {
			f.backward(w, k, lo, n, dst)
		}
	})
	for k, g := range w.grad {
		if g == 0 {
			continue
		}
		d := &f.rows[k]
		for t := range d.idx {
			dst[d.idx[t][0]] += g * d.val[t][0]
		}
	}
	return value
}

// backward adds to the adjoints of the arguments of step k, and those of a row to dst.
func (f *program) backward(w *familyWork, k, lo, n int, dst []float64) {
	if s := &f.steps[k]; s.op == opRow || s.op == opSum {
		f.backwardRow(w, s.row, lo, w.adj[k][:n], dst)
	}
	f.adjoints(w, k, lo, n)
}

// adjoints adds to those of the arguments of step k.
func (f *program) adjoints(w *familyWork, k, lo, n int) {
	s, adj, v := &f.steps[k], w.adj[k][:n], w.v[k]
	switch s.op {
	case opRow, opSum:
		for a, arg := range s.args {
			to, num := w.adj[arg][:n], f.nums[s.nums[a]]
			if len(num) == 1 {
				floats.AddScaled(to, num[0], adj)
				continue
			}
			for i, u := range num[lo : lo+n] {
				to[i] += adj[i] * u
			}
		}
		return
	case "max", opLeast:
		if len(s.args) == 2 {
			w.adjointsOfTwo(s.args[0], s.args[1], adj, v)
			return
		}
		for i, g := range adj {
			if g == 0 {
				continue
			}
			for _, arg := range s.args {
				if u := w.v[arg][i]; u == v[i] || math.IsNaN(u) {
					w.adj[arg][i] += g
					break
				}
			}
		}
		return
	}
	h := len(s.args) / 2
	for a, arg := range s.args {
		to, u := w.adj[arg][:n], w.v[arg][:n]
		switch s.op {
		case "abs", "norm1":
			for i, g := range adj {
				if u[i] != 0 {
					to[i] += math.Copysign(g, g*u[i])
				}
			}
		case "square", "sumsq":
			for i, g := range adj {
				to[i] += 2 * g * u[i]
			}
		case "huber":
			for i, g := range adj {
				to[i] += 2 * g * min(max(u[i], -s.num), s.num)
			}
		case "norm2":
			flat := 1 / math.Sqrt(float64(len(s.args)))
			for i, g := range adj {
				if v[i] > 0 {
					to[i] += g * u[i] / v[i]
				} else {
					to[i] += g * flat
				}
			}
		case "mul", "inner":
			o := w.v[s.args[(a+h)%len(s.args)]][:n]
			for i, g := range adj {
				to[i] += g * o[i]
			}
		default:
			for i, g := range adj {
				to[i] += g * s.curve.slope(u[i])
			}
		}
	}
}

// adjointsOfTwo adds the adjoints of the larger, or the smaller, of two steps to those of the step that has the value v. A number that
// selects has no branch to be guessed: which one of a hinge it is, is random.
func (w *familyWork) adjointsOfTwo(first, second int, adj, v []float64) {
	n := len(adj)
	u, to := w.v[first][:n], [2][]float64{w.adj[first][:n], w.adj[second][:n]}
	for i, g := range adj {
		k := 1
		if u[i] == v[i] || u[i] != u[i] {
			k = 0
		}
		to[k][i] += g
	}
}

func (f *program) backwardRow(w *familyWork, k, lo int, adj, dst []float64) {
	d := &f.rows[k]
	if len(d.idx) == 0 {
		return
	}
	if d.shared {
		s := 0.0
		for _, g := range adj {
			s += g
		}
		w.grad[k] += s
		return
	}
	if d.period > 0 {
		sum := w.adjoint[k][:len(adj)]
		if lo < d.period {
			clear(sum)
		}
		floats.Add(sum, adj)
		if lo+d.period < d.members {
			return
		}
		adj, lo = sum, d.at(lo)
	}
	for t := range d.idx {
		switch idx, val := d.idx[t], d.val[t]; {
		case len(idx) == 1 && len(val) == 1:
			dst[idx[0]] += val[0] * floats.Sum(adj)
			continue
		case len(idx) == 1:
			dst[idx[0]] += floats.Dot(adj, val[lo:lo+len(adj)])
			continue
		}
		for i, g := range adj {
			dst[d.idx[t][lo+i]] += g * pick(d.val[t], lo+i)
		}
	}
}

// coefficients is how many of them a value visits, by member.
func (f *family) coefficients() int {
	n := 0
	for k := range f.rows {
		n += max(1, len(f.rows[k].idx))
	}
	return n * len(f.w)
}
