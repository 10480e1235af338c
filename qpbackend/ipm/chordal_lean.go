//go:build lean

package ipm

import (
	"context"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/base"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// newSplit is that of other builds: here semidefinite cones stay whole.
func newSplit(context.Context, base.Solver, Backend) (*solver, error) { return nil, nil }

// semidefinite is that of other builds.
func semidefinite(p *qpbackend.Problem) kkt.Cost {
	lay := newLayout(p)
	return kkt.CostOf(lay.at, lay.blocks(p))
}
