//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	edges     = flag.Int("edges", 100, "random problems of TestVerifyRightAnswers")
	firstEdge = flag.Uint64("first-edge", 500_000, "the number of the first of them")
)

// edgeDrawer writes random problems whose functions have the ends of their domains at ends of the
// box.
type edgeDrawer struct {
	*rand.Rand
	n  int
	hi []float64 // bounds of variables, from 0
}

func (d *edgeDrawer) number() float64 { return math.Round(200*d.Float64()-100) / 100 }

// affine is an affine function, and its least value over the box.
func (d *edgeDrawer) affine() (text string, least float64) {
	var parts []string
	for j := range d.n {
		if w := d.number(); d.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf("%.2f*x[%d]", w, j+1))
			least += min(0, w*d.hi[j])
		}
	}
	if len(parts) == 0 {
		return "x[1]", 0
	}
	return strings.Join(parts, " + "), least
}

func (d *edgeDrawer) any() string {
	a, _ := d.affine()
	return fmt.Sprintf("%s + %.2f", a, d.number())
}

// edge is an affine function whose least value over the box is 0, up to rounding.
func (d *edgeDrawer) edge() string {
	if d.IntN(3) == 0 {
		return fmt.Sprintf("x[%d]", 1+d.IntN(d.n))
	}
	a, least := d.affine()
	return fmt.Sprintf("%s + %.4f", a, -least)
}

func (d *edgeDrawer) atom() string {
	a, b, c := d.any(), d.any(), d.any()
	p, q := d.edge(), d.edge()
	kinds := []string{
		"sqrt(" + p + ")", "entr(" + p + ")", "xexp(" + p + ")", "(" + p + ")^1.5", "(" + p + ")^0.3", "(" + p + ")^2.7",
		"geomean([" + p + ", " + q + "])", "kl(" + p + ", " + q + " + 0.1)", "rel_entr(" + p + ", " + q + " + 0.2)",
		"quadoverlin([" + a + ", " + b + "], " + p + " + 0.3)", "wgeomean([" + p + ", " + q + "], [1, 3])",
		"log(" + p + " + 0.01)", "invpos(" + p + " + 0.05)", "(" + p + " + 0.1)^-0.5", "abs(" + p + ")", "pos(" + a + ")",
		"sumlargest([" + a + ", " + b + ", " + c + "], 2)", "dotsort([" + a + ", " + b + "], [0.5, 2])", "norm2([" + p + ", " + q + "])",
		"norm([" + p + ", " + q + "], 3)", "max(" + p + ", " + q + ", " + a + ")", "min(" + p + ", " + b + ")", "(" + p + ")*(" + q + ")",
		"(" + a + ")^2", "exp(" + a + ")", "logistic(" + a + ")", "huber(" + p + ", 0.5)", "lse([" + a + ", " + p + "])",
		"sqrt(1e-6 + (" + a + ")^2)", "abs(abs(" + a + ") - 0.5)", "exp(-10*(" + a + ")^2)", "norm([" + p + ", " + q + "], 1.01)",
		"norm([" + a + ", " + q + "], 30)", "(" + a + ")^3/7",
	}
	return kinds[d.IntN(len(kinds))]
}

func (d *edgeDrawer) sum(terms int) string {
	parts := []string{d.any()}
	for range terms {
		parts = append(parts, fmt.Sprintf("(%.2f)*%s", d.number(), d.atom()))
	}
	return strings.Join(parts, " + ")
}

// drawEdge is a random problem file over 1 to 3 variables.
func drawEdge(seed uint64) string {
	d := &edgeDrawer{Rand: rand.New(rand.NewPCG(seed, 0x65646765))}
	d.n = 1 + d.IntN(3)
	var ends []string
	for range d.n {
		d.hi = append(d.hi, float64(1+d.IntN(16))/4)
		ends = append(ends, fmt.Sprint(d.hi[len(d.hi)-1]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "var x[%d] in [0, [%s]]\n", d.n, strings.Join(ends, ", "))
	verb := "minimize"
	if d.IntN(3) == 0 {
		verb = "maximize"
	}
	fmt.Fprintf(&b, "%s %s\n", verb, d.sum(1+d.IntN(3)))
	if m := d.IntN(3); m > 0 {
		b.WriteString("subject to\n")
		for i := range m {
			switch d.IntN(5) {
			case 0:
				fmt.Fprintf(&b, "  c%d: (%s)/%d == %.2f\n", i+1, d.any(), 2+d.IntN(5), d.number()/4)
			case 1:
				fmt.Fprintf(&b, "  c%d: %s >= 0\n", i+1, d.any())
			default:
				fmt.Fprintf(&b, "  c%d: %s <= %.2f\n", i+1, d.sum(1+d.IntN(2)), d.number()+1)
			}
		}
	}
	return b.String()
}

// repaired are problems whose answers verify refused: wrong multipliers of bounds, at kinks and of
// convex problems, certificates that show nothing, a point that is no minimum, and broken rows that
// rounding errors excused.
var repaired = []uint64{
	10, 72, 94, 5082, 5117, 71009, 71011, 71170, 400793, 500216, 600022, 600168, 600358, 600529, 600618, 600661, 920111,
}

// TestVerifyRightAnswers: of the answers to random problems at the edges of domains 98 % are
// accepted, and verify refuses no answer.
func TestVerifyRightAnswers(t *testing.T) {
	dir := t.TempDir()
	path, file, proof := filepath.Join(dir, "p.dc"), filepath.Join(dir, "r.json"), filepath.Join(dir, "p.proof")
	tally := map[string]int{}
	seeds := slices.Clone(repaired)
	for k := range uint64(*edges) {
		seeds = append(seeds, *firstEdge+k)
	}
	for k, seed := range seeds {
		if k == len(repaired) {
			clear(tally)
		}
		src := drawEdge(seed)
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, global := range []bool{false, true} {
			args := []string{"solve", path, "--json", "--quiet", "--time-limit", "5s"}
			check := []string{"verify", path, file, "--json"}
			if global {
				os.Remove(proof)
				args, check = append(args, "--global", "--proof", proof), append(check, "--proof", proof)
			}
			var result, verdict, stderr bytes.Buffer
			code := run(context.Background(), args, nil, &result, &stderr)
			if code != 0 && code != 3 {
				tally["no problem"]++
				continue
			}
			if _, err := os.Stat(proof); global && err != nil {
				check = check[:4]
			}
			if err := os.WriteFile(file, result.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			var out struct {
				Verdict  string
				Findings []struct{ Claim, Verdict, Text string }
			}
			code = run(context.Background(), check, nil, &verdict, &stderr)
			if err := json.Unmarshal(verdict.Bytes(), &out); err != nil {
				t.Fatalf("seed %d: code %d: %v: %s", seed, code, err, stderr.String())
			}
			tally[out.Verdict]++
			for _, f := range out.Findings {
				if f.Verdict == "refused" {
					t.Errorf("seed %d, global %t: %s is refused: %s\n%s", seed, global, f.Claim, f.Text, src)
				}
			}
			if out.Verdict != "accepted" {
				var status struct{ Status string }
				_ = json.Unmarshal(result.Bytes(), &status)
				t.Logf("seed %d, global %t, %s: %s\n%s", seed, global, status.Status, verdict.String()+stderr.String(), src)
			}
		}
	}
	t.Logf("%v", tally)
	all := tally["accepted"] + tally["incomplete"] + tally["refused"]
	if all < *edges || 100*tally["accepted"] < 98*all {
		t.Errorf("of %d results %d are accepted", all, tally["accepted"])
	}
}
