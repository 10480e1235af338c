package shared

import "testing"

// Sample is all, or under the race detector every so many of them: for tests whose
// subject is numbers and not goroutines, which run in whole without it.
func Sample[T any](t testing.TB, every int, all []T) []T {
	t.Helper()
	if !Race {
		return all
	}
	var some []T
	for i := 0; i < len(all); i += every {
		some = append(some, all[i])
	}
	t.Logf("%d of %d: the race detector is on", len(some), len(all))
	return some
}

// Times is n, or under the race detector one of every so many.
func Times(n, every int) int {
	if Race {
		return n / every
	}
	return n
}
