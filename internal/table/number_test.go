//go:build !race

package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestNumbers: numbers are what strconv makes of them, or are left to it.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	left, all := 0, 0
	check := func(s string, common bool) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		got, n, ok := scan([]byte(s + ",7"))
		switch all++; {
		case !ok:
			left++
			if common {
				t.Errorf("%q is left to strconv", s)
			}
		case err != nil || n != len(s) || math.Float64bits(got) != math.Float64bits(want):
			t.Fatalf("%q is %g, %d bytes; strconv says %g, %v", s, got, n, want, err)
		}
	}
	for range 200000 {
		x := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-5))
		check(strconv.FormatFloat(x, 'g', -1, 64), math.Abs(x) > 1e-9)
		check(strconv.FormatFloat(x, 'f', rng.IntN(12), 64), true)
		check(strconv.FormatFloat(x, 'e', 18, 64), math.Abs(x) > 1e-9 && math.Abs(x) < 1e9)
		m, e := rng.Uint64()>>rng.IntN(64), rng.IntN(60)-40
		check(fmt.Sprintf("%de%d", m, e), false)
		// Halfway between two numbers, and just beside it.
		half := strconv.FormatUint(1<<53+2*(rng.Uint64()>>12)+1, 10)
		check(half, true)
		check(half+".00", true)
		check(half[:3]+"."+half[3:], true)
	}
	for _, s := range []string{"0", "-0", "+0.0", "00.10", "5.", ".5", "-.25", "1E3", "1e+03", "1e22", "0e999", "123456789012345678", "0.000000000000000000000000001", "9007199254740993", "18446744073709551615", "1.7976931348623157e308", "5e-324", "12345678901234567890123"} {
		check(s, false)
	}
	for _, s := range []string{"", "-", ".", "e5", "1e", "1e+", "inf", "nan", "x", "- 1", "--1"} {
		if v, _, ok := scan([]byte(s)); ok {
			t.Errorf("%q is taken for %g", s, v)
		}
	}
	for s, length := range map[string]int{"1_000": 1, "0x10": 1, "1.5.2": 3, "2 3": 1, "1e5e": 3} {
		if _, n, ok := scan([]byte(s)); ok && n != length {
			t.Errorf("of %q %d bytes are read", s, n)
		}
	}
	if left > all/5 {
		t.Errorf("%d of %d are left to strconv", left, all)
	}
}

// TestFloat: of what strconv reads, all but hexadecimal digits and underscores is
// a number, with the same value.
func TestFloat(t *testing.T) {
	for s, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1e999": math.Inf(1), "-1e400": math.Inf(-1), "1e-999": 0, "inf": math.Inf(1), "-INF": math.Inf(-1), "+Infinity": math.Inf(1),
		"nan": math.NaN(), "NaN": math.NaN(), "123456789012345678901234567890": 123456789012345678901234567890, "1e22": 1e22, "1E+05": 1e5, ".5": .5, "5.": 5,
		"1e0000000000000000000001": 10, "0.1000000000000000055511151231257827": .1,
	} {
		if v, ok := Float(s); !ok || math.Float64bits(v) != math.Float64bits(want) && !(v != v && want != want) {
			t.Errorf("%q is %g, %v, want %g", s, v, ok, want)
		}
	}
	for _, s := range []string{"", " 1", "1 ", "0x1p4", "0X10", "1_000", "1e", "1e+", ".", "+", "-", "e5", "1.2.3", "--1", "+nan", "-nan", "in", "infinit", "1,5", "1d5", "١", "0b1", "0o7", "1f", "1e5.", "\x00", "１"} {
		if v, ok := Float(s); ok {
			t.Errorf("%q is taken for %g", s, v)
		}
	}
	rng := rand.New(rand.NewPCG(8, 8))
	const letters = "0123456789.eE+-xXpP_infa "
	numbers := 0
	for range 300000 {
		var b strings.Builder
		for range 1 + rng.IntN(7) {
			b.WriteByte(letters[rng.IntN(len(letters))])
		}
		s := b.String()
		v, ok := Float(s)
		want, err := strconv.ParseFloat(s, 64)
		if ne, is := err.(*strconv.NumError); is && ne.Err == strconv.ErrRange {
			err = nil
		}
		if strings.ContainsAny(s, "xXpP_") {
			err = strconv.ErrSyntax
		}
		if ok != (err == nil) || ok && math.Float64bits(v) != math.Float64bits(want) && v == v {
			t.Fatalf("%q is %g, %v; strconv says %g, %v", s, v, ok, want, err)
		}
		if ok {
			numbers++
		}
	}
	if numbers < 1000 {
		t.Errorf("only %d numbers", numbers)
	}
}
