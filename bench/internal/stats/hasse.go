package stats

import "slices"

// Diagram is a Hasse diagram: who is above whom, with no edge that follows from
// others.
type Diagram struct {
	// Groups are sets of elements; each is of one element unless some beat each
	// other in a circle, which makes them equals.
	Groups [][]int
	// Edges lead from a group to one below it: {above, below}.
	Edges [][2]int
	// Level of a group is 0 where none is above, else one more than the largest
	// level above.
	Level []int
}

// Hasse is the transitive reduction of a relation: above[a][b] says that a beats
// b. Along Edges the same groups can be reached as along the relation.
func Hasse(above [][]bool) Diagram {
	n := len(above)
	reach := make([][]bool, n)
	for a := range reach {
		reach[a] = slices.Clone(above[a])
	}
	for via := range n {
		for a := range n {
			for b := range n {
				reach[a][b] = reach[a][b] || reach[a][via] && reach[via][b]
			}
		}
	}
	var d Diagram
	for a := range n {
		k := slices.IndexFunc(d.Groups, func(g []int) bool { return reach[a][g[0]] && reach[g[0]][a] })
		if k >= 0 {
			d.Groups[k] = append(d.Groups[k], a)
			continue
		}
		d.Groups = append(d.Groups, []int{a})
	}
	count := len(d.Groups)
	over := func(i, j int) bool { return i != j && reach[d.Groups[i][0]][d.Groups[j][0]] }
	for i := range count {
		for j := range count {
			needed := over(i, j)
			for k := range count {
				needed = needed && !(over(i, k) && over(k, j))
			}
			if needed {
				d.Edges = append(d.Edges, [2]int{i, j})
			}
		}
	}
	d.Level = make([]int, count)
	for range count { // no path is longer
		for _, e := range d.Edges {
			d.Level[e[1]] = max(d.Level[e[1]], d.Level[e[0]]+1)
		}
	}
	return d
}
