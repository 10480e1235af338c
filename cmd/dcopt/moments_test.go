//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestInterruptedInEveryPhase: commands that are long in one phase each end soon
// after a signal or a limit at any moment of it, with their best point or none,
// and say so. Half a second is what the program promises; the test allows for a
// machine that does other things as well.
func TestInterruptedInEveryPhase(t *testing.T) {
	const patience = 10 * time.Second
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 14))
	write := func(name string, rows, cols int, header bool, cell func() float64) {
		var b bytes.Buffer
		for j := range cols {
			if header {
				fmt.Fprintf(&b, "x%d%s", j, map[bool]string{true: "\n", false: ","}[j == cols-1])
			}
		}
		for range rows {
			for j := range cols {
				fmt.Fprintf(&b, "%.4g%s", cell(), map[bool]string{true: "\n", false: ","}[j == cols-1])
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("square.csv", 800, 800, false, rng.NormFloat64)
	write("table.csv", 10000, 12, true, rng.NormFloat64)
	problem := func(name, src string) string {
		path := filepath.Join(dir, name+".dc")
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const square = "param A = csv(\"square.csv\"), n = rows(A)\n"
	table := filepath.Join(dir, "table.csv")
	for _, c := range []struct {
		name string
		args string
		span time.Duration // of the moments
	}{
		{"inverse", "solve " + problem("inverse", square+"param B = inv(A + 100*eye(n))\nvar x[n] in [-1, 1]\nminimize norm1(B*x - 1)\n"), 500 * time.Millisecond},
		{"cholesky", "solve " + problem("cholesky", square+"param L = chol(A*A' + eye(n))\nvar x[n] in [-1, 1]\nminimize sumsq(L*x - 1)\n"), time.Second},
		{"dense form", "solve " + problem("dense", square+"var x[n] in [-1, 1]\nminimize x'*(A + A')*x + sum(x)\n"), 1500 * time.Millisecond},
		{"gram", "solve " + problem("gram", square+"var x[n] in [-1, 1]\nminimize sumsq(A*x - 1) - norm2(x)\n"), 1500 * time.Millisecond},
		{"many variables", "solve " + problem("many", "param n = 150000\nvar x[n] in [-1, 1]\nminimize sumsq(x - 0.5) - norm2(x)\nsubject to\n  c[i in 1..n-1]: x[i+1] - x[i] <= 0.1\n"), 1500 * time.Millisecond},
		{"semidefinite", "solve " + problem("semidefinite", "param n = 160\nparam C[i in 1..n, j in 1..n] = sin(i*j) + sin(j*i) + cos(i + j)\nvar X[n,n] psd\nminimize sum(C.*X)\nsubject to\n  diag(X) == 1\n"), 500 * time.Millisecond},
		{"symbolic", "solve " + problem("symbolic", "param n = 45\nparam S[i in 1..n, j in 1..n] = cos(i - j)/(1 + abs(i - j)) + if(i == j, 1, 0)\nvar X[n,n] symmetric\nminimize sum(S.*X) - logdet(X) + .1*norm1(X) - .05*norm2(X)\n"), time.Second},
		{"starts", "solve " + problem("starts", slowProblem), 500 * time.Millisecond},
		{"proof", "solve --global " + problem("proof", "param n = 60\nvar x[n] in [-3, 3]\nminimize sum(i in 1..n) (x[i] - sin(7*i))^2 + sum(i in 1..n-1) (x[i+1] - x[i])^2 - 2*sum(i in 1..n) abs(x[i] - .1*cos(i))\n"), 500 * time.Millisecond},
		{"auto", "fit " + table + " -t x0 -o " + filepath.Join(dir, "m.json"), time.Second},
		{"ensemble", "fit " + table + " -t x0 --method ensemble -o " + filepath.Join(dir, "m.json"), time.Second},
		{"ccp", "fit " + table + " -t x0 --method ccp -o " + filepath.Join(dir, "m.json"), time.Second},
		{"folds", "cv " + table + " -t x0", time.Second},
		{"pipe", "solve -", 50 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				moment := time.Duration(rng.Int64N(int64(c.span)))
				ctx, cancel := context.WithCancel(t.Context())
				var stdout, stderr bytes.Buffer
				stdin, _ := io.Pipe() // nothing comes
				code := make(chan int, 1)
				go func() { code <- run(ctx, strings.Fields(c.args+" --json --quiet"), stdin, &stdout, &stderr) }()
				select {
				case got := <-code:
					if got != exit.OK && got != exit.NotSolved {
						t.Errorf("code %d before the signal: %s", got, stderr.String())
					}
					cancel()
					continue
				case <-time.After(moment):
				}
				cancel()
				select {
				case got := <-code:
					checkInterrupted(t, moment, got, stdout.Bytes(), stderr.String())
				case <-time.After(patience):
					t.Fatalf("a signal after %v: still running %v later", moment, patience)
				}
			}
		})
	}
}

// checkInterrupted: the code is that of an interrupt, or the run ended by itself
// at that moment; a result of solve says so, and has a point and a reason.
func checkInterrupted(t *testing.T, moment time.Duration, code int, stdout []byte, stderr string) {
	t.Helper()
	if code == exit.OK {
		return
	}
	if code != exit.Interrupted {
		t.Errorf("a signal after %v: code %d, %s%s", moment, code, stdout, stderr)
	}
	if len(stdout) == 0 {
		if !strings.Contains(stderr, "interrupted") {
			t.Errorf("a signal after %v: nothing but %q", moment, stderr)
		}
		return
	}
	var r struct {
		Status    string
		Message   string
		Feasible  *bool
		Variables map[string]json.RawMessage
	}
	if err := json.Unmarshal(stdout, &r); err != nil {
		t.Fatalf("a signal after %v: %v in %.200s", moment, err, stdout)
	}
	if r.Variables != nil && (r.Status != "cancelled" || r.Message == "" || r.Feasible == nil) {
		t.Errorf("a signal after %v: status %q, message %q", moment, r.Status, r.Message)
	}
}
