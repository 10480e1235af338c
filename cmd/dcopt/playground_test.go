package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/tools/playground"
)

// times are the seconds in a result.
var times = regexp.MustCompile(`"seconds":\{[^}]*\}`)

// TestPlaygroundAnswers: the engine of the playground answers as solve --json does, byte by
// byte but for the times.
func TestPlaygroundAnswers(t *testing.T) {
	csv, err := os.ReadFile("../../examples/data/radii.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "radii.csv"), csv, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"var x in [-2, 3] start 2\nminimize abs(x) - 2*abs(x - 1)\n",
		"param r = csv(\"radii.csv\")[1..4]\nparam n = len(r)\nvar c[n,2] start normal(0, 10)\nminimize max(i in 1..n) (norminf(c[i,:]) + r[i])\nsubject to\n" +
			"  apart[i in 1..n, j in i+1..n]: norm2(c[i,:] - c[j,:]) >= r[i] + r[j]\noption starts = 3, seed = 4, tau = 0.1, tol = 1e-5\n",
		"set S = {\"a\", \"b\"}\nparam w[S] = {\"a\": 1, \"b\": 2}\nvar x[S] in [0, 1], f[S,1..2] >= 0\nlet d[i in S] = 2*x[i]\nmaximize sum(i in S) w[i]*x[i] - sum(i in S) f[i,1]\n",
		"var X[2,2] psd\nvar t\nminimize trace(X) + t^2\nsubject to\n  X[1,2] == 1\n  bent: t^2 - 2*t == -1\n  family[i in 1..2]: X[i,i] <= 3 + t\n  cone: norm2([X[1,1], t]) <= 5\n",
		"var x\nminimize x + y\n",
		"var x\nminimize x\nsubject to\n  a: x >= 2\n  b: x <= 1\n",
		"var x\nminimize x\n",
		"var x[3], y[3] in [-1, 1]\nfind\nsubject to\n  a[i in 1..3]: 1 <= x[i]^2 + y[i]^2 <= 2\n  b: x == y\n",
	} {
		file := filepath.Join(dir, "problem.dc")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		args := []string{"solve", "--json", file}
		if !strings.Contains(text, "starts") {
			args = append(args, "--effort", "quick")
		}
		code := run(context.Background(), args, nil, &stdout, &stderr)
		var e playground.Engine
		e.Put("radii.csv", csv)
		var got struct {
			Diagnostics []struct{ Severity, Message string }
			Result      json.RawMessage
		}
		if err := json.Unmarshal(e.Solve(context.Background(), text, playground.Request{}, nil), &got); err != nil {
			t.Fatal(err)
		}
		if code == exit.File {
			var said struct{ Message string }
			if err := json.Unmarshal(stderr.Bytes(), &said); err != nil || got.Result != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Message != said.Message {
				t.Errorf("%s: the command says %s, the playground %+v, %s", text, stderr.String(), got.Diagnostics, got.Result)
			}
			continue
		}
		want := times.ReplaceAll(bytes.TrimSpace(stdout.Bytes()), nil)
		if result := times.ReplaceAll(got.Result, nil); !bytes.Equal(result, want) {
			t.Errorf("%s: the playground answers\n%s\nthe command\n%s", text, result, want)
		}
	}
}
