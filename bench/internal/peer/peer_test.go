package peer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/fake"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func TestMain(m *testing.M) {
	fake.Main()
	os.Exit(m.Run())
}

func newPeer(t *testing.T, name string) *peer.Peer {
	t.Helper()
	argv, err := fake.Argv(name)
	if err != nil {
		t.Fatal(err)
	}
	p := peer.New(t.TempDir(), nil, argv...)
	t.Cleanup(p.Close)
	return p
}

// problem is that of minimising ½x² over x ≥ 1, in memory and in a file.
func problem(t *testing.T) (*qpbackend.Problem, string) {
	t.Helper()
	p := &qpbackend.Problem{P: sparse.Identity(1), Q: []float64{0}, A: sparse.Identity(1), L: []float64{1}, U: []float64{1e20}}
	path := filepath.Join(t.TempDir(), "problem.bin")
	if err := wire.WriteProblem(path, p); err != nil {
		t.Fatal(err)
	}
	return p, path
}

// TestEveryFake: whatever a process does, there is a reply, a second one like
// the first, and only an honest one has a point that is certified.
func TestEveryFake(t *testing.T) {
	want := map[string]struct {
		status, message string
		certified       bool
	}{
		"honest":  {"solved", "", true},
		"liar":    {"solved", "", false},
		"chatter": {"solved", "", false},
		"prophet": {"primal_infeasible", "", false},
		"nan":     {"solved", "", false},
		"crash":   {peer.Crashed, "exit status 4 Segmentation fault", false},
		"mute":    {peer.Crashed, "exit status 5", false},
		"hang":    {peer.Killed, "time limit", false},
		"flood":   {peer.Crashed, "token too long", false},
		"short":   {peer.Crashed, "8 bytes, want 16", false},
		"eager":   {peer.Crashed, "more runs than were asked for", false},
		"empty":   {peer.Crashed, "no answer", false},
	}
	prob, path := problem(t)
	for _, name := range fake.Names() {
		if name == "absent" {
			continue // TestAbsent
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ok := want[name]
			if !ok {
				t.Fatal("this test does not know the fake")
			}
			p := newPeer(t, name)
			req := wire.Request{Problem: path, Mode: wire.Fresh, Limit: 60, Repeat: 1}
			if name == "hang" {
				req.Limit = 0.1
			}
			for range 2 {
				r, err := p.Solve(context.Background(), prob, req)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != w.status || !strings.Contains(r.Message, w.message) {
					t.Errorf("%s: %q, want %s: %q", r.Status, r.Message, w.status, w.message)
				}
				certified := r.X != nil && qpbackend.Certify(prob, r.X, r.Y, r.Z).Max() <= 1e-6
				if certified != w.certified {
					t.Errorf("point %v, %v is certified: %v", r.X, r.Y, certified)
				}
				if (r.X != nil) != (w.status == "solved" || w.status == "primal_infeasible") {
					t.Errorf("%s with point %v", r.Status, r.X)
				}
			}
		})
	}
}

func TestAbsent(t *testing.T) {
	if _, err := newPeer(t, "absent").Version(context.Background()); err == nil || !strings.Contains(err.Error(), "No module named absent") {
		t.Errorf("error %v does not say what the process said", err)
	}
	missing := peer.New(t.TempDir(), nil, filepath.Join(t.TempDir(), "python"))
	if _, err := missing.Version(context.Background()); err == nil || !strings.Contains(err.Error(), "cannot start") {
		t.Errorf("error %v", err)
	}
}

func TestVersionStaysTheSameProcess(t *testing.T) {
	p := newPeer(t, "honest")
	for range 2 {
		if v, err := p.Version(context.Background()); v != "honest 1" || err != nil {
			t.Errorf("%q, %v", v, err)
		}
	}
	p.Close()
	p.Close()
}

func TestCancel(t *testing.T) {
	prob, path := problem(t)
	p := newPeer(t, "hang")
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := p.Version(ctx); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := p.Solve(ctx, prob, wire.Request{Problem: path, Mode: wire.Fresh, Limit: 3600, Repeat: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
