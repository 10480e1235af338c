// Package choice finds the elements of a list that a flag names.
package choice

import (
	"fmt"
	"slices"
	"strings"
)

// List has the elements that can be named.
type List[T any] struct {
	Kind string // of the elements, for errors
	All  []T
	Name func(T) string
}

// Names are the names, separated by commas.
func (l List[T]) Names() string {
	var names []string
	for _, e := range l.All {
		names = append(names, l.Name(e))
	}
	return strings.Join(names, ",")
}

// Choose returns the elements of the names, each once, in their order; "all" names every one.
func (l List[T]) Choose(names []string) ([]T, error) {
	var chosen []T
	taken := make([]bool, len(l.All))
	for _, n := range names {
		if n != "all" && !slices.ContainsFunc(l.All, func(e T) bool { return l.Name(e) == n }) {
			return nil, fmt.Errorf("no %s %q; there are %s", l.Kind, n, l.Names())
		}
		for k, e := range l.All {
			if (n == "all" || n == l.Name(e)) && !taken[k] {
				taken[k], chosen = true, append(chosen, e)
			}
		}
	}
	return chosen, nil
}
