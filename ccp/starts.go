package ccp

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/ccp/internal/saa"
	"github.com/dcopt/dcopt/internal/program"
)

// known has bounds of the variables, and the best point of earlier waves.
type known struct {
	lo, hi []float64
	lead   *Result
	early  early
}

// early is the point to which samples have led before the first start.
type early struct {
	looked bool
	x      []float64 // nil: to nothing lower than start 0
}

// wave is the number of starts that run before the best of them counts for others.
// Source: table of docs/lab/ccp.md.
const wave = 8

// startSeeds draws the seeds of the starts after the first.
func startSeeds(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x7374)) // stream "st": each use of the seed has its own
}

// drawn draws starting point i > 0: p.Start(seed), with the entries that are
// the same for every seed moved.
func drawn(p *program.Problem, seed uint64) []float64 {
	x := p.Start(seed)
	rng := rand.New(rand.NewPCG(seed, 0x6172)) // stream "ar": each use of the seed has its own
	lo, hi := p.Box()
	for _, v := range p.Vars {
		if v.Start.Kind != program.StartValues {
			continue
		}
		size := 0.0
		for _, s := range v.Start.Values {
			if !math.IsNaN(s) {
				size += s * s
			}
		}
		size = math.Sqrt(size / float64(max(1, v.Len())))
		for k, s := range v.Start.Values {
			if math.IsNaN(s) {
				continue
			}
			dev := max(size, math.Abs(s))
			if dev == 0 {
				dev = 1
			}
			j := v.Offset + k
			x[j] = min(max(s+dev*rng.NormFloat64(), lo[j]), hi[j])
		}
	}
	return x
}

// spread moves the entries of x without a starting value, and of every fourth start those with one,
// to places between their bounds that are spread evenly over the starts of a wave.
func (k *known) spread(p *program.Problem, x []float64, seed, waves uint64, start int) {
	rng := rand.New(rand.NewPCG(seed, 0x7370)) // stream "sp": each use of the seed has its own
	lo, hi := p.Box()
	if k.lo != nil {
		lo, hi = k.lo, k.hi
	}
	for _, v := range p.Vars {
		if v.Param || v.Start.Kind != program.StartUnset && (v.Start.Kind != program.StartValues || start%4 != 2) {
			continue
		}
		for e := range v.Len() {
			j := v.Offset + e
			if width := hi[j] - lo[j]; width < widest {
				places := rand.New(rand.NewPCG(waves+uint64(start/wave), uint64(j))).Perm(wave)
				x[j] = lo[j] + width*(float64(places[start%wave])+rng.Float64())/wave
			}
		}
	}
	p.Settle(x)
}

// widest is the width of a range from which on it says nothing of where minima are. Source: as of
// program.Problem.Start.
const widest = 0x1p53

// fromSamples is start 1 of a large sum: the point that samples of it lead to, if it is lower than
// start 0; else nil.
func fromSamples(ctx context.Context, p *program.Problem, set Settings) (x []float64) {
	if !set.Heuristics.Sample {
		return nil
	}
	defer func() {
		if recover() != nil { // a user's function, which panics again in the run
			x = nil
		}
	}()
	seeds := startSeeds(set.Seed)
	stage := saa.Stage{Problem: p, Seed: set.Seed, Ended: func() bool { return ctx.Err() != nil },
		Draw: func(i int) []float64 {
			if i == 0 {
				return clippedToBox(p, p.Start(set.Seed))
			}
			return clippedToBox(p, drawn(p, seeds.Uint64()))
		}}
	if best, lower := stage.Best(); lower {
		return best
	}
	return nil
}
