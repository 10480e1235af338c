package refit

import "math"

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
