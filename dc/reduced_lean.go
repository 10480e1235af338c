//go:build lean

package dc

// ReducedRange is the range of c, without the affine equations: the engine of the playground does without rational numbers, a
// range is wider there and proves less.
func (p *Problem) ReducedRange(c *Constraint) Interval { return c.E().Range() }

func (p *Problem) reduce() map[int]Linear { return nil }
