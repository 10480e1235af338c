package suggest

import (
	"slices"
	"strings"
)

// longest name that is compared; longer ones are no slips of the keyboard.
// Source: a limit of time: the distance takes its square.
const longest = 64

// Nearest is the candidate with the fewest edits from name, letters of either
// case being equal: at most a third of name's length, but one at least. Of
// equals it is the first in the alphabet; "" if none is close.
func Nearest(name string, candidates []string) string {
	if len(name) > longest {
		return ""
	}
	best, limit := "", max(1, (len(name)+1)/3)
	if len(name) == 1 {
		limit = 0 // any letter is one edit from any other
	}
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if len(c) > 2*longest || c == name {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// DidYouMean is `; did you mean "name"?` for the nearest candidate, or "".
func DidYouMean(name string, candidates []string) string {
	if best := Nearest(name, candidates); best != "" {
		return "; did you mean \"" + best + "\"?"
	}
	return ""
}

// distance counts insertions, deletions, replacements and swaps of neighbours
// (Damerau 1964), each place edited once.
func distance(s, t string) int {
	a, b := []rune(s), []rune(t)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
