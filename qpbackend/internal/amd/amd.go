package amd

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
)

// Order returns a fill-reducing permutation of a symmetric matrix from its upper
// triangle (CSC pattern, diagonal optional): perm[k] is the original index of
// pivot k. Entries may repeat, be unsorted or stand below the diagonal; (i, j)
// and (j, i) mean the same. Row indices must lie in [0, n). The answer depends
// on nothing but the pattern. The error is ctx.Err().
func Order(ctx context.Context, n int, colPtr, rowIdx []int) ([]int, error) {
	return OrderStages(ctx, n, colPtr, rowIdx, nil)
}

// OrderStages is Order stage by stage: variables of a greater stage come later, but where they
// cause no fill or have the same neighbours as one of a lesser stage. stage has length n, or is nil
// for one stage.
func OrderStages(ctx context.Context, n int, colPtr, rowIdx []int, stage []uint8) ([]int, error) {
	perm := make([]int, 0, n)
	if n == 0 {
		return perm, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := poll.New(ctx)
	g, err := newGraph(&p, n, colPtr, rowIdx)
	if err != nil {
		return nil, err
	}
	for i, s := range stage {
		g.node[i].stage = s
	}
	if perm = g.peel(perm); stage == nil {
		perm = g.contract(perm)
	}
	if g.left == 0 {
		return perm, nil
	}
	dense := g.setAside()
	for g.left > 0 {
		me := g.choose()
		g.makeElement(me)
		if g.node[me].degree == g.left {
			// The rest is a clique, all of it in me.
			perm = g.appendMembers(perm, me)
			for _, i := range g.neighbours(me) {
				perm = g.appendMembers(perm, i)
			}
			break
		}
		g.update(me)
		perm = g.appendMembers(perm, me)
		if err := p.Err(pivotWork); err != nil {
			return nil, err
		}
	}
	return append(perm, dense...), nil
}

// pivotWork is the count of a pivot in poll.Poll. Source: a limit of time: its work varies with the
// lengths of lists, and a hundred of them take less than a millisecond on
// matrices with millions of rows.
const pivotWork = poll.Interval / 100

// update changes the graph for the new element me.
func (g *graph) update(me int32) {
	deferred := g.deferLong(me)
	g.scanElements(me, deferred)
	g.updateDegrees(me)
	g.mergeIndistinct(me)
	g.finish(me)
}

// appendMembers appends the variables that i stands for.
func (g *graph) appendMembers(perm []int, i int32) []int {
	for ; i >= 0; i = g.member[i] {
		perm = append(perm, int(i))
	}
	return perm
}

// peel eliminates, as long as there are any, variables with one neighbour or
// none. They cause no fill and need no quotient graph. It leaves in degree the sizes that
// the lists will have without them.
func (g *graph) peel(perm []int) []int {
	for i := range g.node {
		g.node[i].degree = g.node[i].size
	}
	for i := range int32(g.n) {
		for v := i; v >= 0 && g.node[v].degree <= 1 && g.node[v].kind == variable; {
			g.node[v].kind, g.nv[v] = dead, 0
			perm = append(perm, int(v))
			last := int32(-1)
			if g.node[v].degree == 1 {
				for _, w := range g.neighbours(v) {
					if g.node[w].kind != dead {
						g.node[w].degree--
						last = w
						break
					}
				}
			}
			v = last
		}
	}
	g.left -= int32(len(perm))
	return perm
}

// setAside takes out the nearly dense rows, which would cost quadratic time and
// hide the structure of the rest; they are returned, to be ordered last.
// Everything else enters the degree lists.
func (g *graph) setAside() (dense []int) {
	g.furnish()
	limit := int32(min(float64(g.n), max(16, 10*math.Sqrt(float64(g.n)))))
	for i := range g.node {
		if v := &g.node[i]; v.kind != dead && v.degree > limit {
			v.kind = dead
			g.nv[i] = 0
			dense = append(dense, i)
		}
	}
	for i := range int32(g.n) {
		v := &g.node[i]
		if v.kind == dead {
			continue
		}
		if len(dense) > 0 || v.degree < v.size {
			g.dropDead(i)
		}
		v.degree = v.size
		g.link(i)
	}
	for _, i := range g.touched {
		if g.node[i].kind != dead {
			g.unlink(i)
			g.link(i)
		}
	}
	g.left -= int32(len(dense))
	return dense
}
