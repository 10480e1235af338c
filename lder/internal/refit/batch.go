package refit

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Batch is some rows of a table in parts as they are read, and how they are standardised.
type Batch struct {
	M, N int // rows; features and the 1
	// Row i is X[i*Stride(N):]: the features, NaN where one is missing, 1, the target, and zeros.
	// There are rows of any finite numbers beyond M, up to a multiple of 8.
	X    []float64
	W    []float64 // M weights ≥ 0, the weights of the whole fit; none where rows are predicted
	Unit *Unit
}

// Stride is how far the rows of a Batch with n-1 features are apart.
func Stride(n int) int { return (n + 4) &^ 3 }

// Unit fills gaps of rows and standardises features and target, as dataset.SimpleImputer and
// dataset.StandardScaler do, but for rounding.
type Unit struct{ fill, mean, inverse []float64 } // of rows of a Batch

// NewUnit fills by fill, and standardises by mean and scale, the target by the two numbers of y.
func NewUnit(fill, mean, scale, y []float64) *Unit {
	n := len(fill) + 1
	u := &Unit{make([]float64, Stride(n)), make([]float64, Stride(n)), make([]float64, Stride(n))}
	copy(u.fill, fill)
	copy(u.mean, mean)
	for j, v := range scale {
		u.inverse[j] = 1 / v
	}
	u.inverse[n-1] = 1
	u.mean[n], u.inverse[n] = y[0], 1/y[1]
	return u
}

// Row sets x to a row of features, and a 1 behind it, and returns the target.
func (u *Unit) Row(x, features []float64, y float64) float64 {
	n := len(features)
	for j, v := range features {
		if v != v {
			v = u.fill[j]
		}
		x[j] = (v - u.mean[j]) * u.inverse[j]
	}
	x[n] = 1
	return (y - u.mean[n+1]) * u.inverse[n+1]
}

// Sums are the sums over some rows that a fit over rows in parts needs: weighted squared
// errors and, by region, Gram matrices and moments. Sums of parts are added entry by
// entry; the order of the parts decides the last bits.
type Sums struct {
	// Losses is that at θ; after a Probe, those at the step lengths along the direction, in
	// the order of the search.
	Losses []float64
	Grams  []float64 // of the regions at θ; after a Probe at θ + direction
}

// Add adds the sums over other rows. An empty s takes its form from t.
func (s *Sums) Add(t *Sums) {
	if s.Losses == nil {
		s.Losses, s.Grams = make([]float64, len(t.Losses)), make([]float64, len(t.Grams))
	}
	for k, v := range t.Losses {
		s.Losses[k] += v
	}
	for k, v := range t.Grams {
		s.Grams[k] += v
	}
}

// Steps is the number of step lengths of a Probe.
const Steps = len(steps)

// GramSize is the length of Grams for rows of n numbers in so many regions.
func GramSize(n, regions int) int { return regions * (n + 1) * ((n + 3) &^ 3) }

// Summer takes the sums of batches. The zero value is ready; it is for one goroutine at a time.
type Summer struct {
	kernels
	runs    []run
	scratch []batchPanel // one per goroutine
	grams   grams
}

// run is some rows of a batch with sums of their own: the sums of a batch do not depend on the
// number of goroutines.
type run struct {
	loss [len(steps)]float64
	// sums of w z zᵀ of each region, z a row with its 1 and its target: upper triangles
	// of tiles of four rows.
	sums []float64
}

// batchPanel is a panel of a batch, whose rows are there one after another too.
type batchPanel struct {
	panel
	numbers   []float64
	numbers32 []int32
	z         []float64 // width rows, Stride(n) apart
	order     []int32   // numbers of rows, by region
	ends      []int32   // of the regions in order
}

// set takes rows lo to lo+rows of b, with values of so many pieces.
func (p *batchPanel) set(k kernels, b *Batch, lo, rows, pieces int) {
	n, ld := b.N, Stride(b.N)
	width := (rows + 7) &^ 7
	p.numbers = resize(p.numbers, width*(2*ld+1+2*pieces))
	p.numbers32 = resize(p.numbers32, 2*width)
	at := p.numbers
	take := func(columns int) []float64 {
		out := at[: columns*width : columns*width]
		at = at[columns*width:]
		return out
	}
	x := take(ld)
	p.panel = panel{lo: lo, rows: rows, n: n, width: width, x: x[:n*width], y: x[n*width : (n+1)*width]}
	p.w, p.z, p.v, p.c = take(1), take(ld), take(pieces), take(pieces)
	p.region, p.order = p.numbers32[:width], p.numbers32[width:]
	k.standardise(p.z, x, b.X[lo*ld:(lo+width)*ld], b.Unit, ld)
	clear(p.w[copy(p.w, b.W[min(lo, len(b.W)):min(lo+rows, len(b.W))]):])
}

// sort puts the rows of each region together, those without weight and those that are nowhere
// aside.
func (p *batchPanel) sort(regions int) {
	p.ends = resize(p.ends, regions)
	clear(p.ends)
	for i, r := range p.region[:p.rows] {
		if p.w[i] == 0 {
			r = nowhere
			p.region[i] = r
		}
		if r != nowhere {
			p.ends[r]++
		}
	}
	at := int32(0)
	for r, count := range p.ends {
		p.ends[r] = at
		at += count
	}
	for i, r := range p.region[:p.rows] {
		if r != nowhere {
			p.order[p.ends[r]] = int32(i)
			p.ends[r]++
		}
	}
}

// Place sums the rows of b at θ: the free coefficients, as Reducer has them. The sums are the
// memory of s.
func (s *Summer) Place(b *Batch, opt Options, θ []float64) Sums {
	return s.sum(b, opt, 1, func(p *batchPanel, loss *[len(steps)]float64) {
		s.products(p.v, θ, &p.panel)
		p.c = p.v // times 0
		loss[0] = s.regions(&p.panel, 0, opt.R1, opt.Hinge)
	})
}

// Probe sums at the step lengths along dir, in one pass over the rows. The regions are those
// at θ + dir, the full step.
func (s *Summer) Probe(b *Batch, opt Options, θ, dir []float64) Sums {
	return s.sum(b, opt, len(steps), func(p *batchPanel, loss *[len(steps)]float64) {
		s.products(p.v, θ, &p.panel)
		s.products(p.c, dir, &p.panel)
		s.lossesAlong(&p.panel, opt.R1, opt.Hinge, loss)
		s.regions(&p.panel, 1, opt.R1, opt.Hinge)
	})
}

// sum adds the panels of b. place sets losses and the regions of a panel.
func (s *Summer) sum(b *Batch, opt Options, losses int, place func(*batchPanel, *[len(steps)]float64)) Sums {
	s.choose()
	n, ld, regions := b.N, Stride(b.N), opt.R1*opt.R2
	count := (b.M + blockRows - 1) / blockRows
	s.runs = slices.Grow(s.runs[:0], count)[:count]
	workers := max(1, min(opt.Workers, count))
	for len(s.scratch) < workers {
		s.scratch = append(s.scratch, batchPanel{})
	}
	inParallel(workers, count, func(worker, k int) {
		r, p := &s.runs[k], &s.scratch[worker]
		clear(r.loss[:])
		r.sums = resize(r.sums, regions*ld*ld)
		clear(r.sums)
		for lo, hi := k*blockRows, min((k+1)*blockRows, b.M); lo < hi; lo += panelRows {
			p.set(s.kernels, b, lo, min(panelRows, hi-lo), opt.R1+opt.R2-1)
			var loss [len(steps)]float64
			place(p, &loss)
			for t, v := range loss {
				r.loss[t] += v
			}
			p.sort(regions)
			at := int32(0)
			for region, end := range p.ends {
				s.gram(r.sums[region*ld*ld:(region+1)*ld*ld], p.z, p.w, p.order[at:end], ld)
				at = end
			}
		}
	})
	out := Sums{Losses: make([]float64, losses)}
	s.grams.reset(n, regions)
	for k := range s.runs {
		for t := range out.Losses {
			out.Losses[t] += s.runs[k].loss[t]
		}
		for region := range regions {
			s.grams.addTiles(region, s.runs[k].sums[region*ld*ld:], ld)
		}
	}
	out.Grams = s.grams.g
	return out
}

// addTiles adds upper triangles, of lines of length ld, of the sums of w z zᵀ.
func (s *grams) addTiles(region int, sums []float64, ld int) {
	g := s.of(region)
	for t := range s.n {
		row := sums[t*ld:][:s.n+1]
		for u := t; u < s.n; u++ {
			g[t*s.ld+u] += row[u]
			if u > t {
				g[u*s.ld+t] += row[u]
			}
		}
		g[s.n*s.ld+t] += row[s.n]
	}
}

// Predictions are of the rows of a batch, in their order and in the unit of the batch.
type Predictions struct {
	F, Y []float64 // the function and the target
	U, V []int32   // the pieces that attain the maxima
}

// Predict sets p to the predictions of the function with these pieces, r1 of the first maximum
// before the pieces of the second.
func (s *Summer) Predict(b *Batch, pieces []float64, r1 int, p *Predictions) {
	s.choose()
	p.F, p.Y = resize(p.F, b.M), resize(p.Y, b.M)
	p.U, p.V = resize(p.U, b.M), resize(p.V, b.M)
	if len(s.scratch) == 0 {
		s.scratch = append(s.scratch, batchPanel{})
	}
	q := &s.scratch[0]
	all := len(pieces) / b.N
	for lo := 0; lo < b.M; lo += panelRows {
		rows := min(panelRows, b.M-lo)
		q.set(s.kernels, b, lo, rows, all)
		s.products(q.v, pieces, &q.panel)
		copy(p.Y[lo:], q.y[:rows])
		q.largest(p.F[lo:lo+rows], p.U[lo:], 0, r1)
		below := q.c[:rows]
		q.largest(below, p.V[lo:], r1, all)
		for i, v := range below {
			p.F[lo+i] -= v
		}
	}
}

// largest sets value to the largest of the pieces from ≤ k < to at the rows, and arg to which of
// them it is, the first of equals.
func (p *panel) largest(value []float64, arg []int32, from, to int) {
	arg = arg[:len(value)]
	copy(value, p.v[from*p.width:])
	clear(arg)
	for k := from + 1; k < to; k++ {
		for i, v := range p.v[k*p.width:][:len(value)] {
			if v > value[i] {
				value[i], arg[i] = v, int32(k-from)
			}
		}
	}
}

// inParallel does work for each k < n, at most workers of them at a time.
func inParallel(workers, n int, work func(worker, k int)) {
	if workers == 1 {
		for k := range n {
			work(0, k)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for g := range workers {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				work(g, k)
			}
		})
	}
	wait.Wait()
}
