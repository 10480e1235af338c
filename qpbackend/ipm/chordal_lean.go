//go:build lean

package ipm

import (
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// reduced is b: semidefinite cones stay whole.
func reduced(b qpbackend.Backend) qpbackend.Backend { return b }

// semidefinite is that of other builds.
func semidefinite(p *qpbackend.Problem) kkt.Cost {
	lay := newLayout(p)
	return kkt.CostOf(lay.at, lay.blocks(p))
}
