package session

import (
	"os"
	"runtime/debug"
)

// MindGarbage keeps the garbage small while work goes on with so many numbers, if they
// are many: a fit or a solve has them in a few large slices without pointers, so collections
// are cheap, and there should be no second copy's worth of garbage between them.
// The function it returns ends that.
func MindGarbage(numbers int) (restore func()) {
	const (
		large   = 1 << 20
		percent = 10 // Source: a limit on which no answer depends; TestFitMemory has the peak
	)
	if os.Getenv("GOGC") != "" || numbers < large {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
