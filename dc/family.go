package dc

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/interval"
)

// inFamilies are the atoms that members may consist of: they are finite everywhere.
// Curves are asked.
var inFamilies = map[string]bool{"abs": true, "square": true, "sumsq": true, "norm1": true, "norm2": true, "huber": true, "max": true, "mul": true, "inner": true}

// memberReader reads a function as a member of a family: its structure as a text
// that is the same for all members, and its numbers.
type memberReader struct {
	text  []byte
	rows  []Linear
	nums  []float64
	steps []step
	seen  []seenFunction // so that a function which occurs twice is one step
	ints  []int          // memory of the lists of steps
	ok    bool
}

type seenFunction struct {
	f    Convex
	step int
}

func (r *memberReader) begin() {
	r.text, r.rows, r.nums, r.steps, r.seen, r.ints, r.ok = r.text[:0], r.rows[:0], r.nums[:0], r.steps[:0], r.seen[:0], r.ints[:0], true
}

// keep is a copy of a list that lasts until the next member is read.
func (r *memberReader) keep(list []int) []int {
	from := len(r.ints)
	r.ints = append(r.ints, list...)
	return r.ints[from:len(r.ints):len(r.ints)]
}

func (r *memberReader) read(f Convex) bool {
	r.begin()
	r.function(f)
	return r.ok && len(r.rows) > 0
}

func (r *memberReader) say(v uint64) { r.text = binary.AppendUvarint(r.text, v) }

func (r *memberReader) push(s step) int {
	r.steps = append(r.steps, s)
	return len(r.steps) - 1
}

func (r *memberReader) linear(l Linear) int {
	r.text = append(r.text, 'r')
	r.say(uint64(len(l.Idx)))
	r.rows = append(r.rows, l)
	return len(r.rows) - 1
}

// sum is lin + Σ terms.
func (r *memberReader) sum(lin Linear, terms []term) int {
	if len(terms) == 0 {
		return r.push(step{op: opRow, row: r.linear(lin)})
	}
	if len(terms) == 1 && terms[0].w == 1 && lin.isZero() {
		return r.function(terms[0].f)
	}
	r.text = append(r.text, '+')
	r.say(uint64(len(terms)))
	s := step{op: opSum, row: r.linear(lin)}
	var few, fewNums [8]int
	args, nums := few[:0], fewNums[:0]
	for _, t := range terms {
		nums = append(nums, len(r.nums))
		r.nums = append(r.nums, t.w)
		args = append(args, r.function(t.f))
	}
	s.args, s.nums = r.keep(args), r.keep(nums)
	return r.push(s)
}

// function reads f and is the number of its step.
func (r *memberReader) function(f Convex) int {
	switch f := f.(type) {
	case Linear:
		return r.sum(f, nil)
	case *sum:
		return r.sum(f.lin, f.terms)
	case *leastOf:
		return r.leastOf(f)
	}
	for k := range r.seen {
		if r.seen[k].f == f {
			r.text = append(r.text, 's')
			r.say(uint64(r.seen[k].step))
			return r.seen[k].step
		}
	}
	n := nodeOf(f)
	if n.curve.row != nil && (n.op != "" || !math.IsInf(n.curve.least(), -1)) || n.curve.row == nil && !inFamilies[n.op] || !r.ok {
		r.ok = false
		return 0
	}
	s := step{op: n.op, num: n.num, curve: n.curve}
	r.text = append(r.text, 'f')
	r.text = append(append(r.text, n.Op()...), 0)
	if n.curve.row != nil {
		r.say(math.Float64bits(n.curve.p))
	}
	r.say(math.Float64bits(n.num))
	var few [8]int
	args := few[:0]
	for k := range n.args {
		a := &n.args[k]
		r.say(uint64(a.Len()))
		for i := range a.Len() {
			args = append(args, r.entry(a, i))
		}
	}
	s.args = r.keep(args)
	r.seen = append(r.seen, seenFunction{f, len(r.steps)})
	return r.push(s)
}

// entry reads an expression of an argument.
func (r *memberReader) entry(a *Array, k int) int {
	switch {
	case a.sub != nil && a.sign == 1:
		return r.function(a.sub)
	case a.sums != nil:
		return r.sum(a.sums[k].lin, a.sums[k].terms)
	}
	e := a.Entry(k)
	return r.sum(e.lin, e.terms)
}

// leastOf reads f as a member of a family: the least of sums of squares.
func (r *memberReader) leastOf(f *leastOf) int {
	if f.k != 1 {
		r.ok = false
		return 0
	}
	s := step{op: opLeast}
	r.text = append(r.text, 'l')
	r.say(uint64(len(f.items)))
	var few [8]int
	args := few[:0]
	for k := range f.items {
		args = append(args, r.sum(f.items[k].lin, f.items[k].terms))
	}
	s.args = r.keep(args)
	for k := range r.steps {
		op := r.steps[k].op
		r.ok = r.ok && (op == opRow || op == opSum || op == "square" || op == "sumsq")
	}
	return r.push(s)
}

// newFamily is one without members, for such as that which was read.
func newFamily(r *memberReader, of *space) *family {
	f := &family{program: program{steps: slices.Clone(r.steps), rows: make([]rowData, len(r.rows)), nums: make([][]float64, len(r.nums)), of: of}}
	for k := range f.steps {
		s := &f.steps[k]
		s.args, s.nums = slices.Clone(s.args), slices.Clone(s.nums)
	}
	for k, l := range r.rows {
		d := &f.rows[k]
		d.idx, d.val = make([][]int32, len(l.Idx)), make([][]float64, len(l.Idx))
	}
	return f
}

// add adds a member that was read.
func (f *family) add(w float64, r *memberReader) {
	f.w = append(f.w, w)
	f.append(r)
}

// manyMembers is from how many members on lists are made as long as they may become. Source: a limit of time and memory: lists
// that double take three times their memory in all, and pages that nothing is written to take none.
const manyMembers = 1 << 10

// expect makes room for so many more members.
func (p *program) expect(more int) {
	for k := range p.rows {
		d := &p.rows[k]
		d.c = slices.Grow(d.c, more)
		for t := range d.idx {
			d.idx[t], d.val[t] = slices.Grow(d.idx[t], more), slices.Grow(d.val[t], more)
		}
	}
	for k := range p.nums {
		p.nums[k] = slices.Grow(p.nums[k], more)
	}
}

// append appends the numbers of a member.
func (p *program) append(r *memberReader) {
	for k, l := range r.rows {
		d := &p.rows[k]
		d.c, d.lost = append(d.c, l.Const), max(d.lost, l.lost)
		for t, j := range l.Idx {
			d.idx[t], d.val[t] = append(d.idx[t], int32(j)), append(d.val[t], l.Val[t])
		}
	}
	for k, v := range r.nums {
		p.nums[k] = append(p.nums[k], v)
	}
}

// unpack makes all lists of n members as long.
func (p *program) unpack(n int) {
	for k := range p.rows {
		d := &p.rows[k]
		d.c = unpacked(d.c, n, n)
		for t := range d.idx {
			d.idx[t], d.val[t] = unpacked(d.idx[t], n, n), unpacked(d.val[t], n, n)
		}
	}
	for k := range p.nums {
		p.nums[k] = unpacked(p.nums[k], n, n)
	}
}

// unpacked is a list of n numbers, with room for more.
func unpacked[T any](list []T, n, room int) []T {
	if len(list) == n {
		return list
	}
	out := make([]T, n, max(room, n))
	for k := range out {
		out[k] = list[0]
	}
	return out
}

// unfold repeats the lists of coefficients.
func (f *family) unfold(times int) {
	for k := range f.rows {
		d := &f.rows[k]
		for t := range d.idx {
			d.idx[t], d.val[t] = repeated(d.idx[t], times), repeated(d.val[t], times)
		}
	}
}

// unfolded makes the coefficients of a family that is not finished as many as the members are.
func (f *family) unfolded() {
	if f.period > 0 {
		f.unfold(len(f.w) / f.period)
		f.period = 0
	}
}

func repeated[T any](list []T, times int) []T {
	if len(list) == 1 {
		return list
	}
	return slices.Repeat(list, times)
}

// pack keeps lists of equal numbers as one number.
func (p *program) pack() {
	for k := range p.rows {
		d := &p.rows[k]
		for t := range d.idx {
			d.idx[t], d.val[t] = onlyOne(d.idx[t]), onlyOne(d.val[t])
		}
		d.c = onlyOne(d.c)
	}
	for k := range p.nums {
		p.nums[k] = onlyOne(p.nums[k])
	}
}

// part is the program of some members, in the order of the list.
func (p *program) part(list []int32) program {
	out := program{steps: p.steps, rows: make([]rowData, len(p.rows)), nums: make([][]float64, len(p.nums)), of: p.of}
	for k := range p.rows {
		d, at := &p.rows[k], list
		if d.period > 0 {
			at = make([]int32, len(list))
			for i, k := range list {
				at[i] = int32(d.at(int(k)))
			}
		}
		to := rowData{idx: make([][]int32, len(d.idx)), val: make([][]float64, len(d.val)), c: some(d.c, list), lost: d.lost, shared: d.shared}
		for t := range d.idx {
			to.idx[t], to.val[t] = some(d.idx[t], at), some(d.val[t], at)
		}
		out.rows[k] = to
	}
	for k := range p.nums {
		out.nums[k] = some(p.nums[k], list)
	}
	return out
}

// some are those numbers of a list, which may be one for all members.
func some[T any](from []T, list []int32) []T {
	if len(from) == 1 {
		return from
	}
	out := make([]T, len(list))
	for i, k := range list {
		out[i] = from[k]
	}
	return out
}

// sharedLists are lists of numbers that several families have.
type sharedLists map[listEnds][]float64

type listEnds struct {
	count               int
	first, middle, last float64
}

// once makes a list one with an equal list of those that came before.
func (l sharedLists) once(list *[]float64) {
	n := len(*list)
	if n < 2 {
		return
	}
	e := listEnds{n, (*list)[0], (*list)[n/2], (*list)[n-1]}
	if other := l[e]; slices.Equal(other, *list) {
		*list = other
	} else {
		l[e] = *list
	}
}

// shareLists keeps equal lists of numbers once: the same data stand in several affine functions of a member, as the coordinates of a
// point in its distances from some centres.
func (p *program) shareLists(known sharedLists) {
	for k := range p.rows {
		d := &p.rows[k]
		known.once(&d.c)
		for t := range d.val {
			known.once(&d.val[t])
		}
	}
	for k := range p.nums {
		known.once(&p.nums[k])
	}
}

// finish makes the family ready for use.
func (f *family) finish(known sharedLists) {
	f.pack()
	seen := map[int32]bool{}
	for k := range f.rows {
		d := &f.rows[k]
		d.shared = true
		for t := range d.idx {
			d.shared = d.shared && len(d.idx[t])+len(d.val[t]) == 2
			for _, j := range d.idx[t] {
				seen[j] = true
			}
		}
	}
	f.fold()
	f.shareLists(known)
	f.indices = make([]int, 0, len(seen))
	for j := range seen {
		f.indices = append(f.indices, int(j))
	}
	slices.Sort(f.indices)
	f.pool.New = func() any { return newFamilyWork(&f.program) }
}

// mostRepeats is how often coefficients that are repeated are looked for.
// Source: a limit of time: a function of the data has a few kinks.
const mostRepeats = 8

// fold keeps coefficients once that all members have again in the same order: those of a difference of hinges of the
// same samples.
func (f *family) fold() {
	n, known := len(f.w), f.period // the lists are of so many members, if that is not 0
	f.period = n
	for times := mostRepeats; times > 1; times-- {
		if p := n / times; n%times == 0 && p >= memberBlock && f.repeats(p) {
			f.period = p
			break
		}
	}
	if known > 0 && known < f.period {
		f.unfold(f.period / known)
	}
	for k := range f.rows {
		d := &f.rows[k]
		for t := range d.idx {
			d.idx[t], d.val[t] = upTo(f.period, d.idx[t]), upTo(f.period, d.val[t])
		}
		if d.c = upTo(n, d.c); f.period < n {
			d.period, d.members = f.period, n
		}
	}
}

// repeats reports whether the coefficients of p members are those of the next p. The lists may have fewer, which are repeated.
func (f *family) repeats(p int) bool {
	for k := range f.rows {
		d := &f.rows[k]
		for t := range d.idx {
			if !periodic(d.idx[t], p, len(f.w)) || !periodic(d.val[t], p, len(f.w)) {
				return false
			}
		}
	}
	return true
}

// periodic reports whether each of n numbers, a list or repetitions of it, is the number p places on.
func periodic[T comparable](list []T, p, n int) bool {
	size := len(list)
	switch {
	case size == 1 || p%size == 0 && size < n:
		return true
	case size < n && p > size:
		return false
	case size < n: // p numbers before the end of the list the next one begins
		return slices.Equal(list[p:], list[:size-p]) && slices.Equal(list[:p], list[size-p:])
	}
	return slices.Equal(list[p:], list[:size-p])
}

// upTo is at most n numbers of a list, without room for more.
func upTo[T any](n int, list []T) []T {
	if len(list) <= n && len(list) == cap(list) {
		return list
	}
	return slices.Clone(list[:min(n, len(list))])
}

// onlyOne is the list, cut to one number where all are that.
func onlyOne[T comparable](list []T) []T {
	for _, v := range list {
		if v != list[0] {
			return list
		}
	}
	return slices.Clone(list[:1])
}

// members are the functions one by one, with their weights.
func (f *family) members() []Expr {
	out := make([]Expr, len(f.w))
	at := make([]Expr, len(f.steps))
	for i := range out {
		out[i] = f.weighted(i, at)
	}
	return out
}

// weighted is member i with its weight. at has room for the steps.
func (f *family) weighted(i int, at []Expr) Expr {
	for k := range f.steps {
		at[k] = f.member(&f.steps[k], i, at)
	}
	return at[len(at)-1].Scale(f.w[i])
}

// member is a step of member i as an expression, those before being known.
func (f *program) member(s *step, i int, before []Expr) Expr {
	if s.op == opRow || s.op == opSum {
		parts := []Expr{{lin: f.rows[s.row].linear(i, f.of)}}
		for k, a := range s.args {
			parts = append(parts, before[a].Scale(pick(f.nums[s.nums[k]], i)))
		}
		return sumExprs(parts)
	}
	args := make([]Expr, len(s.args))
	for k, a := range s.args {
		args[k] = before[a]
	}
	n := Node{op: s.op, curve: s.curve, num: s.num}
	arrays := []Array{{exprs: args}}
	switch h := len(args) / 2; {
	case s.curve.row != nil:
		e := apply(s.curve, args[0])
		return e
	case s.op == "mul" || s.op == "inner":
		arrays = []Array{{exprs: args[:h]}, {exprs: args[h:]}}
	}
	return Apply(n.Op(), n.Data(), arrays...)
}

// linear is the row of member i.
func (d *rowData) linear(i int, of *space) Linear {
	return d.appendTo(Linear{Idx: make([]int, 0, len(d.idx)), Val: make([]float64, 0, len(d.idx))}, i, of)
}

// appendTo is linear in the room of l, which has no coefficients.
func (d *rowData) appendTo(l Linear, i int, of *space) Linear {
	l.Const, l.of, l.lost = pick(d.c, i), of, d.lost
	i = d.at(i)
	for t := range d.idx {
		l.Idx, l.Val = append(l.Idx, int(pick(d.idx[t], i))), append(l.Val, pick(d.val[t], i))
	}
	return l
}

// split is that of the sum of the members.
func (f *family) split() *split {
	f.once.Do(func() {
		e := sumExprs(f.members())
		f.s = *e.split()
	})
	return &f.s
}

// Represent is the form of the sum of the members.
func (f *family) Represent(c Canon) Form {
	e := sumExprs(f.members())
	return c.Form(e.G())
}

func (f *family) Smooth() bool {
	return !slices.ContainsFunc(f.steps, func(s step) bool { return s.op == "abs" || s.op == "norm1" || s.op == "max" })
}

func (f *family) Support() []int { return f.indices }
func (f *family) node() Node     { return Node{op: "family", key: f} }
func (f *family) String() string { return "sum of " + f.steps[len(f.steps)-1].op }

func (f *family) over() Interval {
	i := point(0)
	for _, e := range f.members() {
		i = i.Add(e.Range())
	}
	return i
}

// wider is for isWider. Source: derived: a sixteenth of the members takes a sixteenth of the time of the range of all. Where variables are small beside
// their bounds, one member is enough; of fit_20000 (docs/large.md) sixteen are not, and a sixteenth is.
func (f *family) wider(than float64) bool {
	sum, at := 0.0, make([]Expr, len(f.steps))
	for i := range min(max(16, len(f.w)/16), len(f.w)) {
		e := f.weighted(i, at)
		if sum += interval.Width(e.Range()); sum > than {
			return true
		}
	}
	return false
}

func (f *family) Maxima(each func(weight float64, pieces []Linear)) (lin Linear, ok bool) {
	e := sumExprs(f.members())
	s := e.split()
	return (&sum{lin: s.lin, terms: s.g}).Maxima(each)
}
