package subproblem

import (
	"math"
	"time"
)

func MaxAbs(v []float64) float64 {
	m := 0.0
	for _, e := range v {
		m = max(m, math.Abs(e))
	}
	return m
}

func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func Since(t time.Time) float64 { return time.Since(t).Seconds() }
