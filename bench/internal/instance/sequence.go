package instance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// The size of the problem of obstacles: 700 variables with bounds, 698 rows.
const (
	wayPoints = 100
	obstacles = 5
	steps     = 15
	mostStep  = 0.4  // of a coordinate from one point to the next
	slackCost = 10.0 // a unit of slack
)

// Sequence has the convex problems of a convex-concave procedure that finds a smooth path
// around discs: the points p₀, …, p_{T−1} in the plane minimise
// Σ‖p_{t+1} − p_t‖² + τ·sum(s), each linearised constraint
// ‖p_t − c‖ ≥ r − s, s ≥ 0 by its tangent at the last solution. From one problem
// to the next only values of A and l change. The points of linearisation are
// the points of the interior point method, whatever solver is measured.
func Sequence() Instance {
	const name = "obstacles"
	return Instance{Group: "sequence", Name: name, Make: func() ([]*qpbackend.Problem, error) {
		return sequence(classes.Source(name))
	}}
}

// path is the problem with the places of the values that change.
type path struct {
	p      *qpbackend.Problem
	centre [obstacles][2]float64
	radius [obstacles]float64
	place  [][2]int // in A.Val, by linearised row
	row    []int
}

func sequence(rng *rand.Rand) ([]*qpbackend.Problem, error) {
	w := newPath(rng)
	x := make([]float64, 2*wayPoints)
	for t := range wayPoints { // the straight line, pushed a little off it
		x[2*t] = 10 * float64(t) / (wayPoints - 1)
		x[2*t+1] = x[2*t] + 0.1*rng.NormFloat64()
	}
	var all []*qpbackend.Problem
	var solver qpbackend.Solver
	var res qpbackend.Result
	for range steps {
		w.linearise(x)
		all = append(all, w.p.Clone())
		var err error
		if solver == nil {
			b := ipm.Backend{}
			solver, err = b.New(context.Background(), w.p, b.DefaultSettings())
		} else {
			err = solver.Update(qpbackend.Update{A: w.p.A.Val, L: w.p.L})
		}
		if err == nil {
			err = solver.Solve(context.Background(), &res)
		}
		if err != nil {
			return nil, err
		}
		if res.Status != qpbackend.Solved {
			return nil, fmt.Errorf("the sequence breaks off: a step is %v", res.Status)
		}
		copy(x, res.X)
	}
	return all, solver.Close()
}

func newPath(rng *rand.Rand) *path {
	slack := 2 * wayPoints
	b := classes.New(slack + wayPoints*obstacles)
	w := &path{}
	for k := range obstacles { // near the line from (0, 0) to (10, 10)
		at := 10 * (float64(k) + 1) / (obstacles + 1)
		w.centre[k] = [2]float64{at + 0.3*rng.NormFloat64(), at + 0.3*rng.NormFloat64()}
		w.radius[k] = 0.6 + 0.6*rng.Float64()
	}
	for t := range wayPoints {
		for c := range 2 {
			j, curve := 2*t+c, 4.0
			if t == 0 || t == wayPoints-1 {
				curve = 2
			}
			b.P.Add(j, j, curve)
			if t > 0 {
				b.P.Add(j-2, j, -2)
				step := b.Row(-mostStep, mostStep)
				b.A.Add(step, j, 1)
				b.A.Add(step, j-2, -1)
			}
			switch t {
			case 0:
				b.Bound(j, 0, 0)
			case wayPoints - 1:
				b.Bound(j, 10, 10)
			default:
				b.Bound(j, -2, 12)
			}
		}
	}
	var entries [][2]int
	for t := range wayPoints {
		for k := range obstacles {
			s := slack + t*obstacles + k
			b.Q[s] = slackCost
			b.Bound(s, 0, inf)
			row := b.Row(0, inf)
			w.row = append(w.row, row)
			entries = append(entries, [2]int{b.A.Len(), b.A.Len() + 1})
			b.A.Add(row, 2*t, 0)
			b.A.Add(row, 2*t+1, 0)
			b.A.Add(row, s, 1)
		}
	}
	p, pos := b.Placed()
	w.p = p
	for _, e := range entries {
		w.place = append(w.place, [2]int{pos[e[0]], pos[e[1]]})
	}
	return w
}

// linearise puts the tangents at x: ‖p − c‖ ≥ ‖p₀ − c‖ + g·(p − p₀), g the unit
// vector from c to p₀.
func (w *path) linearise(x []float64) {
	for k, row := range w.row {
		t, o := k/obstacles, k%obstacles
		dx, dy := x[2*t]-w.centre[o][0], x[2*t+1]-w.centre[o][1]
		dist := math.Hypot(dx, dy)
		if dist == 0 {
			dx, dist = 1, 1
		}
		gx, gy := dx/dist, dy/dist
		w.p.A.Val[w.place[k][0]], w.p.A.Val[w.place[k][1]] = gx, gy
		w.p.L[row] = w.radius[o] - dist + gx*x[2*t] + gy*x[2*t+1]
	}
}
