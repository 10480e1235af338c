package lder

import (
	"fmt"

	"github.com/dcopt/dcopt/lder/ensemble"
)

// Stack is a weighted sum of clipped l-DERs and of clipped sums of them,
//
//	Σ_c Σ_s weight_s · clip(τ_1(x) + … + τ_{after_s}(x)),
//
// over chains c and their stops s: again a difference of sums of maxima of
// affine functions, continuous and piecewise linear.
type Stack struct {
	Chains []Chain
}

// Chain is a sequence of l-DERs whose partial sums are used.
type Chain struct {
	Parts []Part
	Stops []Stop // by ascending After
}

// Part is an l-DER of some of the features, or a tree: a sum of l-DERs, one for each
// leaf.
type Part struct {
	Model *Model
	// Features are the numbers of the features of Model; nil: all.
	Features []int
	// Tree is there in the place of Model.
	Tree *Tree
}

// Tree is a sum of l-DERs, one for each leaf.
type Tree = ensemble.Tree

// Each calls f with the l-DERs of the part and the numbers of their features, nil: all.
func (p *Part) Each(f func(m *Model, features []int)) {
	if p.Tree == nil {
		f(p.Model, p.Features)
		return
	}
	for _, q := range p.Tree.Parts() {
		f(modelOf(q.Pieces, q.R1, len(q.Features)+1), q.Features)
	}
}

// Stop is a term: Weight times the clipped sum of the first After parts.
type Stop = ensemble.Stop

// Range is an interval that predictions are clipped to.
type Range = ensemble.Range

// Unclipped is the range from −Inf to +Inf, which clips nothing.
func Unclipped() Range { return ensemble.Unclipped() }

// Predict is the value at x, of n features, with its terms clipped to r.
// scratch has room for n numbers.
func (e *Stack) Predict(x []float64, r Range, scratch []float64) float64 {
	sum := 0.0
	for c := range e.Chains {
		chain := &e.Chains[c]
		at, f := 0, 0.0
		for _, s := range chain.Stops {
			for ; at < s.After; at++ {
				f += chain.Parts[at].predict(x, scratch)
			}
			sum += s.Weight * r.Clip(f)
		}
	}
	return sum
}

func (p *Part) predict(x, scratch []float64) float64 {
	if p.Tree != nil {
		return p.Tree.At(x)
	}
	if p.Features == nil {
		return p.Model.Predict(x)
	}
	scratch = scratch[:len(p.Features)]
	for k, j := range p.Features {
		scratch[k] = x[j]
	}
	return p.Model.Predict(scratch)
}

// Size returns the number of l-DERs, and of the pieces of both maxima of all of them.
func (e *Stack) Size() (models, pieces int) {
	for _, c := range e.Chains {
		for _, p := range c.Parts {
			p.Each(func(m *Model, _ []int) {
				r1, r2, _ := m.Dims()
				models, pieces = models+1, pieces+r1+r2
			})
		}
	}
	return models, pieces
}

func (e *Stack) hasTrees() bool {
	for _, c := range e.Chains {
		for _, p := range c.Parts {
			if p.Tree != nil {
				return true
			}
		}
	}
	return false
}

// Validate reports the first thing wrong with an ensemble of n features.
func (e *Stack) Validate(n int) error {
	if len(e.Chains) == 0 {
		return fmt.Errorf("lder: the ensemble is empty")
	}
	for c, chain := range e.Chains {
		for k, p := range chain.Parts {
			if p.Tree != nil && p.Model == nil && p.Features == nil {
				if err := p.Tree.Validate(n); err != nil {
					return fmt.Errorf("lder: part %d of chain %d: %w", k, c, err)
				}
				continue
			}
			if p.Model == nil || p.Tree != nil {
				return fmt.Errorf("lder: part %d of chain %d has not one model or one tree", k, c)
			}
			if err := p.Model.Validate(); err != nil {
				return fmt.Errorf("lder: part %d of chain %d: %w", k, c, err)
			}
			want := n
			if p.Features != nil {
				want = len(p.Features)
			}
			if _, _, got := p.Model.Dims(); got != want {
				return fmt.Errorf("lder: part %d of chain %d has %d slopes a piece for %d features", k, c, got, want)
			}
			for _, j := range p.Features {
				if j < 0 || j >= n {
					return fmt.Errorf("lder: part %d of chain %d has feature %d, want 0 to %d", k, c, j, n-1)
				}
			}
		}
		last := 0
		for _, s := range chain.Stops {
			if s.After <= last || s.After > len(chain.Parts) {
				return fmt.Errorf("lder: chain %d has a stop after %d of %d parts", c, s.After, len(chain.Parts))
			}
			if !finite(s.Weight) {
				return fmt.Errorf("lder: chain %d has a stop of weight %g", c, s.Weight)
			}
			last = s.After
		}
		if last != len(chain.Parts) {
			return fmt.Errorf("lder: chain %d ends after part %d, its last stop is after %d", c, len(chain.Parts), last)
		}
	}
	return nil
}

// rescale turns every partial sum f into s·f + c, and so the ensemble, whose
// weights sum to 1.
func (e *Stack) rescale(s, c float64) {
	for _, chain := range e.Chains {
		for k, p := range chain.Parts {
			if p.Tree != nil {
				p.Tree.Scale(s)
			} else if k == 0 {
				p.Model.rescale(s, c)
			} else {
				p.Model.rescale(s, 0)
			}
		}
	}
}
