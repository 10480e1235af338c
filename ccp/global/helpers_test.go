package global_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
)

func build(t testing.TB, m *dc.Model) *dc.Problem {
	t.Helper()
	p, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func solve(t *testing.T, p *dc.Problem, x0 []float64, change func(*ccp.Settings)) *ccp.Result {
	t.Helper()
	set := ccp.DefaultSettings()
	if change != nil {
		change(&set)
	}
	res, err := ccp.Solve(context.Background(), p, x0, set)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
