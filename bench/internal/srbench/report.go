package srbench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// groups are the parts of the league that have ranks of their own.
var groups = []struct {
	name string
	keep func(Published) bool
}{
	{"all tables", func(Published) bool { return true }},
	{"real tables", func(p Published) bool { return p.Friedman == "False" }},
	{"Friedman's tables", func(p Published) bool { return p.Friedman == "True" }},
	{"tables with more than 5000 rows", func(p Published) bool { return p.Rows > 5000 }},
	{"Friedman's tables with 25 features and more", func(p Published) bool { return p.Friedman == "True" && p.Features >= 25 }},
}

// Write writes the league for each of our methods in turn, and the medians of each table,
// as Markdown.
func Write(w io.Writer, ours Scores, published []Published) error {
	methods := map[string]bool{}
	for _, by := range ours {
		for m := range by {
			methods[m] = true
		}
	}
	var b strings.Builder
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		alone := Scores{}
		for set, by := range ours {
			if v, ok := by[m]; ok {
				alone.put(set, m, v)
			}
		}
		for _, g := range groups {
			lines := League(alone, published, m, g.keep)
			if len(lines) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s among the published methods, %d %s\n\n", m, lines[0].Sets, g.name)
			fmt.Fprintf(&b, "| method | | mean rank | mean R2 | median size | median seconds |\n|---|---|---|---|---|---|\n")
			for _, l := range lines {
				from := "measured"
				if l.Published {
					from = "published"
				}
				fmt.Fprintf(&b, "| %s | %s | %.2f | %.3f | %.0f | %.3g |\n", l.Method, from, l.Rank, l.R2, l.Size, l.Seconds)
			}
		}
	}
	names := slices.Sorted(maps.Keys(methods))
	fmt.Fprintf(&b, "\nMedian R2 on the test rows\n\n| table | best published | R2 | %s |\n|---|---|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, set := range slices.Sorted(maps.Keys(ours)) {
		best := Published{R2: -1e300}
		for _, p := range published {
			if p.Set == set && p.R2 > best.R2 {
				best = p
			}
		}
		if best.Algorithm == "" {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %.3f |", set, best.Algorithm, best.R2)
		for _, m := range names {
			if v, ok := ours[set][m]; ok {
				fmt.Fprintf(&b, " %.3f |", v.R2)
			} else {
				fmt.Fprint(&b, " |")
			}
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
