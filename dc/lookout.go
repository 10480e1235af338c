package dc

import "context"

// lookout looks at a context now and then.
type lookout struct {
	ctx  context.Context
	left int
}

// looksApart is how many constraints are worked on between two looks at the context.
// Source: some 1 ms for constraints with a few terms.
const looksApart = 256

// ended is the error of the context, looked at once in a while.
func (l *lookout) ended() error {
	if l.left--; l.left > 0 {
		return nil
	}
	l.left = looksApart
	return l.ctx.Err()
}
