//go:build lean

package search

// Decisions are not part of the engine of the playground.
type Decisions struct {
	Around
	Off bool
}

// Next has no move.
func (d *Decisions) Next(*Point) (Move, bool) { return Move{}, false }
