package lang

import (
	"math"

	"github.com/dcopt/dcopt/internal/suggest"
)

// optionNames are the options, in the order in which messages list them.
var optionNames = []string{"tau", "mu", "tau_max", "max_iter", "tol", "feas_tol", "restarts", "seed", "backend", "time_limit"}

func (c *compiler) option(s *statement) {
	o := &c.out.Options
	switch s.name {
	case "tau":
		setReal(c, s, &o.Tau, 0)
	case "mu":
		setReal(c, s, &o.Mu, 1)
	case "tau_max":
		setReal(c, s, &o.TauMax, 0)
	case "tol":
		setReal(c, s, &o.Tol, 0)
	case "feas_tol":
		setReal(c, s, &o.FeasTol, 0)
	case "time_limit":
		setReal(c, s, &o.TimeLimit, 0)
	case "max_iter":
		setInt(c, s, &o.MaxIter, 1)
	case "restarts":
		setInt(c, s, &o.Restarts, 1)
	case "seed":
		setInt(c, s, &o.Seed, 0)
	case "backend":
		c.backend(s)
	default:
		help := ""
		guess := suggest.DidYouMean(s.name, optionNames)
		if guess == "" {
			help = "the options are tau, mu, tau_max, max_iter, tol, feas_tol, restarts, seed, backend and time_limit"
		}
		c.ev.fail(&node{span: s.at}, help, "unknown option %q%s", s.name, guess)
	}
}

// value of an option; it may use params.
func (c *compiler) optionValue(s *statement) float64 {
	if (&resolver{c: c}).known(s.value) {
		return c.ev.real(s.value, c.ev.operand(s.value), "the option "+s.name)
	}
	return math.NaN()
}

// known resolves an expression outside a statement's usual parts.
func (r *resolver) known(n *node) bool {
	r.visit(n)
	return !r.failed
}

func setReal(c *compiler, s *statement, dst **float64, above float64) {
	once(c, s, *dst != nil)
	v := c.optionValue(s)
	if v <= above {
		c.ev.fail(s.value, "", "the option %s must be greater than %g, not %g", s.name, above, v)
	}
	*dst = &v
}

func setInt[T int | uint64](c *compiler, s *statement, dst **T, least int) {
	once(c, s, *dst != nil)
	v := c.optionValue(s)
	if math.IsNaN(v) {
		return
	}
	k, ok := whole(v)
	if !ok || float64(k) != v {
		c.ev.fail(s.value, "", "the option %s must be a whole number, not %g", s.name, v)
	}
	if k < least {
		c.ev.fail(s.value, "", "the option %s must be at least %d, not %d", s.name, least, k)
	}
	t := T(k)
	*dst = &t
}

func once(c *compiler, s *statement, again bool) {
	if again {
		c.ev.fail(&node{span: s.at}, "", "the option %s is set twice", s.name)
	}
}

func (c *compiler) backend(s *statement) {
	once(c, s, c.out.Options.Backend != nil)
	n := s.value
	if (n.op != opName && n.op != opString) || n.name == "" {
		c.ev.fail(n, "write it as in backend = ipm", "the option backend is a name, not %s", c.ev.say(n))
	}
	c.out.Options.Backend = &n.name
}
