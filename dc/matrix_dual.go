package dc

import "math"

// Order is the order of the matrix that the constraint states to be positive
// semidefinite: bI − A ⪰ 0 for a constraint that bounds an extreme eigenvalue of
// A, as Semidefinite makes it. It is 0 for other constraints, and for a matrix of
// one entry.
func (c *Constraint) Order() int {
	if !c.DC {
		return 0
	}
	s := c.E.split()
	if len(s.g) != 1 || len(s.h) != 0 {
		return 0
	}
	f, ok := s.g[0].f.(*eigenSum)
	if !ok || f.k != 1 || f.n < 2 {
		return 0
	}
	return f.n
}

// MatrixMultiplier is the multiplier of a constraint of that order, a positive
// semidefinite matrix in row-major order, from the multipliers y of the rows of
// its cone. share is that of Sublevel.Below for the first diagonal entry. The
// trace is the multiplier of the bound of the eigenvalue. It is nil where the
// cone has another number of rows.
func MatrixMultiplier(order int, y []float64, share float64) []float64 {
	out := make([]float64, order*order)
	if order == 2 && len(y) == 3 { // of the rows a + d, a − d, 2b
		share /= 2
		out[0], out[3] = share*(y[0]+y[1]), share*(y[0]-y[1])
		out[1], out[2] = share*y[2], share*y[2]
		return out
	}
	if len(y) != triangle(order) {
		return nil
	}
	for j := range order {
		for i := range j + 1 {
			z := share * y[place(i, j)]
			if i < j {
				z /= math.Sqrt2
			}
			out[i*order+j], out[j*order+i] = z, z
		}
	}
	return out
}
