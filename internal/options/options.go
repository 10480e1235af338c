package options

import (
	"fmt"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/setting"
)

// Settings are the defaults with those that are given in their place, and the number of
// starts, which may be ccp.Automatic. The backend is left to the caller, who knows which
// there are; the caller also validates.
func Settings(g setting.Given) (set ccp.Settings, starts int, err error) {
	set, starts = ccp.DefaultSettings(), ccp.Automatic
	g.To(&set)
	if g.Starts != nil {
		starts = *g.Starts
	}
	if g.Tau0 != nil || g.TauMax != nil { // as written, not in multiples of the problem's scale
		set.TauRelative = g.TauRelative != nil && *g.TauRelative
		switch {
		case g.TauMax == nil:
			set.TauMax = max(set.TauMax, set.Tau0)
		case g.Tau0 == nil:
			set.Tau0 = min(set.Tau0, set.TauMax)
		}
	}
	if g.Effort != nil {
		if set.Effort, err = ccp.ParseEffort(*g.Effort); err != nil {
			err = fmt.Errorf("option effort: %w", err)
		}
	}
	return set, starts, err
}
