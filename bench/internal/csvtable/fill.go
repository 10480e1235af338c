package csvtable

import (
	"context"
	"runtime"
	"sync"
)

// Tell is told of the progress before each measurement, one call at a time, and at the end
// without names; nil: nobody is.
type Tell = func(done, all int, instance, contender string)

// Task is a measurement. Row has the fields of its terms; Measure fills the others.
type Task[R any] struct {
	Row                 R
	Instance, Contender string // for Tell
	Measure             func(ctx context.Context, row R) (R, error)
}

// Fill makes the measurements whose terms no row of the table has, so many at a time, 0 for as
// many as there are processors. It returns ctx.Err() if it was interrupted; an interrupted
// measurement has no row.
func Fill[R any](ctx context.Context, table *Table[R], tasks []Task[R], workers int, tell Tell) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if tell == nil {
		tell = func(int, int, string, string) {}
	}
	have := map[string]bool{}
	for _, r := range Latest(table.Rows) {
		have[table.format.key(r, terms)] = true
	}
	var todo []Task[R]
	for _, t := range tasks {
		if !have[table.format.key(t.Row, terms)] {
			todo = append(todo, t)
		}
	}
	done := len(tasks) - len(todo)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := 0
	for range min(workers, len(todo)) {
		wait.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for next < len(todo) && ctx.Err() == nil {
				t := todo[next]
				tell(done+next, len(tasks), t.Instance, t.Contender)
				next++
				mu.Unlock()
				row, err := t.Measure(ctx, t.Row)
				mu.Lock()
				if ctx.Err() == nil && err == nil {
					err = table.Add(row)
				}
				if err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	tell(len(tasks), len(tasks), "", "")
	return nil
}

// Last returns a function that makes the value of the k-th instance when it is first asked for it,
// and keeps the last value alone.
func Last[T any](value func(k int) (T, error)) func(k int) (T, error) {
	var last T
	at := -1
	return func(k int) (T, error) {
		if k == at {
			return last, nil
		}
		v, err := value(k)
		if err == nil {
			last, at = v, k
		}
		return v, err
	}
}
