package lang

import (
	"fmt"
	"slices"
	"strings"
)

// didYouMean is `; did you mean "name"?` for the candidate closest to name, ""
// if none is close.
func didYouMean(name string, candidates []string) string {
	if best := closest(name, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// closest is the candidate with the fewest edits from name, at most a third of
// its length but one at least; of equals the first in the alphabet.
func closest(name string, candidates []string) string {
	if len(name) > 64 {
		return ""
	}
	sorted := slices.Clone(candidates)
	slices.Sort(sorted)
	best, limit := "", max(1, (len(name)+1)/3)
	if len(name) == 1 {
		limit = 0 // any one letter is one edit from any other
	}
	for _, c := range sorted {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d <= limit && c != name {
			best, limit = c, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours:
// Damerau 1964, Levenshtein 1966.
func distance(s, t string) int {
	a, b := []rune(s), []rune(t)
	if len(b) > 2*len(a)+3 {
		return len(b)
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	before, last, row := rows[0], rows[1], rows[2]
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
