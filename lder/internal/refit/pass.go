package refit

import (
	"sync"
	"sync/atomic"
)

// nowhere is the region of a row that is in none yet.
const nowhere = -1

// Rows are cut into blocks of at least blockRows, and at most mostBlocks of
// them, whatever the number of processors.
const (
	blockRows  = 4096
	mostBlocks = 64
)

// pass is what reading all rows needs.
type pass struct {
	region []int32 // of each row: i·R2 + j for the pieces i and j
	next   []int32 // after the full step
	blocks []block
}

// block is a run of rows with sums of its own.
type block struct {
	lo, hi  int
	loss    [len(steps)]float64
	changes grams
	changed bool
	old     []float64 // values of the pieces at a row
	new     []float64
}

// split cuts m rows.
func (p *pass) split(m int) {
	size := max(blockRows, (m+mostBlocks-1)/mostBlocks)
	count := max(1, (m+size-1)/size)
	if cap(p.blocks) < count {
		p.blocks = append(p.blocks[:cap(p.blocks)], make([]block, count-cap(p.blocks))...)
	}
	p.blocks = p.blocks[:count]
	for k := range p.blocks {
		p.blocks[k].lo, p.blocks[k].hi = min(k*size, m), min((k+1)*size, m)
	}
}

// each runs work on all blocks.
func (f *Fitter) each(work func(*block)) {
	workers := min(f.opt.Workers, len(f.blocks))
	if workers <= 1 {
		for k := range f.blocks {
			work(&f.blocks[k])
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k := int(next.Add(1)) - 1; k < len(f.blocks); k = int(next.Add(1)) - 1 {
				work(&f.blocks[k])
			}
		}()
	}
	wait.Wait()
}

func (b *block) begin(f *Fitter) {
	clear(b.loss[:])
	b.changed = false
	b.old = resize(b.old, f.opt.R1+f.opt.R2)
	b.new = resize(b.new, f.opt.R1+f.opt.R2)
}

// move counts row i, of weight w, for another region.
func (b *block) move(f *Fitter, i int, from, to int32, w float64) {
	if !b.changed {
		b.changed = true
		b.changes.reset(f.d.N, f.opt.R1*f.opt.R2)
	}
	x := f.d.Row(i)
	if from != nowhere {
		b.changes.add(int(from), x, -w, f.d.Y[i])
	}
	if to != nowhere {
		b.changes.add(int(to), x, w, f.d.Y[i])
	}
}

// accept makes next the regions.
func (f *Fitter) accept() {
	f.region, f.next = f.next, f.region
	f.collect()
}

// collect adds up what the blocks changed.
func (f *Fitter) collect() {
	for k := range f.blocks {
		if f.blocks[k].changed {
			f.grams.addAll(&f.blocks[k].changes)
		}
	}
}

// place takes the argmaxes at Pieces, brings the regions up to date and returns
// the weighted mean of the squared errors.
func (f *Fitter) place() float64 {
	f.each(f.placeBlock)
	f.collect()
	sum := 0.0
	for k := range f.blocks {
		sum += f.blocks[k].loss[0]
	}
	return sum
}

func (f *Fitter) placeBlock(b *block) {
	b.begin(f)
	n, r1 := f.d.N, f.opt.R1
	uniform := 1 / float64(f.d.M)
	sum := 0.0
	for i := b.lo; i < b.hi; i++ {
		x := f.d.Row(i)
		u := values(b.new[:r1], f.Pieces[:r1*n], x)
		v := values(b.new[r1:], f.Pieces[r1*n:], x)
		value := b.new[u] - b.new[r1+v]
		w := uniform
		if f.d.W != nil {
			w = f.d.W[i]
		}
		r := f.d.Y[i] - value
		to := int32(u*f.opt.R2 + v)
		if f.opt.Hinge && f.d.Y[i]*value >= 1 {
			to = nowhere
		} else {
			sum += w * r * r
		}
		if to != f.region[i] {
			b.move(f, i, f.region[i], to, w)
			f.region[i] = to
		}
	}
	b.loss[0] = sum
}

// probe returns the weighted mean of the squared errors at each step towards
// far, and notes the regions after the full step.
func (f *Fitter) probe() (loss [len(steps)]float64) {
	if f.opt.Hinge {
		f.each(f.probeHinge)
	} else {
		f.each(f.probeBlock)
	}
	for k := range f.blocks {
		for s, v := range f.blocks[k].loss {
			loss[s] += v
		}
	}
	return loss
}

// probeBlock uses that a piece which is largest at both ends of a segment is so
// in between: there the maximum is linear in the step length, and where both
// are, the error is.
func (f *Fitter) probeBlock(b *block) {
	b.begin(f)
	n, r1, r2 := f.d.N, f.opt.R1, f.opt.R2
	uniform := 1 / float64(f.d.M)
	var q0, q1, q2 float64 // Σ w r², Σ w r δ, Σ w δ² for errors r − tδ
	var up, down [len(steps)]float64
	for i := b.lo; i < b.hi; i++ {
		x, y, w := f.d.Row(i), f.d.Y[i], uniform
		if f.d.W != nil {
			w = f.d.W[i]
		}
		at := f.region[i]
		f.next[i] = at
		u := values(b.new[:r1], f.far[:r1*n], x)
		v := values(b.new[r1:], f.far[r1*n:], x)
		u0, v0 := int(at)/r2, int(at)%r2
		if u == u0 && v == v0 {
			r := y - dot(f.Pieces[u*n:(u+1)*n], x) + dot(f.Pieces[(r1+v)*n:(r1+v+1)*n], x)
			δ := (r - y + b.new[u] - b.new[r1+v]) * (1 / farthest)
			q0 += w * r * r
			q1 += w * r * δ
			q2 += w * δ * δ
			continue
		}
		u1 := f.along(&up, b.old[:r1], b.new[:r1], f.Pieces[:r1*n], x, u0, u)
		v1 := f.along(&down, b.old[r1:], b.new[r1:], f.Pieces[r1*n:], x, v0, v)
		for s := range steps {
			r := y - up[s] + down[s]
			b.loss[s] += w * r * r
		}
		if to := int32(u1*r2 + v1); to != at {
			f.next[i] = to
			b.move(f, i, at, to, w)
		}
	}
	for s, t := range steps {
		b.loss[s] += q0 - 2*t*q1 + t*t*q2
	}
}

// probeHinge is probeBlock for the hinge loss.
func (f *Fitter) probeHinge(b *block) {
	b.begin(f)
	n, r1, r2 := f.d.N, f.opt.R1, f.opt.R2
	var up, down [len(steps)]float64
	for i := b.lo; i < b.hi; i++ {
		x, y := f.d.Row(i), f.d.Y[i]
		w := f.d.weight(i)
		u0, v0, _ := EvalArgs(f.Pieces, r1, x)
		u := values(b.new[:r1], f.far[:r1*n], x)
		v := values(b.new[r1:], f.far[r1*n:], x)
		u = f.along(&up, b.old[:r1], b.new[:r1], f.Pieces[:r1*n], x, u0, u)
		v = f.along(&down, b.old[r1:], b.new[r1:], f.Pieces[r1*n:], x, v0, v)
		for s := range steps {
			if r := 1 - y*(up[s]-down[s]); r > 0 {
				b.loss[s] += w * r * r
			}
		}
		to := int32(u*r2 + v)
		if y*(up[0]-down[0]) >= 1 { // the full step is the first
			to = nowhere
		}
		if f.next[i] = to; to != f.region[i] {
			b.move(f, i, f.region[i], to, w)
		}
	}
}

// along fills dst with a maximum at the steps between pieces, where the piece
// from is largest, and its values end, where the piece to is. It returns the
// piece that is largest after the full step. old is memory.
func (f *Fitter) along(dst *[len(steps)]float64, old, end, pieces, x []float64, from, to int) int {
	n := len(x)
	if from == to {
		v := dot(pieces[from*n:(from+1)*n], x)
		δ := (end[to] - v) * (1 / farthest)
		for s, t := range steps {
			dst[s] = v + t*δ
		}
		return from
	}
	values(old, pieces, x)
	for k, v := range old {
		end[k] = (end[k] - v) * (1 / farthest) // the change by a full step
	}
	if len(old) <= 3 && twoSuffice(old, end, from, to) {
		v0, e0, v1, e1 := old[from], end[from], old[to], end[to]
		for s, t := range steps {
			dst[s] = max(v0+t*e0, v1+t*e1)
		}
		if v1+e1 > v0+e0 {
			return to
		}
		return from
	}
	for s, t := range steps {
		best := old[0] + t*end[0]
		for k := 1; k < len(old) && k < len(end); k++ {
			best = max(best, old[k]+t*end[k])
		}
		dst[s] = best
	}
	for k := range old {
		old[k] += end[k]
	}
	arg := 0
	for k, v := range old {
		if v > old[arg] {
			arg = k
		}
	}
	return arg
}

// values34 is values for three pieces of four coefficients, those of boosting,
// written so that the processor has no branch to guess.
func values34(v, pieces, x []float64) (arg int) {
	p, v, x := pieces[:12], v[:3], x[:4]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	v0 := (p[0]*x0 + p[2]*x2) + (p[1]*x1 + p[3]*x3)
	v1 := (p[4]*x0 + p[6]*x2) + (p[5]*x1 + p[7]*x3)
	v2 := (p[8]*x0 + p[10]*x2) + (p[9]*x1 + p[11]*x3)
	v[0], v[1], v[2] = v0, v1, v2
	if v1 > v0 {
		arg = 1
	}
	if v2 > max(v0, v1) {
		arg = 2
	}
	return arg
}

// twoSuffice reports whether no piece is above those of the two ends in between:
// none is above them where they cross.
func twoSuffice(old, change []float64, from, to int) bool {
	change = change[:len(old)]
	t := (old[from] - old[to]) / (change[to] - change[from])
	v := old[from] + t*change[from]
	for k, o := range old {
		if k != from && k != to && !(o+t*change[k] <= v) {
			return false
		}
	}
	return true
}

// values fills v with the values of the pieces at x and returns the first place
// of the largest.
func values(v, pieces, x []float64) (arg int) {
	n := len(x)
	best := 0.0
	if n == 4 && len(v) == 3 {
		return values34(v, pieces, x)
	}
	if n == 4 {
		x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
		for k := range v {
			p := pieces[k*4 : k*4+4]
			s := (p[0]*x0 + p[2]*x2) + (p[1]*x1 + p[3]*x3)
			v[k] = s
			if k == 0 || s > best {
				arg, best = k, s
			}
		}
		return arg
	}
	for k := 0; k < len(v); {
		switch p := pieces[k*n:]; len(v) - k {
		case 1:
			v[k] = dot(p[:n], x)
			k++
		case 2:
			v[k], v[k+1] = dots2(p[:n], p[n:], x)
			k += 2
		case 3:
			v[k], v[k+1], v[k+2] = dots3(p[:n], p[n:], p[2*n:], x)
			k += 3
		default:
			v[k], v[k+1], v[k+2], v[k+3] = dots4(p[:n], p[n:], p[2*n:], p[3*n:], x)
			k += 4
		}
	}
	for k, s := range v {
		if s > v[arg] {
			arg = k
		}
	}
	return arg
}
