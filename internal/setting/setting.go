package setting

import (
	"fmt"
	"math"
)

// Checks are the checks of a struct; the first that fails counts.
type Checks struct {
	of  string
	err error
}

// Of begins the checks of a struct, such as "ccp: Settings".
func Of(name string) *Checks { return &Checks{of: name} }

// Err is the error of the first check that has failed, nil where none has.
func (c *Checks) Err() error { return c.err }

// That refuses the value of a field unless ok; want names the good values.
func (c *Checks) That(ok bool, field string, value any, want string) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("%s.%s = %v, want %s", c.of, field, value, want)
	}
}

// Positive refuses all but positive finite numbers.
func (c *Checks) Positive(field string, v float64) {
	c.That(v > 0 && v <= math.MaxFloat64, field, v, "> 0")
}

// NotNegative refuses negative numbers, NaN and infinity.
func (c *Checks) NotNegative(field string, v float64) {
	c.That(v >= 0 && v <= math.MaxFloat64, field, v, "at least 0")
}

// Between refuses all but lo < v < hi.
func (c *Checks) Between(lo float64, field string, v, hi float64) {
	if !(v > lo && v < hi) { // the text is made where it is needed: settings are checked at every solve
		c.That(false, field, v, fmt.Sprintf("%g < %s < %g", lo, field, hi))
	}
}

// AtLeast refuses numbers below least.
func (c *Checks) AtLeast(field string, v, least int) {
	if v < least {
		c.That(false, field, v, fmt.Sprintf("at least %d", least))
	}
}
