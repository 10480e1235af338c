package report

import (
	"fmt"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// floor is the time below which differences come from the clock.
const floor = 1e-5

// HasProfile says whether there are several problems and several contenders to
// compare on them.
func (g *Group) HasProfile() bool { return len(g.Contenders) > 1 && len(g.complete()) > 1 }

// Plot draws the performance profile of the group to each path, in the format
// of its ending.
func (g *Group) Plot(opt Options, paths ...string) error {
	title := fmt.Sprintf("%s: problems solved at %s, of %d", g.Name, short(opt.Level), len(g.complete()))
	xLabel := chart.ClockName(opt.Clock) + " time, in multiples of that of the fastest"
	return chart.Profile(title, xLabel, g.Contenders, stats.Ratios(g.Times(opt.Level, opt.Clock), floor), paths...)
}
