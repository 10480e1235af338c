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
