package shared

import (
	"context"
	"sync"
)

// Countdown is a context for tests that ends with err at the look after so many.
func Countdown(left int, err error) context.Context {
	return &countdown{Context: context.Background(), left: left, err: err}
}

type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
	err  error
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.left--
		return nil
	}
	return c.err
}
