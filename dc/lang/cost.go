package lang

// cost bounds the work of package dc and the solver for an expression, so that a
// short file cannot ask for an expression that doubles with every line.
type cost struct {
	pieces int // affine functions that a maximum of it is written out to
	parts  int // convex functions met in a walk through it
	weight int // coefficients in them
}

// maxCost is where costs stop to grow.
// Source: a limit of memory: a cost above it is refused in any case.
const maxCost = 1 << 30

func (c cost) capped() cost {
	return cost{min(c.pieces, maxCost), min(c.parts, maxCost), min(c.weight, maxCost)}
}

// plus is the cost of a sum.
func (c cost) plus(d cost) cost {
	return cost{max(c.pieces, d.pieces), c.parts + d.parts, c.weight + d.weight}.capped()
}

// over is the cost of a maximum.
func (c cost) over(d cost) cost {
	return cost{c.pieces + d.pieces, c.parts + d.parts, c.weight + d.weight}.capped()
}

// times is the cost of n convex functions of the same arguments.
func (c cost) times(n int) cost {
	return cost{max(c.pieces, 1), n * (c.parts + 1), n * c.weight}.capped()
}
