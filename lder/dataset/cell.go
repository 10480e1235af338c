package dataset

import (
	"math"
	"strconv"
	"strings"
)

// cellKind is what a cell holds.
type cellKind uint8

const (
	number   cellKind = iota
	missing           // value NaN
	text              // value NaN
	infinite          // inf, or beyond the largest float64; value NaN
)

// parseDecimal is parseCell for numbers whose decimals may stand behind a comma.
func parseDecimal(s string, comma bool) (float64, cellKind) {
	if comma && strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	return parseCell(s)
}

// parseCell reads one field. Only decimal numbers count as numbers: what Go
// reads besides, hexadecimal digits and underscores, is text in a table.
func parseCell(s string) (float64, cellKind) {
	s = strings.TrimSpace(s)
	if isMissing(s) {
		return math.NaN(), missing
	}
	if strings.ContainsAny(s, "xXpP_") {
		return math.NaN(), text
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case math.IsInf(v, 0): // inf and 1e999 alike
		return math.NaN(), infinite
	case err != nil || math.IsNaN(v):
		return math.NaN(), text
	}
	return v, number
}

func isMissing(s string) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		return s == "?" || s == "-"
	case 2:
		return strings.EqualFold(s, "NA")
	case 3:
		return strings.EqualFold(s, "NaN") || strings.EqualFold(s, "N/A")
	case 4:
		return strings.EqualFold(s, "null")
	}
	return false
}
