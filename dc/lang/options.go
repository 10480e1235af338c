package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/internal/suggest"
)

// optionNames are the options, in the order in which messages list them.
var optionNames = []string{"tau", "mu", "tau_max", "max_iter", "tol", "feas_tol", "restarts", "effort", "seed",
	"backend", "time_limit"}

func (c *compiler) option(s *syntax.Statement) {
	o := &c.out.Options
	switch s.Name {
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
	case "effort":
		c.word(s, &o.Effort, "quick")
	case "backend":
		c.word(s, &o.Backend, "ipm")
	default:
		help := ""
		guess := suggest.DidYouMean(s.Name, optionNames)
		if guess == "" {
			help = "the options are tau, mu, tau_max, max_iter, tol, feas_tol, restarts, effort, seed, backend and " +
				"time_limit"
		}
		c.ev.Fail(&syntax.Node{Span: s.At}, help, "unknown option %q%s", s.Name, guess)
	}
}

// value of an option; it may use params.
func (c *compiler) optionValue(s *syntax.Statement) float64 {
	if (&resolver{c: c}).known(s.Value) {
		return c.ev.Real(s.Value, c.ev.Operand(s.Value), "the option "+s.Name)
	}
	return math.NaN()
}

// known resolves an expression outside a statement's usual parts.
func (r *resolver) known(n *syntax.Node) bool {
	r.visit(n)
	return !r.failed
}

func setReal(c *compiler, s *syntax.Statement, dst **float64, above float64) {
	once(c, s, *dst != nil)
	v := c.optionValue(s)
	if v <= above {
		c.ev.Fail(s.Value, "", "the option %s must be greater than %g, not %g", s.Name, above, v)
	}
	*dst = &v
}

func setInt[T int | uint64](c *compiler, s *syntax.Statement, dst **T, least int) {
	once(c, s, *dst != nil)
	v := c.optionValue(s)
	if math.IsNaN(v) {
		return
	}
	k, ok := eval.Whole(v)
	if !ok || float64(k) != v {
		c.ev.Fail(s.Value, "", "the option %s must be a whole number, not %g", s.Name, v)
	}
	if k < least {
		c.ev.Fail(s.Value, "", "the option %s must be at least %d, not %d", s.Name, least, k)
	}
	t := T(k)
	*dst = &t
}

func once(c *compiler, s *syntax.Statement, again bool) {
	if again {
		c.ev.Fail(&syntax.Node{Span: s.At}, "", "the option %s is set twice", s.Name)
	}
}

// word is the value of an option that is a name, such as example.
func (c *compiler) word(s *syntax.Statement, dst **string, example string) {
	once(c, s, *dst != nil)
	n := s.Value
	if (n.Op != syntax.OpName && n.Op != syntax.OpString) || n.Name == "" {
		c.ev.Fail(n, "write it as in "+s.Name+" = "+example, "the option %s is a name, not %s", s.Name, c.ev.Say(n))
	}
	*dst = &n.Name
}
