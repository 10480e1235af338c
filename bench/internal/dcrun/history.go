package dcrun

import "github.com/dcopt/dcopt/bench/internal/csvtable"

// History are the iterations of a run, by the solver's own account; NaN where it does not say.
type History struct {
	Group      string    `csv:"group" key:"place"` // as in Row, the next three too
	Problem    string    `csv:"problem" key:"place"`
	Part       string    `csv:"part" key:"place"`
	Solver     string    `csv:"solver" key:"place"`
	Version    string    `csv:"version"`
	Objectives []float64 `csv:"objectives,12"`
	Violations []float64 `csv:"violations,6"` // as many
}

// ReadHistories returns the histories in the file at path, the last of each place.
func ReadHistories(path string) ([]History, error) {
	all, err := csvtable.Read[History](path)
	return csvtable.Latest(all), err
}
