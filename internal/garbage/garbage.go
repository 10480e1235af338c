package garbage

import (
	"os"
	"runtime/debug"

	"github.com/dcopt/dcopt/qpbackend"
)

// Mind collects garbage as often as suits a work on so many numbers. Of many, a fit or a solve has
// a few large slices without pointers, so collections are cheap, and there should be no second
// copy's worth of garbage between them. Of few, the heap is small whatever the garbage, and
// collections take time. The function it returns ends that.
func Mind(numbers int) (restore func()) {
	const (
		large, small = 1 << 20, 1 << 17
		percent      = 10 // Source: a limit on which no answer depends; TestFitMemory has the peak
		// Source: the families of dcbench dc take .92 of the processor time of 100, in the same
		// memory; solves of the 66 files of Maros and Meszaros .97, reading included, in 1.1 of it
		seldom = 400
	)
	to := percent
	switch {
	case os.Getenv("GOGC") != "" || numbers < large && numbers > small:
		return func() {}
	case numbers <= small:
		to = seldom
	}
	before := debug.SetGCPercent(to)
	return func() { debug.SetGCPercent(before) }
}

// Numbers is how many numbers p holds.
func Numbers(p *qpbackend.Problem) int {
	n := len(p.Q) + len(p.Lo) + len(p.Hi) + len(p.L) + len(p.U)
	if p.P != nil {
		n += p.P.NNZ()
	}
	if p.A != nil {
		n += p.A.NNZ()
	}
	return n
}
