package dcrun

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// Step is where a solver stood after an iteration, by its own account; NaN where
// it does not say.
type Step struct{ Objective, Violation float64 }

// History are the iterations of a run.
type History struct {
	Group, Problem, Part, Solver string // as in Row
	Version                      string
	Steps                        []Step
}

// Place identifies a history: a later one of the same place replaces it.
func (h History) Place() string {
	return Row{Group: h.Group, Problem: h.Problem, Part: h.Part, Solver: h.Solver}.Place()
}

// Histories is a file of them.
type Histories = csvtable.Table[History]

// historyFormat has the numbers of all iterations in a field, between blanks.
func historyFormat() csvtable.Format[History] {
	return csvtable.Format[History]{
		Header: []string{"group", "problem", "part", "solver", "version", "objectives", "violations"},
		Record: func(h History) []string {
			var objectives, violations []string
			for _, s := range h.Steps {
				objectives = append(objectives, strconv.FormatFloat(s.Objective, 'g', 12, 64))
				violations = append(violations, strconv.FormatFloat(s.Violation, 'g', 6, 64))
			}
			return []string{h.Group, h.Problem, h.Part, h.Solver, h.Version, strings.Join(objectives, " "),
				strings.Join(violations, " ")}
		},
		Parse: func(rec []string) (History, error) {
			h := History{Group: rec[0], Problem: rec[1], Part: rec[2], Solver: rec[3], Version: rec[4]}
			objectives, violations := strings.Fields(rec[5]), strings.Fields(rec[6])
			if len(objectives) != len(violations) {
				return h, fmt.Errorf("%d objectives and %d violations", len(objectives), len(violations))
			}
			for k := range objectives {
				objective, err := strconv.ParseFloat(objectives[k], 64)
				if err != nil {
					return h, fmt.Errorf("objectives: %w", err)
				}
				violation, err := strconv.ParseFloat(violations[k], 64)
				if err != nil {
					return h, fmt.Errorf("violations: %w", err)
				}
				h.Steps = append(h.Steps, Step{objective, violation})
			}
			return h, nil
		},
	}
}

// OpenHistories reads the file at path, or makes it; fresh empties it.
func OpenHistories(path string, fresh bool) (*Histories, error) {
	return csvtable.Open(path, fresh, historyFormat())
}

// ReadHistories returns the histories in the file at path, the last of each place.
func ReadHistories(path string) ([]History, error) {
	all, err := csvtable.Read(path, historyFormat())
	return csvtable.Latest(all, History.Place), err
}
