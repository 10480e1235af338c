package scene

import (
	"fmt"
	"math"
	"strconv"
)

// Palette are the colours of marks, in turn: they differ in lightness, too.
var Palette = []string{"#1f5fa8", "#b03a2e", "#2e7d32", "#e08a00", "#6a3d9a", "#00838f", "#8d6e63", "#c2185b"}

// linkColor is the colour of links, which are many.
const linkColor = "#78909c"

// inkColor is the colour of texts.
const inkColor = "#333333"

// sequential are the colours of values of one sign, diverging those around 0.
var (
	sequential = []string{"#281e5a", "#1e6e8c", "#50be6e", "#fae63c"}
	diverging  = []string{"#1f3f8f", "#6f9fd8", "#f7f7f7", "#e08a7a", "#9c1f1f"}
)

// ColorOf is the colour of a value of a mark, between its stops. Of NaN it is grey.
func (m *Mark) ColorOf(v float64) string { return colorOf(m.Stops, m.Scale, v) }

// colorOf interpolates between stops.
func colorOf(stops []string, scale *Range, v float64) string {
	if v-v != 0 || len(stops) == 0 || scale == nil {
		return "#bdbdbd"
	}
	t := 0.5
	if scale.Hi > scale.Lo {
		t = min(max((v/2-scale.Lo/2)/(scale.Hi/2-scale.Lo/2), 0), 1)
	}
	t *= float64(len(stops) - 1)
	k := min(int(t), max(len(stops)-2, 0))
	a, b := rgb(stops[k]), rgb(stops[min(k+1, len(stops)-1)])
	var c [3]int
	for i := range c {
		c[i] = int(math.Round(a[i] + (b[i]-a[i])*(t-float64(k))))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// rgb are the parts of a colour #rrggbb.
func rgb(s string) (c [3]float64) {
	for i := range c {
		if v, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8); err == nil {
			c[i] = float64(v)
		}
	}
	return c
}

// SetColors gives a mark the colours of its values: around 0 where they have both signs.
func (m *Mark) SetColors() {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range m.V {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case lo > hi:
		m.Stops, m.Scale = sequential, &Range{0, 1}
	case lo < 0 && hi > 0:
		most := max(-lo, hi)
		m.Stops, m.Scale = diverging, &Range{-most, most}
	default:
		m.Stops, m.Scale = sequential, &Range{lo, hi}
	}
}
