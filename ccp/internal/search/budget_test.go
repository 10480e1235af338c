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

// TestTaken: values count where they take longer than the convex problems, and only there.
func TestTaken(t *testing.T) {
	few := Budget{Work: 200, Size: 100, Values: 100, Coefficients: 100}
	if few.Taken() != few.Spent() {
		t.Errorf("%g of short values, %g of convex problems", few.Taken(), few.Spent())
	}
	many := few
	many.Coefficients = 4e5
	if want := evaluation * 100 * (4e5 + evaluationOverhead); many.Taken() != want || many.Spent() != few.Spent() {
		t.Errorf("%g, want %g; of convex problems %g", many.Taken(), want, many.Spent())
	}
}
