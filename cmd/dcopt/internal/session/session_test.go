package session

import (
	"context"
	"errors"
	"testing"
)

// TestBriefly: work that looks at its context gives its own answer after the end, and work that
// does not is left to itself.
func TestBriefly(t *testing.T) {
	for _, wait := range []func(context.Context, func() (int, error)) (int, error){Briefly[int], Within[int]} {
		ctx, cancel := context.WithCancel(context.Background())
		v, err := wait(ctx, func() (int, error) {
			cancel()
			<-ctx.Done()
			return 3, ctx.Err()
		})
		if v != 3 || !errors.Is(err, context.Canceled) {
			t.Errorf("work that ends: %d, %v", v, err)
		}
		never := make(chan bool)
		v, err = wait(ctx, func() (int, error) {
			<-never
			return 4, nil
		})
		if v != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("work that does not end: %d, %v", v, err)
		}
		close(never)
	}
}
