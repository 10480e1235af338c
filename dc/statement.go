package dc

// Statement has the constraints of one call of Model.SubjectTo.
type Statement struct {
	cs       *collection
	from, to int // places among the constraints
}

// Solution has multipliers by constraint, as ccp.Result has them.
type Solution interface{ Multipliers() [][]float64 }

// Dual are the multipliers of the statement's entries at a solution of the model's problem, in
// row-major order and one constraint after the other: of l ≤ r, which counts as l − r ≤ 0, at least
// 0, of an equation of any sign, of lo ≤ e ≤ hi positive where hi holds and negative where lo does.
// It is nil where the solution has none.
func (s Statement) Dual(r Solution) []float64 {
	y := r.Multipliers()
	if s.cs == nil || s.to > len(y) {
		return nil
	}
	var out []float64
	for k := s.from; k < s.to; k++ {
		c := &s.cs.list[k]
		switch {
		case k+1 < s.to && c.opens: // of e = 0: those of e ≤ 0 and −e ≤ 0
			out = append(out, y[k][0]-y[k+1][0])
			k++
		case k+1 < s.to && s.cs.list[k+1].second: // of lo ≤ e and e ≤ hi
			for i, v := range y[k+1] {
				out = append(out, v-y[k][i])
			}
			k++
		default:
			out = append(out, y[k]...)
		}
	}
	return out
}
