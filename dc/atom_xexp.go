package dc

// XExp is u·eᵘ on u ≥ 0. It is represented by w ≥ u² and u·exp(w/u) ≤ t.
func XExp(u Operand) Expr { return applyTo("xexp", u) }
