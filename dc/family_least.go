package dc

import "math"

// leastFamily is the sum of the members of a family that are the least of some
// functions each.
type leastFamily struct{ f *family }

func (l *leastFamily) isMajorant()               {}
func (l *leastFamily) Support() []int            { return l.f.indices }
func (l *leastFamily) Value(x []float64) float64 { return l.f.Value(x) }
func (l *leastFamily) AddSubgrad(dst []float64, scale float64, x []float64) {
	l.f.AddSubgrad(dst, scale, x)
}
func (l *leastFamily) approx(x []float64) approx             { return l.f.approx(x) }
func (l *leastFamily) sizes(x []float64) (sum, most float64) { return l.f.sizes(x) }
func (l *leastFamily) node() Node                            { return Node{op: "least family", key: l} }
func (l *leastFamily) String() string                        { return "sum of least" }

func (l *leastFamily) Represent(Canon) Form {
	return Form{Least: []Least{{Weight: 1, Sums: len(l.f.w), Of: len(l.items()), Item: l.item, Choose: l.choose}}}
}

// items are the steps that the functions end with.
func (l *leastFamily) items() []int { return l.f.steps[len(l.f.steps)-1].args }

func (l *leastFamily) item(sum, k int) Form {
	return Form{}.AddScaled(l.f.w[sum], l.f.form(l.items()[k], sum))
}

// form is step k of member i, a sum of squares, as a Form.
func (f *family) form(k, i int) Form {
	s := &f.steps[k]
	if s.op != opRow && s.op != opSum {
		rows := make([]Linear, len(s.args))
		for a, arg := range s.args {
			rows[a] = f.rows[f.steps[arg].row].linear(i, f.of)
		}
		return Form{Quad: []Quadratic{{Weight: 1, Arg: Entries(rows...)}}}
	}
	out := Form{Linear: f.rows[s.row].linear(i, f.of)}
	for a, arg := range s.args {
		out = out.AddScaled(pick(f.nums[s.nums[a]], i), f.form(arg, i))
	}
	return out
}

// choose marks the least at x of each member; of equal ones the first.
func (l *leastFamily) choose(x []float64, chosen []bool) {
	clear(chosen)
	w := l.f.pool.Get().(*familyWork)
	defer l.f.pool.Put(w)
	items := l.items()
	l.f.blocks(w, x, func(lo int, v []float64) {
		for i, least := range v {
			for k, arg := range items {
				if u := w.v[arg][i]; u == least || math.IsNaN(u) {
					chosen[(lo+i)*len(items)+k] = true
					break
				}
			}
		}
	})
}
