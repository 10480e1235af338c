package atom

// Lin is an affine function of the numbers of a function and of new columns.
type Lin struct {
	Terms []Term
	C     float64
}

// Term is W times a column, or times number ^At of the function if At is negative.
type Term struct {
	At int
	W  float64
}

// Argument is number k of a function.
func Argument(k int) Lin { return Lin{Terms: []Term{{^k, 1}}} }

// Constant is the function c.
func Constant(c float64) Lin { return Lin{C: c} }

// Scale returns w·l.
func (l Lin) Scale(w float64) Lin { return Lin{C: 0}.Add(w, l) }

// Add returns l + w·m.
func (l Lin) Add(w float64, m Lin) Lin {
	out := Lin{Terms: l.Terms[:len(l.Terms):len(l.Terms)], C: l.C + w*m.C}
	for _, t := range m.Terms {
		out.Terms = append(out.Terms, Term{t.At, w * t.W})
	}
	return out
}

// Canon receives the representation of convex functions.
type Canon interface {
	Column() Lin               // a free column
	Row(l Lin, lo, hi float64) // lo ≤ l ≤ hi
	Cone(k Cone)
	Abs(l Lin) Lin // at least |l|
}

// Factors receives functions of several numbers as functions of one number and products.
type Factors interface {
	Sum(f *Curve, p float64, u ...Lin) Lin // Σ f(uₖ)
	Product(u, v Lin) Lin
	Column(l Lin) Lin // a column that is l, which Product takes as one factor
}

// sumBy is a function that is the sum of a function of each number, with its first parameter.
func sumBy(name string) func(c Factors, u []Lin, p []float64) Lin {
	return func(c Factors, u []Lin, p []float64) Lin {
		first := 0.0
		if len(p) > 0 {
			first = p[0]
		}
		return c.Sum(Find(name), first, u...)
	}
}

// Bound is an affine function plus a sum of squares.
type Bound struct {
	Lin
	Squares []Lin
}

// Cone is a cone and the rows that lie in it, in order.
type Cone struct {
	Kind  ConeKind
	Alpha float64 // α of the power cone
	Rows  []Lin
}

// ConeKind names a family of cones.
type ConeKind uint8

// The cones, with s the rows.
const (
	SecondOrderCone ConeKind = iota // s₀ ≥ ‖(s₁, …)‖₂
	ExponentialCone                 // s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, and its closure
	PowerCone                       // s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0
)

// rotated says t·y ≥ ‖a‖², t, y ≥ 0, as ‖(t − y, 2a)‖ ≤ t + y.
func rotated(t, y Lin, a ...Lin) Cone {
	rows := make([]Lin, 0, 2+len(a))
	rows = append(rows, t.Add(1, y), t.Add(-1, y))
	for _, l := range a {
		rows = append(rows, l.Scale(2))
	}
	return Cone{Kind: SecondOrderCone, Rows: rows}
}
