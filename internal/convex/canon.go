package convex

import (
	"github.com/dcopt/dcopt/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Representer is a g of CCP: a convex function that is the least
// value of a Form over new variables under rows and cones.
type Representer interface {
	Func
	// Represent adds variables, rows and cones to c and returns a Form that is an upper
	// bound of the function wherever the additions are met, and equal to it for
	// the best choice of the new variables.
	Represent(c Canon) Form
}

// Restricted is implemented by functions that are not finite everywhere.
type Restricted interface {
	// Domain returns convex functions that are ≤ 0 exactly on the domain's
	// closure.
	Domain() []Representer
	// Inside reports whether x lies where subgradients exist.
	Inside(x []float64) bool
}

// unrestricted is implemented by functions that have Inside for the sake of their parts: Everywhere
// reports whether none of these is Restricted. Package ccp asks it, by assertion, before it asks
// Inside of many points.
type unrestricted interface {
	Everywhere() bool
}

// HasAllPoints reports whether f is known to have subgradients at all points.
func HasAllPoints(f Func) bool {
	if p, ok := f.(unrestricted); ok {
		return p.Everywhere()
	}
	_, ok := f.(Restricted)
	return !ok
}

// Sublevel is implemented by representers for which f ≤ b, b affine, is a cone
// that needs no new column. It is optional and found by assertion, as Restricted is:
// a Canon states constraints by it.
type Sublevel interface {
	Representer
	// Below returns the cone, and share[i] = −∂(row i)/∂b: with the multipliers
	// y of the rows, the multiplier of f ≤ b is the sum of share[i]·y[i]. ok is false where
	// there is no such cone.
	Below(b Linear) (k Cone, share []float64, ok bool)
}

// Line is implemented by functions of one affine function, for which lo ≤ row ≤ hi says
// the same as f ≤ b. A Canon finds it by assertion.
type Line interface {
	// Line returns the row, its ends and share = −∂row/∂b: with the multiplier y of the
	// row, the multiplier of f ≤ b is share·y, or share·|y| where both ends are finite. ok is false
	// where there is no such row.
	Line(b Linear) (row Linear, lo, hi, share float64, ok bool)
}

// Canon receives the representation of convex functions; package ccp
// implements it. Columns are numbered; the model's variables come first.
type Canon interface {
	// Var makes a free column.
	Var() int
	// Row states lo ≤ a ≤ hi; an infinite bound is none.
	Row(a Linear, lo, hi float64)
	// Cone states that its rows lie in it.
	Cone(k Cone)
	// Tangent states that a is at most the tangent of h at the current point.
	Tangent(a Linear, h Func)
	// Form represents f once and remembers it: asked again for the same f, it
	// returns the same Form.
	Form(f Representer) Form
	// Bound is Form with the quadratic part, if there is one, replaced by a
	// column above it.
	Bound(f Representer) Linear
}

// Roomy is implemented by a Canon that makes room for so many more rows and tangents: lists that
// grow are copied several times. It is optional and found by assertion.
type Roomy interface{ Room(rows, tangents int) }

// ConeKind names a family of cones.
type ConeKind uint8

// The cones, with s the rows.
const (
	SecondOrderCone ConeKind = iota // s₀ ≥ ‖(s₁, …)‖₂
	ExponentialCone                 // s₂ ≥ s₁·exp(s₀/s₁), s₁ > 0, and its closure
	PowerCone                       // s₀^α·s₁^(1−α) ≥ |s₂|, s₀, s₁ ≥ 0
	// the upper triangle, column by column, of a positive semidefinite matrix; off-diagonal entries
	// times √2
	SemidefiniteCone
	numConeKind
)

var coneText = [numConeKind]string{"second-order", "exponential", "power", "semidefinite"}

// String is the cone's name in words.
func (k ConeKind) String() string { return enum.String(k, "ConeKind", coneText[:]) }

// ParseConeKind is the inverse of String.
func ParseConeKind(name string) (ConeKind, error) {
	return enum.Parse[ConeKind](name, "dc: no cone", coneText[:])
}

// Cone is a cone and the rows that lie in it, in order.
type Cone struct {
	Kind  ConeKind
	Alpha float64 // α of the power cone
	Rows  []Linear
}

// Form is an affine function plus a convex quadratic one.
type Form struct {
	Linear Linear
	Quad   []Quadratic
	Least  []Least // in the objective alone
}

// Least is Weight times the sum of some of many items, the K least at the current point of each of
// Sums sums, one after the other, of Of items.
type Least struct {
	Weight      float64
	Sums, Of, K int
	Item        func(sum, k int) Form // an affine function with sums of squares
	// Smallest writes the numbers of the items that count at x.
	Smallest func(to []int32, k int, x []float64)
	// Choices has the items that count at a point; place gives a place to the product of variables
	// i ≤ j.
	Choices func(place func(i, j int) int32) Choices
}

// Choices is a quadratic function of the items that count, see pass.Least.
type Choices interface {
	Variables(each func(j int))
	Move(places []int)
	Choose(x []float64) (switched bool)
	AddLinear(q []float64, c float64)
	AddSquares(p []float64, c float64)
}

// Choose marks the items that count at x, the items of one sum after the other.
func (l *Least) Choose(x []float64, chosen []bool) {
	list := make([]int32, l.K*l.Sums)
	l.Smallest(list, l.K, x)
	clear(chosen)
	for i, k := range list {
		chosen[i/l.K*l.Of+int(k)] = true
	}
}

// Quadratic is Weight·aᵀQa for the entries a of Arg. Weight > 0, and Q is
// positive semidefinite; nil stands for the identity.
type Quadratic struct {
	Weight float64
	Arg    Array
	Q      mat.Symmetric
}

// AddScaled returns f + w·g, w > 0, as a Canon adds the forms of a sum.
func (f Form) AddScaled(w float64, g Form) Form {
	f.Linear = f.Linear.AddScaled(w, g.Linear)
	if len(g.Least) > 0 {
		least := f.Least[:len(f.Least):len(f.Least)]
		for _, l := range g.Least {
			l.Weight *= w
			least = append(least, l)
		}
		f.Least = least
	}
	if len(g.Quad) == 0 {
		return f
	}
	quad := f.Quad[:len(f.Quad):len(f.Quad)]
	for _, q := range g.Quad {
		q.Weight *= w
		quad = append(quad, q)
	}
	f.Quad = quad
	return f
}

// Polyhedral is implemented by representers that are a maximum of affine
// functions few enough to be written out as rows. It is optional and found by assertion.
type Polyhedral interface {
	// Pieces are affine functions whose maximum is the function, nil where
	// writing them out would not pay.
	Pieces() []Linear
}

// Column is a new variable.
func Column(c Canon) Linear { return Linear{Idx: []int{c.Var()}, Val: []float64{1}} }

// Represent returns l itself.
func (l Linear) Represent(Canon) Form { return Form{Linear: l} }
