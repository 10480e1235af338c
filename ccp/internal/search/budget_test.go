package search

import "testing"

// TestAdd: the first convex problem is known apart, and a share of an iteration counts as one.
func TestAdd(t *testing.T) {
	var b Budget
	b.Add(7.5, 1)
	b.Add(2.25, 2)
	if b.Work != 9.75 || b.First != 7.5 || b.Solves != 2 {
		t.Errorf("%+v", b)
	}
}

// TestTaken: all that takes time counts, and work that a search may do as if it had been done does
// not.
func TestTaken(t *testing.T) {
	b := Budget{Size: 100}
	least := b.Used()
	for name, add := range map[string]func(b *Budget){
		"iterations":   func(b *Budget) { b.Meter.Iterations = 10 },
		"products":     func(b *Budget) { b.Meter.Multiplications = 1000 },
		"values":       func(b *Budget) { b.Values = 10 },
		"searches":     func(b *Budget) { b.Visited = 1000 },
		"coefficients": func(b *Budget) { b.Coefficients = 100 },
		"extra":        func(b *Budget) { b.Extra = 10 },
	} {
		more := b
		if add(&more); !(more.Used() > least) {
			t.Errorf("%s: %g, %g without", name, more.Used(), least)
		}
	}
	if b.Afford(1e6); b.Used() != least || b.Spent() < 0.9e6 {
		t.Errorf("%g that may be spent count as %g, without %g", b.Spent(), b.Used(), least)
	}
}
