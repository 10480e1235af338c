package accel

// After is the number of iterations before a descent is sped up. Long steps early
// lead elsewhere, and as often to a worse point as to a better one; most runs are
// short. Source: ablation table of docs/lab/ccp.md.
const After = 8

// Device makes a descent faster.
type Device interface {
	// Extend may move s.X on from s.Plain, and reports whether it has.
	Extend(s *Step) bool
	// Reset forgets the iterations so far.
	Reset()
}

// Step is an iteration as a device sees it.
type Step struct {
	Space
	From, Before []float64 // the last point of the tangents, and the last point
	Plain        []float64 // the solution of the convex problem
	X            []float64 // the point
	Span         float64   // the size to which a change of the merit is relative
}

// Space is the problem as a device sees it.
type Space struct {
	Lo, Hi []float64           // bounds of the variables
	Size   func(j int) float64 // of a variable
	Merit  Merit
	Slip   float64 // how much the violated constraints may grow
}

// Merit is a penalised objective at x, +Inf where x is out of the question, and the
// sum of the violated constraints.
type Merit func(x []float64) (φ, open float64)
