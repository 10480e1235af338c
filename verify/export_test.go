package verify

// SetRoom bounds the ends of intervals of a proof's nodes under way.
func (p *Problem) SetRoom(n int) { p.room = n }
