package serve

import (
	"fmt"
	"testing"

	"github.com/dcopt/dcopt/internal/wire"
)

// loadSmall loads a problem that is solved at once.
func loadSmall(s *session, problem, id int) {
	s.t.Helper()
	s.send(frame(fmt.Sprintf(`{"type": "load_data", "id": %d, "problem": %d, "form": "qp", "q": 0, "lo": 1, "buffers": [["f64", 2], ["f64", 2]]}`, id, problem),
		[]float64{1, 1}, []float64{0, 0}))
	if r := s.next(); r.Type != "loaded" {
		s.t.Fatalf("%+v", r)
	}
}

// Requests about other problems do not wait for one that runs, and each can be cancelled.
func TestSideBySide(t *testing.T) {
	s := begin(t, DefaultConfig())
	loadLong(t, s)
	s.send(frame(`{"type": "solve", "id": 2, "problem": 5, "settings": {"starts": 1000000}}`))
	for id := 10; id < 50; id += 2 {
		loadSmall(s, id, id)
		s.send(frame(fmt.Sprintf(`{"type": "solve", "id": %d, "problem": %d}`, id+1, id)))
		if r := s.next(); r.Type != "result" || r.ID != uint64(id+1) || r.Status != "solved" {
			t.Fatalf("%+v", r)
		}
	}
	s.send(frame(`{"type": "free", "id": 60, "problem": 5}`)) // waits for the solve
	s.send(frame(`{"type": "hello", "id": 61}`))
	if r := s.next(); r.Type != "hello" {
		t.Fatalf("%+v", r)
	}
	s.send(frame(`{"type": "cancel", "id": 62, "target": 2}`))
	seen := map[uint64]reply{}
	var order []uint64
	for len(seen) < 3 {
		r := s.next()
		seen[r.ID] = r
		order = append(order, r.ID)
	}
	if seen[2].Status != "cancelled" || seen[60].Type != "ok" || seen[62].Found == nil || !*seen[62].Found {
		t.Errorf("%+v", seen)
	}
	if order[len(order)-1] != 60 {
		t.Errorf("the order is %v", order)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Requests about one handle are answered in order, also where they name two.
func TestOrderOfALane(t *testing.T) {
	s := begin(t, DefaultConfig())
	loadLong(t, s)
	go func() {
		s.send(frame(`{"type": "batch", "id": 2, "problem": 5, "batch": 7, "count": 3, "parameters": {}, "settings": {"max_iter": 2, "effort": "quick"}}`))
		s.send(frame(`{"type": "free", "id": 3, "batch": 7}`))
		s.send(frame(`{"type": "free", "id": 4, "batch": 7}`))
		s.send(frame(`{"type": "check", "id": 5, "problem": 5}`))
		s.send(frame(`{"type": "free", "id": 6, "problem": 5}`))
		s.send(frame(`{"type": "check", "id": 7, "problem": 5}`))
	}()
	types, at := map[uint64]string{}, map[uint64]int{}
	for k := range 6 {
		r := s.next()
		types[r.ID], at[r.ID] = r.Type, k
	}
	want := map[uint64]string{2: "solutions", 3: "ok", 4: "error", 5: "checked", 6: "ok", 7: "error"}
	for id, kind := range want {
		if types[id] != kind {
			t.Errorf("%d is answered by %s, want %s", id, types[id], kind)
		}
	}
	if at[2] > at[3] || at[3] > at[4] || at[2] > at[5] || at[5] > at[6] || at[6] > at[7] {
		t.Errorf("the order is %v", at)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Lanes are forgotten with what they were about.
func TestLanesAreForgotten(t *testing.T) {
	s := &server{held: map[key]any{}, lanes: map[key]*lane{}}
	request := func(p wire.Peeked, during func()) {
		j := &job{keys: keys(p), done: make(chan struct{})}
		if before := s.enter(j); len(before) > 0 {
			for _, done := range before {
				<-done
			}
		}
		during()
		s.leave(j)
	}
	p := &problem{}
	request(wire.Peeked{Problem: 1}, func() { s.keep(key{aProblem, 1}, p) })
	request(wire.Peeked{Problem: 1, Batch: 2}, func() { s.keep(key{aBatch, 2}, &batch{p: p}) })
	request(wire.Peeked{Problem: 3, Model: 4}, func() {}) // refused
	if len(s.lanes) != 2 {
		t.Errorf("%d lanes, want those of the problem and the batch", len(s.lanes))
	}
	one := uint64(1)
	request(wire.Peeked{Problem: 1}, func() {
		if err := recovering("free", func() { s.free(nil, &wire.Free{Problem: &one}) }); err != nil {
			t.Error(err)
		}
	})
	if len(s.lanes) != 0 || len(s.held) != 0 {
		t.Errorf("%d lanes and %d handles are left", len(s.lanes), len(s.held))
	}
	s.running.Wait()
}

// Progress has the best feasible objective so far, of a problem that is maximised the largest.
func TestBestOfProgress(t *testing.T) {
	s := begin(t, DefaultConfig())
	loadLong(t, s)
	s.send(frame(`{"type": "solve", "id": 2, "problem": 5, "progress": true, "settings": {"starts": 1000000}}`))
	best := -1.0
	for range 5 {
		var p wire.Progress
		s.read(&p)
		if p.Best == nil || float64(*p.Best) < best || *p.Feasible && *p.Objective > *p.Best {
			t.Errorf("%+v after %g", p, best)
			break
		}
		best = float64(*p.Best)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}
