package atom

import "github.com/dcopt/dcopt/internal/convex"

// Lin is an affine function of columns.
type Lin = convex.Linear

// fixed is the function v.
func fixed(v float64) Lin { return Lin{Const: v} }

// Factors receives functions of several numbers as functions of one number and products.
type Factors interface {
	Sum(f *Curve, p float64, u ...Lin) Lin // Σ f(uₖ)
	Product(u, v Lin) Lin
	Column(l Lin) Lin       // a column that is l, which Product takes as one factor
	Total(parts ...Lin) Lin // the sum of all
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

// squareForm is the sum of the squares.
func squareForm(u ...Lin) convex.Form {
	return convex.Form{Quad: []convex.Quadratic{{Weight: 1, Arg: convex.Entries(u...)}}}
}

func secondOrderCone(rows ...Lin) convex.Cone {
	return convex.Cone{Kind: convex.SecondOrderCone, Rows: rows}
}

// exponentialCone and powerCone are cones of three rows.
func exponentialCone(a, b, c Lin) convex.Cone {
	return convex.Cone{Kind: convex.ExponentialCone, Rows: []Lin{a, b, c}}
}

func powerCone(alpha float64, a, b, c Lin) convex.Cone {
	return convex.Cone{Kind: convex.PowerCone, Alpha: alpha, Rows: []Lin{a, b, c}}
}

// rotated says t·y ≥ ‖a‖², t, y ≥ 0, as ‖(t − y, 2a)‖ ≤ t + y.
func rotated(t, y Lin, a ...Lin) convex.Cone {
	rows := make([]Lin, 0, 2+len(a))
	rows = append(rows, t.AddScaled(1, y), t.AddScaled(-1, y))
	for _, l := range a {
		rows = append(rows, l.Scale(2))
	}
	return secondOrderCone(rows...)
}
