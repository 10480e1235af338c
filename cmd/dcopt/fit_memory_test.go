//go:build !race

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/need"
)

// TestFitMemory runs the real program on a large table: all in all, it needs less
// than three times the memory of the numbers beyond what it needs for a few rows.
func TestFitMemory(t *testing.T) {
	_, err := os.Stat("/proc/self/status")
	need.That(t, err == nil, need.Linux, err)
	dir := t.TempDir()
	program, err := need.Dcopt("../..", dir)
	if err != nil {
		t.Fatal(err)
	}
	const rows, features = 200_000, 10
	large := writeSample(t, dir, "large.csv", rows, features)
	small := writeSample(t, dir, "small.csv", 100, features)
	const numbers = 8 * rows * (features + 1)
	most := fitRSS(t, program, large)
	for range 2 { // how much garbage there is at the peak differs from run to run
		most = min(most, fitRSS(t, program, large))
	}
	used := float64(most-fitRSS(t, program, small)) / numbers
	t.Logf("%.2f times the memory of the data", used)
	if !(used > 1 && used < 3) {
		t.Errorf("dcopt fit needs %.2f times the memory of the data, want less than 3", used)
	}
}

// fitRSS runs a fit and returns the largest size of the process, in bytes. What
// the system tells at the end would count the parent of the process, too.
func fitRSS(t *testing.T, program, table string) int {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program, "fit", table, "--target", "y", "--pieces", "3,2", "--method", "refit", "-o", table+".json")
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), "GOGC=") // the program's own choice
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	most := 0
	for {
		select {
		case err := <-done:
			if err != nil || most == 0 {
				t.Fatalf("%v, size %d\n%s", err, most, out.Bytes())
			}
			return most
		case <-time.After(100 * time.Microsecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
				var kib int
				if _, err := fmt.Sscan(rest, &kib); err == nil {
					most = max(most, kib<<10)
				}
			}
		}
	}
}

// writeSample is a table of random features and a target that bends.
func writeSample(t *testing.T, dir, name string, rows, features int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 4))
	var b bytes.Buffer
	for j := range features {
		b.WriteString("x" + strconv.Itoa(j) + ",")
	}
	b.WriteString("y\n")
	for range rows {
		up, down := 0.0, 0.0
		for j := range features {
			v := rng.NormFloat64()
			b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', 6, 64))
			b.WriteByte(',')
			if j%2 == 0 {
				up += v
			} else {
				down += v
			}
		}
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), max(up, down)-max(0, up)+.1*rng.NormFloat64(), 'g', 6, 64))
		b.WriteByte('\n')
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
