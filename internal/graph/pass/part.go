package pass

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// partSize is how many members are added up by one processor. Source: a limit of time: starting
// work on another processor takes some microseconds, and a part of simple members some hundred.
const partSize = 64 * block

// Parts is in how many parts sums over the members are computed. They are added in order, so that
// sums do not depend on how many processors there are.
func (p *Plan) Parts() int { return (p.N + partSize - 1) / partSize }

// EachPart calls do with the number of each part and its members, from lo to hi, on all processors.
func (p *Plan) EachPart(do func(k, lo, hi int)) {
	parts := p.Parts()
	one := func(k int) { do(k, k*partSize, min((k+1)*partSize, p.N)) }
	workers := min(parts, runtime.GOMAXPROCS(0))
	if workers < 2 {
		for k := range parts {
			one(k)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < parts; k = int(next.Add(1)) - 1 {
				one(k)
			}
		})
	}
	all.Wait()
}
