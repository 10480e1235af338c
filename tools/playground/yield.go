package playground

import (
	"context"
	"sync"
	"time"
)

// yielding is a context that, when it is asked whether it has ended, now and then lets
// others run. A browser's engine has one thread and is not preempted: a message or a timer
// that would end the context has no turn otherwise. The engine asks about once a
// millisecond.
type yielding struct {
	context.Context
	every time.Duration

	mu   sync.Mutex
	last time.Time
}

// Yielding makes a context of ctx that sleeps for a moment, if that long ago it did so
// last, where its Err is called.
func Yielding(ctx context.Context, every time.Duration) context.Context {
	return &yielding{Context: ctx, every: every, last: time.Now()}
}

func (y *yielding) Err() error {
	y.mu.Lock()
	due := time.Since(y.last) >= y.every
	if due {
		y.last = time.Now()
	}
	y.mu.Unlock()
	if due {
		time.Sleep(time.Nanosecond)
	}
	return y.Context.Err()
}

// limited is a context with a deadline, which Err compares with the clock itself: no timer
// has to run.
type limited struct {
	context.Context // ends by a timer, too
	parent          context.Context
}

// ctxWithin ends ctx after a time. Unlike the context of context.WithTimeout, its Err asks ctx.
func ctxWithin(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	timed, stop := context.WithTimeout(ctx, d)
	return &limited{timed, ctx}, stop
}

func (l *limited) Err() error {
	if err := l.parent.Err(); err != nil {
		return err
	}
	if end, _ := l.Deadline(); !time.Now().Before(end) {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}
