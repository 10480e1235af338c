//go:build !race

package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// TestPeersTestSet solves the set with default settings from the given starts,
// and from 20, and keeps the table of docs/lab/ccp.md; -update rewrites it. The
// column "plain" is the procedure without what is written there.
func TestPeersTestSet(t *testing.T) {
	var table strings.Builder
	table.WriteString("| problem | reported | best known | plain | default | 20 starts | bound |\n|---|---|---|---|---|---|---|\n")
	plainly := ccp.DefaultSettings()
	plainly.Heuristics.Acceleration = heuristic.Acceleration{}
	plainly.Heuristics.Search = heuristic.Search{}
	ctx := context.Background()
	for _, c := range peerProblems() {
		p := c.compile(t)
		plain, err := ccp.Solve(ctx, p, nil, plainly)
		if err != nil {
			t.Fatal(c.name(), err)
		}
		one, err := ccp.Solve(ctx, p, nil, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(c.name(), err)
		}
		many, err := ccp.Multistart(ctx, p, 20, ccp.DefaultSettings())
		if err != nil {
			t.Fatal(c.name(), err)
		}
		c.meets(t, "default", one, c.one)
		c.meets(t, "20 starts", many, c.best)
		bound := ""
		if c.proved {
			proof, err := global.Solve(ctx, p, nil, 1, ccp.DefaultSettings())
			if err != nil {
				t.Fatal(c.name(), err)
			}
			c.meets(t, "global", proof.Result, c.best)
			if !proof.Proved || !(proof.Bound <= c.best+1e-6*max(1, math.Abs(c.best))) || !(proof.Bound >= c.best-2e-6*max(1, math.Abs(c.best))) {
				t.Errorf("%s: bound %g, gap %g; want a proof of %g", c.name(), proof.Bound, proof.Gap, c.best)
			}
			bound = tabled(proof.Bound)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s | %s | %s |\n", c.name(), tabled(c.one), tabled(c.best),
			tabled(plain.Objective), tabled(one.Objective), tabled(many.Objective), bound)
	}
	keepBlock(t, "../../docs/lab/ccp.md", "test set", table.String())
}
