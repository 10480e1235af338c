package blocks

import (
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/expr/family"

	"github.com/dcopt/dcopt/internal/num"
)

// Choice is which members of families have rows: those that steps of some length from a point may
// break. Others are absent as long as their tangents hold at the solutions of the convex problems,
// which are solutions of the problems with the rows of all, then.
type Choice struct {
	Around  []float64   // the point; nil: all members have rows
	reach   float64     // a change of the variables by which no absent member, nor a tangent of one, is broken
	reaches [][]float64 // by family, for each member and its own variables
	lists   [][]int32   // by family: the members with rows, ascending; nil: all
}

// PerVariable is how many members of a family have rows for each variable at first, in families of
// at least twice as many. Source: docs/lab/large.md, "Constraints that are far".
const PerVariable = 8

// Around is a choice for steps from x among families that are not known yet; nil: all members.
func Around(x []float64) Choice { return Choice{Around: slices.Clone(x), reach: math.Inf(1)} }

// Of is the list of the n-th family, which is looked at now where the choice does not know it.
func (c *Choice) Of(n int, m *family.Members) []int32 {
	if c.Around == nil {
		return nil
	}
	if n == len(c.lists) {
		list, reach, reaches, ok := []int32(nil), 0.0, []float64(nil), false
		if most := PerVariable * len(c.Around); m.Count() >= 2*most {
			list, reach, reaches, ok = m.Near(c.Around, most)
		}
		if ok {
			c.reach = min(c.reach, reach)
		} else {
			list = nil
		}
		c.lists, c.reaches = append(c.lists, list), append(c.reaches, reaches)
	}
	return c.lists[n]
}

// Absent reports whether some members have no rows.
func (c *Choice) Absent() bool {
	return slices.ContainsFunc(c.lists, func(list []int32) bool { return list != nil })
}

// All is the choice of the rows of all.
func (c *Choice) All() Choice {
	return Choice{Around: c.Around, reach: math.Inf(1), reaches: make([][]float64, len(c.lists)),
		lists: make([][]int32, len(c.lists))}
}

// Reaches reports whether the tangents at z of all absent members hold at x as the two are near the
// point of the choice.
func (c *Choice) Reaches(z, x []float64) bool {
	return num.DistInf(c.Around, z)+num.DistInf(z, x) <= c.reach
}

// Again is the choice for steps from x, with the members besides that have rows with a multiplier
// in y. ok is false where there is no such choice.
func (c *Choice) Again(x, y []float64, all []*Family) (next Choice, ok bool) {
	next = c.All()
	next.Around = slices.Clone(x)
	for n, f := range all {
		if !f.Absent() {
			continue
		}
		list, reach, reaches, ok := f.All.Near(x, PerVariable*len(x))
		if !ok {
			return next, false
		}
		for k := 0; k < f.Count() && f.Row+k < len(y); k++ {
			if y[f.Row+k] > 0 {
				list = append(list, int32(f.Number(k)))
			}
		}
		next.lists[n], next.reaches[n], next.reach = ascending(list), reaches, min(next.reach, reach)
	}
	return next, true
}

// With is the choice with the members besides whose tangents at z are broken at x. ok is false
// where there are none.
func (c *Choice) With(z, x []float64, all []*Family) (next Choice, ok bool) {
	next = Choice{Around: c.Around, reach: c.reach, reaches: c.reaches, lists: slices.Clone(c.lists)}
	moved := make([]float64, len(c.Around))
	for j, v := range z {
		moved[j] = math.Abs(v-c.Around[j]) + math.Abs(x[j]-v)
	}
	for n, f := range all {
		if !f.Absent() {
			continue
		}
		if broken := f.broken(f.All.Beyond(c.reaches[n], moved), z, x); len(broken) > 0 {
			next.lists[n], ok = ascending(append(broken, c.lists[n]...)), true
		}
	}
	return next, ok
}

// ascending sorts a list and drops numbers that occur twice.
func ascending(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}

// Carried are n numbers of the rows, or the columns, of a problem from those of one that differs in
// the choice of members, 0 for members that had no row. first is the place of a family's first row,
// or slack.
func Carried(n int, old []float64, now, before []*Family, first func(*Family) int) []float64 {
	out := make([]float64, n)
	to, from := 0, 0
	for i, f := range now {
		g := before[i]
		copy(out[to:first(f)], old[from:])
		k := 0
		for t := range f.Count() {
			for k < g.Count() && g.Number(k) < f.Number(t) {
				k++
			}
			if k < g.Count() && g.Number(k) == f.Number(t) {
				out[first(f)+t] = old[first(g)+k]
			}
		}
		to, from = first(f)+f.Count(), first(g)+g.Count()
	}
	copy(out[to:], old[from:])
	return out
}
