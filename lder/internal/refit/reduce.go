package refit

import "math"

// Sums are those of some rows that a fit over rows in parts needs: weighted squared
// errors and, by region, Gram matrices and moments. Sums of parts are added entry by
// entry; the order of the parts decides the last bits.
type Sums struct {
	// Losses is that at θ; after a Probe, those at the step lengths along the direction, in
	// the order of the search.
	Losses []float64
	Grams  []float64 // of the regions at θ; after a Probe at θ + direction
}

// Add adds those of other rows. An empty s takes its form from t.
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

// Place sums rows of d, whose weights are those of the whole fit, at θ: the free
// coefficients, as Reducer has them. The sums are the memory of f.
func (f *Fitter) Place(d *Data, opt Options, θ []float64) Sums {
	f.begin(d, opt)
	copy(f.θ, θ)
	loss := f.place(0, opt.Hinge)
	return Sums{[]float64{loss}, f.grams.g}
}

// Probe sums at the step lengths along dir, in one pass over the rows. The regions are those
// at θ + dir, the full step.
func (f *Fitter) Probe(d *Data, opt Options, θ, dir []float64) Sums {
	f.begin(d, opt)
	copy(f.θ, θ)
	copy(f.dir, dir)
	f.each((*Fitter).stepBlock)
	losses := make([]float64, len(steps))
	for k := range f.blocks {
		b := &f.blocks[k]
		for s, v := range b.loss {
			losses[s] += v
		}
		if len(f.blocks) > 1 {
			f.grams.addAll(&b.changes)
		}
	}
	return Sums{losses, f.grams.g}
}

// stepBlock is probeBlock and, at the full step, placeBlock.
func (f *Fitter) stepBlock(b *block, s *scratch) {
	sums := f.sumsOf(b)
	clear(b.loss[:])
	var loss [len(steps)]float64
	for lo := b.lo; lo < b.hi; lo += f.width {
		p := f.panel(s, lo, min(lo+f.width, b.hi))
		f.products(p.v, f.θ, &p)
		f.products(p.c, f.dir, &p)
		f.kernels.lossesAlong(&p, f.opt.R1, f.opt.Hinge, &loss)
		for k, v := range loss {
			b.loss[k] += v
		}
		f.regions(&p, 1, f.opt.R1, f.opt.Hinge)
		f.moves(sums, f.region[lo:], &p, f.d.X[lo*f.d.N:])
	}
}

// Reducer is a fit that sees sums of rows alone.
type Reducer struct {
	Theta      []float64 // the free coefficients: all pieces but the first of the second maximum
	Dir        []float64 // the direction that is to be probed
	Objective  float64
	Iterations int
	Converged  bool

	f Fitter
}

// NewReducer starts at pieces, r1 of n coefficients and then r2.
func NewReducer(n int, opt Options, pieces []float64) *Reducer {
	r := &Reducer{Objective: math.Inf(1)}
	f := &r.f
	k := opt.R1 + opt.R2 - 1
	f.d, f.opt = &Data{N: n}, opt
	f.choose()
	f.pen.set(opt.R1, opt.R2, opt.Penalty)
	f.system.reset(k * n)
	f.grams.reset(n, opt.R1*opt.R2)
	f.θ, f.dir, f.trial = make([]float64, k*n), make([]float64, k*n), make([]float64, k*n)
	f.weights = make([]float64, n-1)
	fixed := pieces[opt.R1*n : (opt.R1+1)*n]
	for p, at := 0, 0; p < opt.R1+opt.R2; p++ {
		if p == opt.R1 {
			continue
		}
		for j := range n {
			f.θ[at] = pieces[p*n+j] - fixed[j]
			at++
		}
	}
	r.Theta, r.Dir = f.θ, f.dir
	return r
}

// Placed takes the sums of all rows at Theta, and sets Dir. It reports whether there is a
// direction.
func (r *Reducer) Placed(s *Sums) bool {
	f := &r.f
	r.Objective = s.Losses[0] + f.pen.value(f.θ, f.d.N)
	f.Objective = r.Objective
	return r.direct(s.Grams)
}

// direct sets Dir from the regions at Theta.
func (r *Reducer) direct(grams []float64) bool {
	f := &r.f
	copy(f.grams.g, grams)
	if !f.solve() {
		return false
	}
	for k, v := range f.trial {
		f.dir[k] = v - f.θ[k]
	}
	return true
}

// Probed takes the sums of all rows along Dir and moves Theta. more says that another
// iteration follows: after a full step with Dir set, else after Placed.
func (r *Reducer) Probed(s *Sums) (more, placed bool) {
	f := &r.f
	r.Iterations++
	before := r.Objective
	t, ok := f.along([len(steps)]float64(s.Losses))
	if !ok {
		r.Converged = true
		return false, false
	}
	r.Objective = f.Objective
	for k, v := range f.dir {
		f.θ[k] += t * v
	}
	if before-r.Objective < f.opt.Tol*r.Objective {
		r.Converged = true
		return false, false
	}
	if r.Iterations >= f.opt.MaxIter {
		return false, false
	}
	if t == 1 {
		return r.direct(s.Grams), true
	}
	return true, false
}

// Pieces are the coefficients at Theta, as Fitter.Pieces.
func (r *Reducer) Pieces() []float64 {
	f := &r.f
	out := make([]float64, (f.opt.R1+f.opt.R2)*f.d.N)
	f.join(out, f.θ)
	return out
}
