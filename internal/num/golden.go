package num

import "math"

// Golden is the golden section, (√5 − 1)/2. Source: derived.
const Golden = 0.6180339887498949

// GoldenSection narrows the interval between a and c, in either order, around a minimum of a
// function without others in it: steps times by the golden section. It returns the ends that are
// left, the end of a first, and the better of the two points inside with its value; where both are
// equal, the one nearer to a. Source: J. Kiefer, Sequential minimax search for a maximum, Proc.
// Amer. Math. Soc. 4 (1953) 502-506.
func GoldenSection(f func(t float64) float64, a, c float64, steps int) (near, far, t, value float64) {
	u, w := c-Golden*(c-a), a+Golden*(c-a)
	fu, fw := f(u), f(w)
	for range steps {
		if fu <= fw {
			c, w, fw = w, u, fu
			u = c - Golden*(c-a)
			fu = f(u)
		} else {
			a, u, fu = u, w, fw
			w = a + Golden*(c-a)
			fw = f(w)
		}
	}
	if fw < fu || math.IsNaN(fu) {
		return a, c, w, fw
	}
	return a, c, u, fu
}
