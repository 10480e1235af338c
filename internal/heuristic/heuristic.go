package heuristic

// Switches are the parts that may be off.
type Switches struct {
	// Proximal adds ½ρ‖x − z‖² to a convex problem that is unbounded.
	Proximal bool
	// WorkingSet solves a convex problem of at least 1000 inequalities, and five times as
	// many as variables, with those rows that hold or nearly hold. The others are
	// evaluated at its solution and join where it breaks them, so it is one of the whole
	// problem, with multipliers 0 for the absent rows.
	WorkingSet bool
	// Sample lets start 1 begin at a better point, where the objective is a large sum that is not
	// convex, of functions that differ in numbers alone, and all that counts but bounds: descents
	// from up to 64 starts by values and gradients of samples of the sum are compared. The run from
	// there is one of the whole problem. Iterations, History and the recorder are of that alone;
	// Seconds.Solve has the time before.
	Sample       bool
	Acceleration Acceleration
	Search       Search
	// NewtonFirst lets Acceleration.Newton begin at the start, where it can, rather than where the
	// descent has led. Starts after the first do so along equations, and every second one
	// elsewhere.
	NewtonFirst bool
}

// Acceleration makes a descent faster, from its ninth iteration on.
type Acceleration struct {
	// LineSearch extends each step by a line search along x − z, from the point of
	// the tangents to the solution, while the merit falls: boosted DCA.
	LineSearch bool
	// Newton follows nonlinear equations by linearised ones and the second-order
	// term of the Lagrangian in a trust region: sequential quadratic programming. So it
	// does a smooth objective that is not convex under convex constraints, from where the
	// descent has converged or creeps.
	Newton bool
}

// Search looks for better points than those at which a descent has converged. Its
// cost is bounded by a share of the work of the descent.
type Search struct {
	// Coordinates bounds the jumps to better points along coordinates; 0: none.
	Coordinates int
	// Decisions begins a descent where the items of minima of quadratic functions are
	// chosen one by one, the surest first.
	Decisions bool
	// Descents bounds the descents by values and gradients from other starts, where the
	// objective is all that counts (a quasi-Newton method); 0: none.
	Descents int
	// Hops bounds the descents from points further away (monotonic basin hopping); 0:
	// none. Large problems get fewer, as their work is bounded too.
	Hops int
	// Vary lets Multistart begin every other start after the first few near the best
	// point so far.
	Vary bool
}

// All has every part.
func All() Switches {
	return Switches{
		Proximal: true, WorkingSet: true, Sample: true,
		Acceleration: Acceleration{LineSearch: true, Newton: true},
		Search:       Search{Coordinates: 5, Decisions: true, Descents: 100, Hops: 20, Vary: true},
	}
}
