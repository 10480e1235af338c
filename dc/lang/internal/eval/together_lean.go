//go:build lean

package eval

import (
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// Together does nothing: a playground has small problems.
func (ev *Evaluator) Together(*syntax.Node) {}

// SumTogether adds nothing up.
func (ev *Evaluator) SumTogether(*syntax.Node) (v value.Value, ok bool) { return v, false }

// Repeats adds nothing: a playground has small problems.
type Repeats struct{}

func NewRepeats(*Evaluator, []*syntax.Node, []syntax.Kind) *Repeats { return nil }

func (*Repeats) Add() bool  { return false }
func (*Repeats) Stated(int) {}

// Columns are none.
type Columns struct{}

func (*Repeats) AddColumns(*Columns) bool        { return false }
func (*Columns) Member(*syntax.Node, *Rows) bool { return false }
func (*Columns) Len() int                        { return 0 }

// LoopColumns is Loop.
func (ev *Evaluator) LoopColumns(n *syntax.Node, bs []syntax.Binder, cond *syntax.Node, body func(), _ func(*Columns) bool) {
	ev.Loop(n, bs, cond, body)
}
