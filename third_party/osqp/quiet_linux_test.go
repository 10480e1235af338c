//go:build osqp

package osqp

import (
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestQuiet does what would make a stock OSQP talk, verbosity on, and looks at
// the file descriptors 1 and 2.
func TestQuiet(t *testing.T) {
	set := tight()
	set.Verbose = true
	for _, fd := range []int{1, 2} {
		if out := captured(t, fd, func() { chatter(t, set) }); out != "" {
			t.Errorf("OSQP printed to file descriptor %d:\n%s", fd, out)
		}
	}
	if out := captured(t, 1, func() { os.Stdout.WriteString("seen") }); out != "seen" {
		t.Errorf("the test itself is blind: it captured %q", out)
	}
}

// chatter solves, fails to polish, fails to set up, update and solve.
func chatter(t *testing.T, set Settings) {
	s := demo(t, set)
	s.Solve(0)
	s.UpdateVectors(nil, []float64{5, 5, 5}, []float64{1, 1, 1})
	s.UpdateMatrices([]float64{-9, 0, -9}, nil)
	s.UpdateRho(-1)
	s.UpdateSettings(Settings{})
	one := Matrix{1, 1, []int{0, 1}, []int{0}, []float64{1}}
	free, err := New(one, []float64{1}, one, []float64{math.Inf(-1)}, []float64{math.Inf(1)}, set)
	if err != nil {
		t.Error(err)
		return
	}
	free.Solve(0) // no active set: a stock OSQP says that it need not polish
	free.Solve(1)
	free.Close()
	one.Val[0] = -1
	if _, err := New(one, []float64{1}, Matrix{0, 1, []int{0, 0}, nil, nil}, nil, nil, set); err == nil {
		t.Error("a nonconvex problem was accepted")
	}
}

// captured is what f writes to a file descriptor, C's buffers included.
func captured(t *testing.T, fd int, f func()) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	flushC()
	saved, err := syscall.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(saved)
	if err := syscall.Dup3(int(file.Fd()), fd, 0); err != nil {
		t.Fatal(err)
	}
	f()
	flushC()
	if err := syscall.Dup3(saved, fd, 0); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
