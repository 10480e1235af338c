package poll

import "context"

// Poll counts the work since the context was looked at last. It lives as long as
// the call that makes it.
type Poll struct {
	ctx  context.Context
	left int
}

// Interval is the work, in multiplications, between two looks: about a
// millisecond, where a look takes some ten nanoseconds.
// Source: derived from the promise that a context ends a solve within half a second: a
// look per millisecond is far below it and costs 1e-5 of the time.
const Interval = 1 << 20

// Scattered is the count of an entry where memory is not read in order. Source: a limit of time:
// some nanoseconds instead of one.
const Scattered = 8

// New looks at ctx for the first time after Interval.
func New(ctx context.Context) Poll { return Poll{ctx, Interval} }

// Err counts work and is ctx.Err() where it is time to look, else nil.
func (p *Poll) Err(work int) error {
	if p.left -= work; p.left > 0 {
		return nil
	}
	p.left = Interval
	return p.ctx.Err()
}
