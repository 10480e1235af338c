package cone

// Cone is a closed convex cone K with a logarithmically homogeneous barrier, and the scaling of the
// last point given to Scale. Vectors have an entry for each row. No method but the constructors
// allocates, and the scaling of a large semidefinite cone. A Cone is for one goroutine.
type Cone interface {
	// Degree is the parameter ν of the barrier: sᵀz = νμ on the central path.
	Degree() float64
	// Unit sets e to the central point that is its own dual.
	Unit(e []float64)
	// Scale finds the scaling H, positive definite with Hz = s, at s in the
	// interior of K and z in the interior of its dual. It returns false where one of them
	// is not, in floating point.
	Scale(s, z []float64) bool
	// Mul sets dst to H·x; they may not overlap.
	Mul(dst, x []float64)
	// Absorb adds H(H+I)⁻¹e to ds, for a residual e of the rows: all but the part that is
	// less to the rows than to ds in the scaling.
	Absorb(ds, e []float64)
	// Correct adds to rc the terms of the corrector besides −s: the centring to σμ and
	// the term of second order of the predictor ds, dz.
	Correct(rc, ds, dz []float64, σμ float64)
}

// Symmetric is a self-dual homogeneous cone with its Nesterov-Todd scaling.
type Symmetric interface {
	Cone
	// Block sets h to the upper triangle of H, column by column.
	Block(h []float64)
	// Margin is the largest t for which v − t·e is in the cone, e the unit.
	Margin(v []float64) float64
	// Reach are the largest steps that keep s + αp·ds and z + αd·dz in the cone,
	// at the s and z of Scale; +Inf for no limit, or one that is more than 1/farther.
	Reach(ds, dz []float64) (αp, αd float64)
}
