package refit

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/num"
)

// Options of a fit.
type Options struct {
	R1, R2  int // pieces of the two maxima
	Penalty Penalty
	MaxIter int
	// Tol ends the fit after a step that lowers the objective by less than Tol
	// times its value.
	Tol float64
	// Hinge takes max(0, 1−yf)² for (y−f)², where y is −1 or 1: rows beyond their
	// margin have no error and belong to no region. Boser, Guyon and Vapnik 1992;
	// Mangasarian 2002, A finite Newton method for classification.
	Hinge bool
	// Workers bounds the goroutines that read rows; small data take one.
	Workers int
	// Record is told of every iteration and ends the fit by an error; nil:
	// nobody is.
	Record func(iteration int, objective float64) error
}

// steps are the lengths tried along a direction. The full step comes first: of
// equal objectives it is taken.
var steps = [...]float64{1, .5, .25, .1, .03, 1.5, 2.5}

// farthest is the largest of them. Source: derived.
const farthest = 2.5

// Fitter holds the memory of fits. It is for one goroutine at a time.
type Fitter struct {
	// Pieces are the R1 pieces of the first maximum, then the R2 of the second,
	// N coefficients each; the first of the second is 0.
	Pieces []float64
	// Objective is Σ w (y−f)² plus the penalty.
	Objective  float64
	Iterations int
	Converged  bool // rather than stopped by MaxIter or the context

	d   *Data
	opt Options
	pen penalty

	kernels
	pass
	grams   grams
	system  system
	weights []float64 // of the features, by the group penalty
	θ       []float64 // Pieces without the one that is 0
	dir     []float64
	trial   []float64
}

// Cold fits from random regions: distinct rows are drawn as centres, and each
// row belongs to the nearest of R1 for the first maximum and of R2 others for
// the second. When the context ends, its error is returned and the fields hold
// the current function.
func (f *Fitter) Cold(ctx context.Context, d *Data, opt Options, rng *rand.Rand) error {
	f.begin(d, opt)
	f.cells(draw(rng, d.M, opt.R1), draw(rng, d.M, opt.R2))
	f.place(0, false)
	clear(f.θ)
	clear(f.weights) // the first least squares problem is without the group penalty
	if f.solve() {
		copy(f.θ, f.trial)
	}
	f.join(f.Pieces, f.θ)
	return f.descend(ctx)
}

// Warm fits from the function with the given pieces, in the order of
// f.Pieces, which they may be.
func (f *Fitter) Warm(ctx context.Context, d *Data, opt Options, pieces []float64) error {
	start := append([]float64(nil), pieces...)
	f.begin(d, opt)
	n := d.N
	fixed := append([]float64(nil), start[opt.R1*n:(opt.R1+1)*n]...)
	for k := range start {
		start[k] -= fixed[k%n]
	}
	copy(f.θ, start[:opt.R1*n])
	copy(f.θ[opt.R1*n:], start[(opt.R1+1)*n:])
	f.join(f.Pieces, f.θ)
	return f.descend(ctx)
}

// Again continues from the current function on the same data with another penalty,
// iteration limit or tolerance; the numbers of pieces must be the same.
func (f *Fitter) Again(ctx context.Context, opt Options) error {
	f.opt = opt
	f.Iterations, f.Converged = 0, false
	f.pen.set(opt.R1, opt.R2, opt.Penalty)
	return f.descend(ctx)
}

// begin sizes the memory.
func (f *Fitter) begin(d *Data, opt Options) {
	n, k := d.N, opt.R1+opt.R2-1
	f.d, f.opt = d, opt
	f.Objective, f.Iterations, f.Converged = math.Inf(1), 0, false
	f.pen.set(opt.R1, opt.R2, opt.Penalty)
	f.grams.reset(n, opt.R1*opt.R2)
	f.system.reset(k * n)
	f.Pieces = resize(f.Pieces, (k+1)*n)
	f.θ = resize(f.θ, k*n)
	f.dir = resize(f.dir, k*n)
	f.trial = resize(f.trial, k*n)
	f.weights = resize(f.weights, n-1)
	f.choose()
	f.split(d, k)
	f.region = resize(f.region, d.M)
	for i := range f.region {
		f.region[i] = nowhere
	}
}

// join writes pieces from their free coefficients.
func (f *Fitter) join(pieces, θ []float64) {
	at := f.opt.R1 * f.d.N
	copy(pieces, θ[:at])
	clear(pieces[at : at+f.d.N])
	copy(pieces[at+f.d.N:], θ[at:])
}

// descend repeats: argmaxes, least squares, line search.
func (f *Fitter) descend(ctx context.Context) error {
	loss := f.place(0, f.opt.Hinge)
	f.Objective = loss + f.pen.value(f.θ, f.d.N) + f.groups(0)
	defer f.drop()
	for f.Iterations < f.opt.MaxIter {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !f.solveGroups() {
			return nil
		}
		f.Iterations++
		before := f.Objective
		t, ok := f.search()
		if !ok {
			f.Converged = true
			return f.record()
		}
		for k, v := range f.dir {
			f.θ[k] += t * v
		}
		f.join(f.Pieces, f.θ)
		if err := f.record(); err != nil {
			return err
		}
		if before-f.Objective < f.opt.Tol*f.Objective {
			f.Converged = true
			return nil
		}
		if f.Iterations == f.opt.MaxIter {
			break
		}
		f.place(t, f.opt.Hinge)
	}
	return nil
}

func (f *Fitter) record() error {
	if f.opt.Record == nil {
		return nil
	}
	return f.opt.Record(f.Iterations, f.Objective)
}

// search takes the step length of least objective along trial − θ. It reports
// whether the objective falls.
func (f *Fitter) search() (t float64, ok bool) {
	for k, v := range f.trial {
		f.dir[k] = v - f.θ[k]
	}
	return f.along(f.lossesAlong())
}

// along is search with the losses at the steps along dir.
func (f *Fitter) along(losses [len(steps)]float64) (t float64, ok bool) {
	n := f.d.N
	p0, p1 := f.pen.value(f.θ, n), f.pen.value(f.trial, n)
	p2 := f.pen.value(f.dir, n)
	cross := p1 - p0 - p2
	best := f.Objective
	for k, s := range steps {
		if v := losses[k] + p0 + s*cross + s*s*p2 + f.groups(s); v < best {
			best, t, ok = v, s, true
		}
	}
	if ok {
		f.Objective = best
	}
	return t, ok
}

// draw returns r different rows of m, or all of them over and over.
func draw(rng *rand.Rand, m, r int) []int {
	picked := make([]int, 0, r)
next:
	for len(picked) < r {
		i := rng.IntN(m)
		if len(picked) < m {
			for _, k := range picked {
				if k == i {
					continue next
				}
			}
		}
		picked = append(picked, i)
	}
	return picked
}

// cells sets θ to the function whose regions are the rows nearest to each of the
// centres, combined with those nearest to each of the others: of affine
// functions ⟨c, x⟩ − ‖c‖²/2 the function of the nearest c is largest.
func (f *Fitter) cells(centres, other []int) {
	n := f.d.N
	put := func(dst []float64, c int) {
		row := f.d.Row(c)
		copy(dst, row)
		dst[n-1] = -.5 * num.Dot(row[:n-1], row[:n-1])
	}
	for k, c := range centres {
		put(f.θ[k*n:(k+1)*n], c)
	}
	put(f.dir[:n], other[0])
	for k, c := range other[1:] {
		piece := f.θ[(len(centres)+k)*n:][:n]
		put(piece, c)
		for j, v := range f.dir[:n] {
			piece[j] -= v
		}
	}
}
