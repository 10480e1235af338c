package dissect

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// leastEach is the number of operations for an entry of the matrix from which separators are
// sought. Source: times: a search with the order and analysis after it takes 1 to 2 μs an entry, as
// long as 5000 to 10,000 operations of a factorisation: it costs two factorisations at most.
// Problems with 434 and 451 operations an entry, QSHIP12L and QSHIP08L, take 1.8 and .9 times as
// long in all with a quarter of the operations.
const leastEach = 5000

// narrow is the share of the largest front that the first separator may have.
// Source: docs/lab/bench.md, Nested dissection.
const narrow = 0.65

// Better is ldl.Count of k in an order by nested dissection, where that has fewer operations than
// f, the count of another order; else f. Separators are sought where f has so many that it takes
// longer than they do, and given up where the first has more vertices than narrow times the largest
// front of f. When ctx ends, the error is ctx.Err().
func Better(ctx context.Context, k *sparse.CSC, f *ldl.Factor) (*ldl.Factor, error) {
	if f.Flops() < leastEach*float64(k.NNZ()) {
		return f, nil
	}
	stage, err := Stages(ctx, k.Cols, k.ColPtr, k.RowIdx, int(narrow*float64(f.Front())))
	if err != nil || stage == nil {
		return f, err
	}
	perm, err := amd.OrderStages(ctx, k.Cols, k.ColPtr, k.RowIdx, stage)
	if err != nil {
		return f, err
	}
	g, err := ldl.Count(ctx, k, perm)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	if err != nil || f.Flops() <= g.Flops() {
		return f, nil
	}
	return g, nil
}
