//go:build !race

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

// slowProblem takes many short iterations from many starts: a minute.
const slowProblem = `param n = 40
var c[n,2] start normal(0, 10)
minimize max(i in 1..n) (norminf(c[i,:]) + 1)
subject to
  apart[i in 1..n, j in i+1..n]: norm2(c[i,:] - c[j,:]) >= 2
option starts = 400, seed = 1, max_iter = 100
`

// TestInterrupt sends a real SIGINT to a real process: it prints the best
// point and exits with 130.
func TestInterrupt(t *testing.T) {
	need.That(t, runtime.GOOS != "windows", need.Unix, "for SIGINT")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.dc"), []byte(slowProblem), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--json"}, {"--json", "--out", "best.json"}} {
		cmd := process(t, append([]string{"solve", "slow.dc", "-v"}, args...)...)
		cmd.Dir = dir
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(4*time.Minute, func() { cmd.Process.Kill() })
		lines := 0
		for scan := bufio.NewScanner(stderr); scan.Scan(); {
			if lines++; lines == 5 { // well under way
				cmd.Process.Signal(os.Interrupt)
			}
		}
		err = cmd.Wait()
		kill.Stop()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exit.Interrupted {
			t.Fatalf("after SIGINT: %v, want exit code 130; stdout %q", err, stdout.String())
		}
		result := stdout.Bytes()
		if len(args) > 1 {
			if stdout.Len() > 0 {
				t.Errorf("with --out, stdout has %q", stdout.String())
			}
			if result, err = os.ReadFile(filepath.Join(dir, "best.json")); err != nil {
				t.Fatal(err)
			}
		}
		var r struct {
			Status    string
			Objective *float64
			Variables struct{ C [][]float64 }
		}
		if err := json.Unmarshal(result, &r); err != nil {
			t.Fatalf("%v: %s", err, result)
		}
		if r.Status != "cancelled" || r.Objective == nil || len(r.Variables.C) != 40 {
			t.Errorf("the best point is %s", result)
		}
	}
}

// TestReaderGone: a pipe whose reader goes away early ends the program with the code
// of what does not arrive.
func TestReaderGone(t *testing.T) {
	need.That(t, runtime.GOOS != "windows", need.Unix, "for SIGPIPE")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	cmd := process(t, "solve", "../../examples/quickstart.dc", "--json")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &stderr
	err = cmd.Run()
	write.Close()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exit.Usage || !strings.Contains(stderr.String(), "cannot write to standard output") {
		t.Errorf("%v, %s; want code 1 and why", err, stderr.String())
	}
}

// TestTerminate sends SIGTERM to a real process that waits for its input.
func TestTerminate(t *testing.T) {
	need.That(t, runtime.GOOS != "windows", need.Unix, "for SIGTERM")
	for _, args := range []string{"solve -", "fit - -t y -o m.json"} {
		cmd := process(t, strings.Fields(args)...)
		cmd.Dir = t.TempDir()
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds, so that it is reading, and has its handler, when this returns.
		if _, err := in.Write(bytes.Repeat([]byte("\n"), 1<<20)); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != exit.Interrupted {
			t.Errorf("dcopt %s: %v", args, cmd.ProcessState)
		}
	}
}
