package dense

import "context"

// Await is f(), or the error of ctx where that ends before. The call of f goes on then and
// is of no consequence: f only reads data that nobody changes, or its own.
func Await[T any](ctx context.Context, f func() T) (v T, err error) {
	if ctx.Done() == nil {
		return f(), nil
	}
	if err := ctx.Err(); err != nil {
		return v, err
	}
	type result struct {
		v     T
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover()
			done <- r
		}()
		r.v = f()
	}()
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		return r.v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	}
}
