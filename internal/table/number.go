package table

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Float reads all of s as a number or as one of the words for an infinite value
// and for none; ok is false where it is neither. Numbers that are too large are infinite.
func Float(s string) (v float64, ok bool) {
	if v, n, ok := scan([]byte(s)); ok && n == len(s) {
		return v, true
	}
	if n := decimal(s); n > 0 && n == len(s) {
		v, _ = strconv.ParseFloat(s, 64) // all that can be wrong is its size
		return v, true
	}
	word := s
	if word != "" && (word[0] == '+' || word[0] == '-') {
		word = word[1:]
	}
	switch {
	case strings.EqualFold(word, "inf"), strings.EqualFold(word, "infinity"):
		if s[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case strings.EqualFold(s, "nan"):
		return math.NaN(), true
	}
	return 0, false
}

// Prefix reads the number that s begins with, n bytes of it; ok is false where there
// is none. A number that is too large is infinite.
func Prefix(s []byte) (v float64, n int, ok bool) {
	if v, n, ok = scan(s); ok {
		return v, n, true
	}
	if n = decimal(s); n > 0 {
		v, _ = strconv.ParseFloat(string(s[:n]), 64) // all that can be wrong is its size
	}
	return v, n, n > 0
}

// decimal is the length of the number that s begins with, 0 where there is none.
func decimal[T string | []byte](s T) (n int) {
	digits := func() (some bool) {
		for ; n < len(s) && s[n]-'0' < 10; n++ {
			some = true
		}
		return some
	}
	sign := func() {
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
	}
	sign()
	some := digits()
	if n < len(s) && s[n] == '.' {
		n++
		some = digits() || some
	}
	if !some {
		return 0
	}
	if end := n; n < len(s) && s[n]|0x20 == 'e' {
		n++
		if sign(); !digits() {
			return end
		}
	}
	return n
}

// mostDigits fit into a uint64.
// Source: derived: 10^19 < 2^64.
const mostDigits = 19

// powersOf5 are those below 2^63.
var powersOf5 = [28]uint64{
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
	30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
	2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
	7450580596923828125,
}

// inverses are 2^(63+b)/5^k, rounded down, for the b bits of 5^k.
var inverses = [28]uint64{
	0,
	1 << 66 / 5,
	1 << 68 / 25,
	1 << 70 / 125,
	1 << 73 / 625,
	1 << 75 / 3125,
	1 << 77 / 15625,
	1 << 80 / 78125,
	1 << 82 / 390625,
	1 << 84 / 1953125,
	1 << 87 / 9765625,
	1 << 89 / 48828125,
	1 << 91 / 244140625,
	1 << 94 / 1220703125,
	1 << 96 / 6103515625,
	1 << 98 / 30517578125,
	1 << 101 / 152587890625,
	1 << 103 / 762939453125,
	1 << 105 / 3814697265625,
	1 << 108 / 19073486328125,
	1 << 110 / 95367431640625,
	1 << 112 / 476837158203125,
	1 << 115 / 2384185791015625,
	1 << 117 / 11920928955078125,
	1 << 119 / 59604644775390625,
	1 << 122 / 298023223876953125,
	1 << 124 / 1490116119384765625,
	1 << 126 / 7450580596923828125,
}

// scan reads a number from the beginning of s, n bytes of it, and rounds it
// correctly. ok is false where there is none, and where it is so long, or of such
// a size, that it is left to strconv.
func scan(s []byte) (v float64, n int, ok bool) {
	i, negative := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	first := i
	for i < len(s) && s[i] == '0' {
		i++
	}
	some := i > first
	first = i
	m, i := digits(s, i, 0)
	count, exponent := i-first, 0
	some = some || count > 0
	if i < len(s) && s[i] == '.' {
		point := i + 1
		i = point
		if m == 0 {
			for i < len(s) && s[i] == '0' {
				i++
			}
		}
		first = i
		m, i = digits(s, i, m)
		count, exponent = count+i-first, point-i
		some = some || i > point
	}
	if !some || count > mostDigits {
		return 0, 0, false
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		e, end, ok := scanExponent(s, i+1)
		if !ok {
			return 0, 0, false
		}
		exponent, i = exponent+e, end
	}
	v, ok = scaled(m, exponent)
	if negative {
		v = -v
	}
	return v, i, ok
}

// digits reads decimal digits from place i on, after those that m stands for. Of
// more than fit the result is wrong.
func digits(s []byte, i int, m uint64) (uint64, int) {
	for i+8 <= len(s) {
		t := s[i : i+8]
		v := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		// Source: derived: the digits 0 to 9 are the bytes 0x30 to 0x39.
		const highs, zeros, six = 0xf0f0f0f0f0f0f0f0, 0x3030303030303030, 0x0606060606060606
		if v&highs != zeros || (v+six)&highs != zeros {
			break // not eight digits
		}
		// Neighbours are joined: digits to pairs, pairs to fours, fours to eights.
		v = (v - zeros) * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
		v = v * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
		v = v * (1 + 10000<<32) >> 32
		m = m*1e8 + v
		i += 8
	}
	for i < len(s) && s[i]-'0' < 10 {
		m = m*10 + uint64(s[i]-'0')
		i++
	}
	return m, i
}

// scanExponent reads a sign and one to three digits.
func scanExponent(s []byte, i int) (e, end int, ok bool) {
	sign := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		if s[i] == '-' {
			sign = -1
		}
		i++
	}
	first := i
	for i < len(s) && s[i]-'0' < 10 && i-first < 4 {
		e = 10*e + int(s[i]-'0')
		i++
	}
	return sign * e, i, i > first && i-first < 4
}

// scaled is m·10^e, correctly rounded, where that can be done with one product
// or division of whole numbers.
func scaled(m uint64, e int) (v float64, ok bool) {
	k := -e
	switch {
	case m == 0:
		return 0, true
	case k == 0:
		return float64(m), true
	case k < 0 && k >= -22 && m <= 1<<53: // both factors are exact
		return float64(m) * math.Pow10(-k), true
	case k < 0 || k >= len(powersOf5):
		return 0, false
	}
	// m/5^k to 62 bits or more. With the reciprocal, which was rounded down, the
	// last of them may be too small by 1: that matters only next to the middle
	// between two numbers, where a division decides.
	d := powersOf5[k]
	shiftM, shiftD := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	q, _ := bits.Mul64(m<<shiftM, inverses[k])
	lost := 11 - bits.LeadingZeros64(q) // bits beyond the 53 that are kept
	half := uint64(1) << (lost - 1)
	if q&(2*half-1)-(half-1) <= 1 {
		var rest uint64
		// The highest bits of both are set; q has 63 or 64 bits.
		if q, rest = bits.Div64(m<<shiftM>>1, m<<shiftM<<63, d<<shiftD); rest == 0 {
			return power(q, shiftD-shiftM-63-k), true
		}
	}
	return power(q|1, shiftD-shiftM-63-k), true // something remains
}

// power is q·2^e.
func power(q uint64, e int) float64 {
	return float64(q) * math.Float64frombits(uint64(1023+e)<<52)
}
