package verify_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/ccp/global/prooffile"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/shared"
)

var (
	boxNames = flag.String("boxqp", "spar020-100-1,spar030-060-2,spar040-030-1", "instances of TestBoxQP, or the beginnings of their names")
	boxLimit = flag.Duration("boxqp-limit", 0, "time limit of an instance of TestBoxQP, which then may be left without a proof; 0: none")
)

// boxProblem is an instance of BoxQP as a problem file.
func boxProblem(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(text))
	n, err := strconv.Atoi(words[0])
	if err != nil || len(words) != 1+n+n*n {
		t.Fatalf("%s: %d numbers for %s variables (%v)", path, len(words), words[0], err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "param c = [%s]\nparam Q = [", strings.Join(words[1:1+n], ", "))
	for i := range n {
		if i > 0 {
			b.WriteString(";\n  ")
		}
		b.WriteString(strings.Join(words[1+n+i*n:1+2*n+i*n], ", "))
	}
	fmt.Fprintf(&b, "]\nvar x[%d] in [0, 1]\nmaximize 0.5*quad(x, Q) + c*x\n", n)
	return b.String()
}

// TestBoxQP: quadratic functions over boxes are proved at the published maxima, and the
// proofs are accepted. -boxqp spar020,spar030 -boxqp-limit 60s -v prints a table of more.
func TestBoxQP(t *testing.T) {
	dir := shared.Path(t, "data", "boxqp")
	table, err := os.ReadFile(filepath.Join(dir, "optima.csv"))
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, row := range strings.Fields(string(table))[1:] {
		name, value, _ := strings.Cut(row, ",")
		optimum, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		wanted := false
		for _, begin := range strings.Split(*boxNames, ",") {
			wanted = wanted || strings.HasPrefix(name, begin)
		}
		if !wanted {
			continue
		}
		tested++
		src := boxProblem(t, filepath.Join(dir, name+".in"))
		file, err := lang.Parse(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		prog, err := lang.Compile(context.Background(), file, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Global.Proof = true
		ctx, cancel := context.WithCancel(context.Background())
		if *boxLimit > 0 {
			ctx, cancel = context.WithTimeout(context.Background(), *boxLimit)
		}
		begin := time.Now()
		res, err := global.Solve(ctx, prog.Problem, nil, 1, set)
		seconds := time.Since(begin).Seconds()
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		var proof bytes.Buffer
		if err := prooffile.Write(&proof, res.Proof); err != nil {
			t.Fatal(err)
		}
		out, err := read(t, src).Proof(context.Background(), &proof)
		tol := 1e-6 * max(1, math.Abs(optimum))
		if err != nil || out.Lower < optimum-tol || out.Lower > res.Bound+1e-9*math.Abs(res.Bound) || res.Objective > optimum+tol {
			t.Errorf("%s: error %v, found %.10g, bound %.10g, verified %.10g, published %.10g", name, err, res.Objective, res.Bound, out.Lower, optimum)
		}
		if *boxLimit == 0 && !(res.Proved && math.Abs(res.Objective-optimum) <= 2*tol) {
			t.Errorf("%s: %v, found %.10g, bound %.10g; published %.10g", name, res.Status, res.Objective, res.Bound, optimum)
		}
		t.Logf("| %s | %.6f | %.6f | %.1e | %d | %.2f |", name, res.Objective, res.Bound, res.Gap, res.Nodes, seconds)
	}
	if tested == 0 {
		t.Errorf("no instance begins as one of %s", *boxNames)
	}
}
