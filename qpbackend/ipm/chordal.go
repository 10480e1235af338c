package ipm

import (
	"context"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/chordal"
	"github.com/dcopt/dcopt/qpbackend/internal/facial"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
	"github.com/dcopt/dcopt/qpbackend/presolve"
	"github.com/dcopt/dcopt/qpbackend/reduce"
)

// leastInPieces is the order of a semidefinite cone from which pieces are thought of.
// Source: a limit of time: below it an iteration takes less than a tenth of a millisecond as it is.
const leastInPieces = 30

func large(c qpbackend.Cone) bool {
	return c.Kind == qpbackend.Semidefinite && c.Len >= leastInPieces*(leastInPieces+1)/2
}

// trees of the semidefinite cones of p that cost less in pieces, by the pattern of p: cost is the
// cost of all their pieces. There is no list where no cone has one. p must have a matrix A.
func trees(ctx context.Context, p *qpbackend.Problem,
	pattern chordal.Pattern) (list []chordal.Part, cost kkt.Cost, err error) {
	lay := newLayout(p)
	blocks := lay.blocks(p)
	price := func(order, outer int, border float64) float64 { return kkt.PieceCost(order, outer, border).Work }
	for k, c := range p.Cones {
		if !large(c) {
			continue
		}
		least, border, chosen := kkt.CostOf(lay.at, blocks[k:k+1]).Work, 0.0, chordal.Part{}
		for _, o := range [...]chordal.Part{{}, {Completion: true}} {
			in := pattern.Sum
			if o.Completion {
				in = pattern.Completion
			}
			if !slices.Contains(in[c.Start:][:c.Len], false) {
				continue
			}
			if o.Tree, err = chordal.TreeOf(ctx, in, c, price); err != nil {
				return nil, cost, fmt.Errorf("ipm: %w", err)
			}
			if o.Tree.Cost(price, 0) >= least {
				continue
			}
			spread := float64(o.Spread(p, c))
			if now := o.Tree.Cost(price, spread); now < least {
				least, border, chosen = now, spread, o
			}
		}
		if chosen.Tree == nil {
			continue
		}
		if list == nil {
			list = make([]chordal.Part, len(p.Cones))
		}
		list[k] = chosen
		for _, q := range chosen.Tree.Cliques {
			one := kkt.PieceCost(len(q.Vertices), q.Outer, border)
			cost.Bytes, cost.Work = cost.Bytes+one.Bytes, cost.Work+one.Work
		}
	}
	return list, cost, nil
}

// reduced is b with proofs by diagonals of semidefinite cones, with their faces and their pieces
// before it.
func reduced(b qpbackend.Backend) qpbackend.Backend {
	pieces := chordal.Reduction{Trees: func(ctx context.Context, p *qpbackend.Problem, pattern chordal.Pattern,
	) ([]chordal.Part, error) {
		if !slices.ContainsFunc(p.Cones, large) {
			return nil, nil
		}
		list, _, err := trees(ctx, p, pattern)
		return list, err
	}}
	return reduce.Chain(b, presolve.Diagonals{}, facial.Reduction{}, pieces)
}

// semidefinite is the estimate of Semidefinite for a p with rows.
func semidefinite(p *qpbackend.Problem) kkt.Cost {
	list, cost, _ := trees(context.Background(), p, chordal.PatternOf(p))
	lay := newLayout(p)
	blocks := lay.blocks(p)
	if list == nil {
		return kkt.CostOf(lay.at, blocks)
	}
	var others []kkt.Block
	for k, b := range blocks {
		if list[k].Tree == nil {
			others = append(others, b)
		} else {
			n := float64(b.Order) // the completion, and its certificate
			cost.Bytes += 8 * n * n * completed
		}
	}
	rest := kkt.CostOf(lay.at, others)
	return kkt.Cost{Bytes: cost.Bytes + rest.Bytes, Work: cost.Work + rest.Work}
}

// completed are the matrices of the order of a cone in pieces that are held at once at the end,
// with the problem's own rows. Source: derived: the completion and three of the projection, and
// half a matrix for each of 14 vectors of rows.
const completed = 11
