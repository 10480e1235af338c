package poll_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dcopt/dcopt/internal/poll"
)

func TestErr(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := poll.New(ctx)
	cancel()
	if err := p.Err(poll.Interval - 1); err != nil {
		t.Errorf("%v before it is time", err)
	}
	if err := p.Err(1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := p.Err(1); err != nil {
		t.Errorf("%v just after a look", err)
	}
	if err := p.Err(1 << 40); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
