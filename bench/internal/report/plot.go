package report

import (
	"fmt"

	"github.com/dcopt/dcopt/bench/internal/chart"
	"github.com/dcopt/dcopt/bench/internal/stats"
)

// floor is the time below which differences are those of the clock.
const floor = 1e-5

// Plot draws the performance profile of the group to each path, in the format
// of its ending.
func (g *Group) Plot(opt Options, paths ...string) error {
	title := fmt.Sprintf("%s: %d problems solved at %s", g.Name, len(g.complete()), short(opt.Level))
	xLabel := "at most this many times the " + chart.ClockName(opt.Clock) + " time of the fastest"
	return chart.Profile(title, xLabel, g.Contenders, stats.Ratios(g.Times(opt.Level, opt.Clock), floor), paths...)
}
