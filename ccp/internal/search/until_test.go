package search

import (
	"fmt"
	"strings"
	"testing"
)

// scripted proposes so many moves from each point and logs what it is told.
type scripted struct {
	name string
	left map[float64]int // moves from the point with this objective
	log  *strings.Builder
}

func (s *scripted) Next(p *Point) (Move, bool) {
	if s.left[p.Objective] == 0 {
		return Move{}, false
	}
	s.left[p.Objective]--
	fmt.Fprintf(s.log, "%s@%g ", s.name, p.Objective)
	return Move{X: p.X}, true
}

func (s *scripted) Ended(o Outcome) { fmt.Fprintf(s.log, "%v; ", o.Better) }

// TestUntil: kinds are tried in order, again from the first after each move, until none
// has another one, and a search that ends all is the last.
func TestUntil(t *testing.T) {
	for _, c := range []struct {
		outcomes string // of the local searches: + better, - not, ! over, ~ better but not converged
		want     string
		at       float64
	}{
		{"---", "a@9 false; b@9 false; b@9 false; ", 9},
		{"-+--", "a@9 false; b@9 true; a@8 false; ", 8},
		{"+-", "a@9 true; a@8 false; ", 8},
		{"-!", "a@9 false; b@9 false; ", 9},
		{"~", "a@9 true; ", 9},
	} {
		var log strings.Builder
		a := &scripted{"a", map[float64]int{9: 1, 8: 1}, &log}
		b := &scripted{"b", map[float64]int{9: 2}, &log}
		p, n := Point{Objective: 9}, 0
		last := (&Kinds{Moves: []Kind{a, b}}).Until(func(Move) Outcome {
			o := c.outcomes[n]
			n++
			return Outcome{Converged: o == '+' || o == '-', Better: o == '+' || o == '~', Over: o == '!', At: Point{Objective: p.Objective - 1}}
		}, &p)
		if log.String() != c.want || p.Objective != c.at {
			t.Errorf("%s: %s at %g; want %s at %g", c.outcomes, log.String(), p.Objective, c.want, c.at)
		}
		if found := last != nil; found != strings.ContainsAny(c.outcomes, "+!~") {
			t.Errorf("%s: last %v", c.outcomes, last)
		}
	}
}

// TestBudget: a share of the work, or what takes a few milliseconds.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		b    Budget
		want bool
	}{
		{Budget{Work: 100, Solves: 10, Size: 1e6}, true},            // 20 of 35
		{Budget{Work: 100, Solves: 10, Size: 1e6, Vain: 20}, false}, // 40 of 28
		{Budget{Work: 100, Solves: 10, Size: 100, Vain: 90}, true},  // 110 of 200
		{Budget{Work: 100, Solves: 2, Size: 1e6}, false},            // 100 of 35
	} {
		if got := c.b.Affords(); got != c.want {
			t.Errorf("%+v: affords %v", c.b, got)
		}
	}
}
