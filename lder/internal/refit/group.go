package refit

import "math"

// The group penalty is Σ_j φ(t_j), where t_j is the norm of the slopes of feature j in
// all free pieces and φ the minimax concave penalty of Zhang 2010, Nearly unbiased
// variable selection under minimax concave penalty,
//
//	φ(t) = λt − t²/2γ for t ≤ γλ, and γλ²/2 beyond,
//
// a difference of convex functions. As a function of t² it is concave. A step of the
// convex-concave procedure takes it by its tangent in t², which leaves the least squares
// problem with a ridge weight φ'(t)/2t for each feature: Hunter and Li 2005, Variable
// selection using MM algorithms.
//
// Source: γ is 3, the default of Breheny and Huang 2015; the others are limits of
// rounding and of time.
const (
	// groupConcavity is γ.
	groupConcavity = 3.0
	// groupFloor is the perturbation of Hunter and Li, which keeps weights finite: no t
	// counts as less. Features are dropped where t is at most groupDropped: a feature
	// whose gradient is at most λ ends below 2·groupFloor.
	groupFloor   = 1e-4
	groupDropped = 10 * groupFloor
	// groupRounds bounds the tangents taken for one set of regions: they cost no pass over
	// the rows.
	groupRounds = 10
)

// groupValue is φ(t).
func groupValue(λ, t float64) float64 {
	if t <= groupConcavity*λ {
		return λ*t - t*t/2/groupConcavity
	}
	return groupConcavity * λ * λ / 2
}

// reweigh sets the ridge weights of the features to those at θ.
func (f *Fitter) reweigh(θ []float64) {
	λ := f.opt.Penalty.Group
	for j := range f.weights {
		t := max(groupFloor, math.Sqrt(f.product(θ, θ, j)))
		f.weights[j] = max(0, λ-t/groupConcavity) / 2 / t
	}
}

// solveGroups puts into trial the solution for the current regions, with the group penalty
// by tangents taken first at θ, then at the solution, until the penalty settles to a
// hundredth. It reports whether there is one.
func (f *Fitter) solveGroups() bool {
	if f.opt.Penalty.Group == 0 {
		return f.solve()
	}
	f.reweigh(f.θ)
	before := f.groupSum(f.θ)
	for range groupRounds {
		if !f.solve() {
			return false
		}
		now := f.groupSum(f.trial)
		if math.Abs(now-before) <= .01*before {
			break
		}
		before = now
		f.reweigh(f.trial)
	}
	return true
}

// groupSum is the group penalty of θ.
func (f *Fitter) groupSum(θ []float64) float64 {
	sum := 0.0
	for j := range f.d.N - 1 {
		sum += groupValue(f.opt.Penalty.Group, math.Sqrt(f.product(θ, θ, j)))
	}
	return sum
}

// product is the inner product of the slopes of feature j in a and in b.
func (f *Fitter) product(a, b []float64, j int) float64 {
	sum := 0.0
	for at := j; at < len(a); at += f.d.N {
		sum += a[at] * b[at]
	}
	return sum
}

// groups is the group penalty of θ + step·dir.
func (f *Fitter) groups(step float64) float64 {
	λ := f.opt.Penalty.Group
	if λ == 0 {
		return 0
	}
	sum := 0.0
	for j := range f.d.N - 1 {
		t := f.product(f.θ, f.θ, j)
		if step != 0 {
			t += step * (2*f.product(f.θ, f.dir, j) + step*f.product(f.dir, f.dir, j))
		}
		sum += groupValue(λ, math.Sqrt(max(0, t)))
	}
	return sum
}

// drop sets the slopes of features with next to none to 0.
func (f *Fitter) drop() {
	if f.opt.Penalty.Group == 0 {
		return
	}
	n, some := f.d.N, false
	for j := range n - 1 {
		if t := f.product(f.θ, f.θ, j); t > 0 && t <= groupDropped*groupDropped {
			some = true
			for at := j; at < len(f.θ); at += n {
				f.θ[at] = 0
			}
		}
	}
	if some {
		f.join(f.Pieces, f.θ)
		f.Objective = f.place(0, f.opt.Hinge) + f.pen.value(f.θ, n) + f.groups(0)
	}
}
