package atom

import (
	"math"

	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// ulp is the distance of 1 and the next number. Roundings count in it. Source: IEEE 754.
const ulp = 0x1p-52

// tiny is the smallest positive number. Source: IEEE 754.
const tiny = 0x1p-1074

// few is a bound of the roundings of a value, relative to it. Source: derived: Go's math
// functions but for Pow are accurate to one unit in the last place, some to two, and no formula
// here has more than five operations besides.
const few = 6

// computed says how far values may be from the exact ones, and where the function turns.
type computed struct {
	at     func(u, p float64) float64
	turns  []float64 // ascending; between them the function is monotone
	within Interval  // has all values; the zero Interval: unknown
	ulps   float64   // the relative error in units of ulp, few if zero
	more   func(u, p float64) float64
	abs    float64 // added to the error
}

// part makes ranges by values at the ends of an interval and at the turns inside.
func (f computed) part() Part {
	if f.within == (Interval{}) {
		f.within = interval.Whole
	}
	if f.ulps == 0 {
		f.ulps = few
	}
	return Part{At: f.at, Over: f.over}
}

func (f *computed) over(i Interval, p float64) Interval {
	out := f.around(i.Lo, p)
	if i.Hi != i.Lo {
		out = interval.Hull(out, f.around(i.Hi, p))
	}
	for _, t := range f.turns {
		// The turn itself is between the numbers beside t.
		if i.Lo < num.Up(t) && i.Hi > num.Down(t) {
			out = interval.Hull(out, f.around(t, p))
		}
	}
	return out
}

// around encloses the value at u. The value 0 of u = 0 is exact in all rows, others may have become
// 0 by underflow.
func (f *computed) around(u, p float64) Interval {
	v, within, ulps := f.at(u, p), f.within, f.ulps
	if f.more != nil {
		ulps += f.more(u, p)
	}
	switch {
	case math.IsNaN(v):
		return within
	case u == 0 && v == 0:
		return interval.Point(0)
	}
	return interval.Clip(enclose(v, ulps, f.abs), within)
}

// enclose is v ± (ulps·ulp·|v| + abs). Without abs the sign of v is the exact one, also of 0.
func enclose(v, ulps, abs float64) Interval {
	largest := math.MaxFloat64 * max(1-ulps*ulp, 0)
	switch {
	case math.IsInf(v, 1):
		return interval.New(largest, v)
	case math.IsInf(v, -1):
		return interval.New(v, -largest)
	}
	e := math.Abs(v)*(ulps*ulp) + (abs + ulps*tiny)
	i := interval.New(num.Down(v-e), num.Up(v+e))
	switch {
	case abs > 0:
	case math.Signbit(v):
		i.Hi = min(i.Hi, 0)
	default:
		i.Lo = max(i.Lo, 0)
	}
	return i
}

// constant is a part that is v everywhere.
func constant(v float64) Part {
	return Part{
		At:   func(float64, float64) float64 { return v },
		Over: func(Interval, float64) Interval { return interval.Point(v) },
	}
}

// parted is a function that is one of u ≥ 0, continued to u < 0 as an even function, an odd one,
// or by 0.
func parted(right Part, even, odd bool) Part {
	return Part{
		At: func(u, p float64) float64 {
			switch {
			case !(u < 0):
				return right.At(u, p)
			case even:
				return right.At(-u, p)
			case odd:
				return -right.At(-u, p)
			}
			return 0
		},
		Over: func(i Interval, p float64) Interval {
			var out *Interval
			add := func(o Interval) {
				if out != nil {
					o = interval.Hull(*out, o)
				}
				out = &o
			}
			if !(i.Hi < 0) {
				add(right.Over(interval.New(max(i.Lo, 0), i.Hi), p))
			}
			if i.Lo < 0 || !(even || odd) && i.Lo <= 0 {
				left := interval.New(max(-i.Hi, 0), -i.Lo)
				switch {
				case even:
					add(right.Over(left, p))
				case odd:
					add(right.Over(left, p).Neg())
				default:
					add(interval.Point(0))
				}
			}
			return *out
		},
	}
}
