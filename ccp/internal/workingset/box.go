package workingset

// box is where the columns that are no terms may be in a problem of samples, around a point near
// its least one: the boxstep method (Marsten, Hogan and Blankenship 1975). The rows of the set
// leave some columns nearly free, as where a piece is the largest at no sample nearby.
// Without a box the interior point method ends in the middle of where these may be, far away, and
// breaks thousands of absent rows.
type box struct {
	centre []float64
	half   float64 // of its widths, in parts of the ranges of the columns
}

const (
	// firstHalf is the half-width at first. Source: a limit of speed: docs/lab/large.md, "The box".
	firstHalf = 0x1p-10
	// larger is the factor by which it grows where it stops the point. Source: derived: in two
	// steps it is everywhere.
	larger = 0x1p5
)

func (b *box) recentre(x []float64, half float64) {
	b.centre, b.half = append(b.centre[:0], x...), half
}

// within are the bounds of column j in the smaller problem.
func (s *working) within(j int) (lo, hi float64) {
	lo, hi = s.p.Lo[j], s.p.Hi[j]
	if s.sampled && s.state[j] == common {
		at, w := min(max(s.centre[j], lo), hi), s.half*(hi-lo)
		lo, hi = max(lo, at-w), min(hi, at+w)
	}
	return lo, hi
}

// enlarge makes the box larger, around the point; it returns false where there is no more room.
func (s *working) enlarge() bool {
	if !s.sampled || s.half >= 1 {
		return false
	}
	s.recentre(s.x, s.half*larger)
	s.stale = true
	return true
}
