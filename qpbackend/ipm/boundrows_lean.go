//go:build lean

package ipm

import (
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/equil"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// generalRows are those of other builds: here all rows stay rows, which takes more time alone.
type generalRows struct{ a *sparse.CSC }

func newGeneralRows(p *qpbackend.Problem, _ []int) generalRows                    { return generalRows{p.A} }
func (generalRows) take(*sparse.CSC)                                              {}
func (generalRows) row(i int) int                                                 { return i }
func (generalRows) hold(*qpbackend.Problem) bool                                  { return true }
func (generalRows) variable(p *qpbackend.Problem, j int) (lo, up float64)         { return p.Bounds(j) }
func (generalRows) handOver(*qpbackend.Problem, []float64, []float64)             {}
func (generalRows) takeOver(*qpbackend.Problem, []float64, []float64)             {}
func (generalRows) stated(_ *qpbackend.Problem, sc *equil.Scaling) *equil.Scaling { return sc }
