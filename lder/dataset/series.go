package dataset

// series is a slice that grows in chunks: its numbers are not copied until all
// is known, and then chunk by chunk, so that a large one never needs its size
// several times over.
type series[T any] struct {
	full [][]T // of chunkLen
	last []T
}

// Source: derived: 256 kB of float64, which a second-level cache holds.
const chunkLen = 1 << 15

func (s *series[T]) add(v T) {
	if len(s.last) == chunkLen {
		s.full = append(s.full, s.last)
		s.last = make([]T, 0, chunkLen)
	}
	s.last = append(s.last, v)
}

func (s *series[T]) len() int { return len(s.full)*chunkLen + len(s.last) }

// join returns all in one piece and empties s.
func (s *series[T]) join() []T {
	out := s.last
	if len(s.full) > 0 {
		out = make([]T, 0, s.len())
		for k, chunk := range s.full {
			out = append(out, chunk...)
			s.full[k] = nil // its memory may be reused by the next column
		}
		out = append(out, s.last...)
	}
	*s = series[T]{}
	return out
}
