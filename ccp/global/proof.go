package global

import (
	"github.com/dcopt/dcopt/ccp/global/internal/flat"
	"github.com/dcopt/dcopt/ccp/global/internal/spatial"
	"github.com/dcopt/dcopt/dc"
)

// Proof is the tree of a search over intervals, with the multipliers of its leaves.
type Proof struct {
	p        *flat.Problem
	tree     *spatial.Tree
	upper    float64
	lower    float64
	maximize bool
	vars     []*dc.Variable
}
