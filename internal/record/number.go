package record

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dcopt/dcopt/internal/table"
)

// Number is a number that JSON may lack: infinite ones and NaN are texts. Package report writes
// null for them.
type Number float64

// N is a pointer to v.
func N(v float64) *Number { return (*Number)(&v) }

// Float is the number, NaN where there is none.
func (v *Number) Float() float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}

// MarshalJSON writes a number, or one of "inf", "-inf" and "nan".
func (v Number) MarshalJSON() ([]byte, error) {
	switch x := float64(v); {
	case math.IsNaN(x):
		return []byte(`"nan"`), nil
	case math.IsInf(x, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-inf"`), nil
	}
	return strconv.AppendFloat(nil, float64(v), 'g', -1, 64), nil
}

// UnmarshalJSON reads the form of MarshalJSON.
func (v *Number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	x, ok := table.Float(s)
	if !ok {
		return fmt.Errorf("%s is no number", b)
	}
	*v = Number(x)
	return nil
}

// Numbers are v, nil where v is.
func Numbers(v []float64) []Number { return converted[Number](v) }

// Floats are v, nil where v is.
func Floats(v []Number) []float64 { return converted[float64](v) }

func converted[B, A ~float64](v []A) []B {
	if v == nil {
		return nil
	}
	out := make([]B, len(v))
	for k, x := range v {
		out[k] = B(x)
	}
	return out
}
