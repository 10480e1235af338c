package dc

// Semidefinite states that a symmetric matrix is positive semidefinite.
func Semidefinite(a Expr) Constraint { return GE(LambdaMin(a), Num(0)) }

// DualShape is the shape in which n multipliers of c are to be read: that of the array or the
// matrix that it states, else a list; nil: one number.
func (c *Constraint) DualShape(n int) []int {
	var shape []int
	if !c.DC {
		shape = c.A.Shape()
	} else if d := c.Order(); d > 0 && d*d == n {
		return []int{d, d}
	}
	size := 1
	for _, d := range shape {
		size *= d
	}
	if size != n {
		return []int{n}
	}
	return shape
}

// Order is the order of the matrix that the constraint states to be positive
// semidefinite: bI − A ⪰ 0 for a constraint that bounds an extreme eigenvalue of
// A, as Semidefinite makes it. It is 0 for other constraints, and for a matrix of
// one entry.
func (c *Constraint) Order() int {
	if !c.DC {
		return 0
	}
	if one, _ := c.e.alone(); one == nil && c.e.lazy == nil && !c.e.composite { // a split would gather the terms alone
		if len(c.e.terms) != 1 {
			return 0
		}
		if _, ok := c.e.terms[0].f.(*eigenSum); !ok {
			return 0
		}
	}
	s := c.e.splitNow()
	if len(s.g) != 1 || len(s.h) != 0 {
		return 0
	}
	f, ok := s.g[0].f.(*eigenSum)
	if !ok || f.k != 1 || f.n < 2 {
		return 0
	}
	return f.n
}
