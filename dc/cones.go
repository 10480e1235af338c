package dc

import "math"

// cones has the rows of the table of functions with a representation, and minusCones those whose
// negatives have one: functions that add the rows and cones of a bound t ≥ f(u), and return it.
var cones = map[string]func(c Canon, u Linear, p float64) Form{
	"exp":       expCones,
	"logistic":  logisticCones,
	"xexp":      xexpCones,
	"power":     powerCones,
	"pos_power": posPowerCones,
}

var minusCones = map[string]func(c Canon, u Linear, p float64) Form{
	"log":   logCones,
	"entr":  entropyCones,
	"power": rootCones,
}

func expCones(c Canon, u Linear, _ float64) Form {
	t := column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{u, {Const: 1}, t}})
	return Form{Linear: t}
}

// logisticCones: t with exp(u − t) + exp(−t) ≤ 1.
func logisticCones(c Canon, u Linear, _ float64) Form {
	t, v, w := column(c), column(c), column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{u.AddScaled(-1, t), {Const: 1}, v}})
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{t.Scale(-1), {Const: 1}, w}})
	c.Row(v.AddScaled(1, w), math.Inf(-1), 1)
	return Form{Linear: t}
}

func xexpCones(c Canon, u Linear, _ float64) Form {
	t, w := column(c), column(c)
	one := Linear{Const: 1}
	c.Cone(Cone{Kind: SecondOrderCone, Rows: []Linear{w.AddScaled(1, one), w.AddScaled(-1, one), u.Scale(2)}})
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{w, u, t}})
	return Form{Linear: t}
}

// logCones: u ≥ exp(−t).
func logCones(c Canon, u Linear, _ float64) Form {
	t := column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{t.Scale(-1), {Const: 1}, u}})
	return Form{Linear: t}
}

// entropyCones: u·exp(−t/u) ≤ 1.
func entropyCones(c Canon, u Linear, _ float64) Form {
	t := column(c)
	c.Cone(Cone{Kind: ExponentialCone, Rows: []Linear{t.Scale(-1), u, {Const: 1}}})
	return Form{Linear: t}
}

// powerCones: t·u^|p| ≥ 1 for p < 0; for the inverse ‖(u − t, 2)‖ ≤ u + t. For p > 1, t^(1/p) ≥
// |u|, u ≥ 0.
func powerCones(c Canon, u Linear, p float64) Form {
	t := column(c)
	if p > 1 {
		c.Row(u, 0, math.Inf(1))
		c.Cone(Cone{Kind: PowerCone, Alpha: 1 / p, Rows: []Linear{t, {Const: 1}, u}})
		return Form{Linear: t}
	}
	if p == -1 {
		c.Cone(Cone{Kind: SecondOrderCone, Rows: []Linear{u.AddScaled(1, t), u.AddScaled(-1, t), {Const: 2}}})
	} else {
		c.Cone(Cone{Kind: PowerCone, Alpha: 1 / (1 - p), Rows: []Linear{t, u, {Const: 1}}})
	}
	return Form{Linear: t}
}

// rootCones: uᵖ ≥ |t| for 0 < p < 1; for the square root t² ≤ u.
func rootCones(c Canon, u Linear, p float64) Form {
	t := column(c)
	if p == 0.5 {
		quarter := Linear{Const: 0.25}
		c.Cone(Cone{Kind: SecondOrderCone, Rows: []Linear{u.AddScaled(1, quarter), u.AddScaled(-1, quarter), t}})
	} else {
		c.Cone(Cone{Kind: PowerCone, Alpha: p, Rows: []Linear{u, {Const: 1}, t}})
	}
	return Form{Linear: t}
}

// posPowerCones: t^(1/p) ≥ v, v ≥ u, v ≥ 0.
func posPowerCones(c Canon, u Linear, p float64) Form {
	t, v := column(c), column(c)
	c.Row(v, 0, math.Inf(1))
	c.Row(u.AddScaled(-1, v), math.Inf(-1), 0)
	c.Cone(Cone{Kind: PowerCone, Alpha: 1 / p, Rows: []Linear{t, {Const: 1}, v}})
	return Form{Linear: t}
}
