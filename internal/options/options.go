package options

import (
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// Settings are the defaults with the options of a file in their place, and the number of
// starts, which may be ccp.Automatic. The backend is left to the caller, who knows which
// there are; the caller also validates.
func Settings(file lang.ProblemOptions) (set ccp.Settings, starts int, err error) {
	set, starts = ccp.DefaultSettings(), ccp.Automatic
	Override(&set.Tau0, file.Tau)
	Override(&set.TauMax, file.TauMax)
	if file.Tau != nil || file.TauMax != nil { // as written, not in multiples of the problem's scale
		set.TauRelative = false
		switch {
		case file.TauMax == nil:
			set.TauMax = max(set.TauMax, set.Tau0)
		case file.Tau == nil:
			set.Tau0 = min(set.Tau0, set.TauMax)
		}
	}
	Override(&set.Mu, file.Mu)
	Override(&set.MaxIter, file.MaxIter)
	Override(&set.Tol, file.Tol)
	Override(&set.FeasTol, file.FeasTol)
	Override(&set.Seed, file.Seed)
	Override(&starts, file.Restarts)
	if file.Effort != nil {
		if set.Effort, err = ccp.ParseEffort(*file.Effort); err != nil {
			err = fmt.Errorf("option effort: %w", err)
		}
	}
	return set, starts, err
}

// Override sets *dst to *v; nil: nothing is stated, and *dst stays.
func Override[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}
