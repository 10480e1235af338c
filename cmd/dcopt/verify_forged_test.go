//go:build !race

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

var forgeries = flag.Int("forgeries", 2, "forgeries of each kind and problem of TestForgeries")

// forged are problems whose multipliers are unique.
var forged = map[string]struct {
	src    string
	global bool
}{
	"qp":      {"var x in [0, 10], y in [0, 10]\nlet s = x - y\nminimize (x - 3)^2 + (y - 2)^2\nsubject to\n  c: x + y <= 4\n", false},
	"tiny":    {"var x in [0, 10], y in [0, 10]\nminimize 1e-9*((x - 3)^2 + (y - 2)^2)\nsubject to\n  c: x + y <= 4\n", false},
	"free":    {"var x[3]\nmaximize -sumsq(x) - exp(x[1])\nsubject to\n  c[i in 1..2]: x[i] + x[i + 1] >= i\n", false},
	"far":     {"var x\nminimize 1e-9*x\nsubject to\n  c: x >= -1e9\n", false},
	"bilin":   {"var x in [0, 2], y in [0, 3]\nminimize x*y - 2*x - y\nsubject to\n  c: x^2 + y <= 3\n", true},
	"concave": {"var x[2] in [-1, 2]\nlet s = sumsq(x)\nminimize -s + 0.3*x[1]\nsubject to\n  c: x[1] + 2*x[2] <= 3\n", true},
	"atoms":   {"var x in [0.1, 2], y in [0, 1]\nminimize sqrt(x) + exp(-y) - log(x) + abs(x - y)\nsubject to\n  c: (x*y)/3 <= 0.2\n", true},
	"kinks":   {"var x[3] in [0, 2]\nminimize sumlargest(x, 2) + norm([x[1] - 1, x[2] - 0.5], 3) - sum(x)\nsubject to\n  c: sum(x) <= 3\n", false},
	"waves":   {"var x in [0, 6], y in [-1, 1]\nminimize sin(x) + y*cos(x) + tanh(2*y)\nsubject to\n  c: x + y <= 5\n", true},
	"bells":   {"var x in [-1, 2], y in [0.2, 3]\nlet s = erf(x)\nminimize normcdf(3*x) - asinh(y)*sigmoid(x) + x^2 + log10(y)\nsubject to\n  c: atan(x) + log2(y) <= 1\n", true},
	"cosh":    {"var x in [-1, 2], y in [0.2, 3]\nminimize cosh(x - y) + expm1(x) - log1p(y)\nsubject to\n  c: x + y >= 1\n", false},
	"flat":    {"var x in [0, 9], y in [0, 9]\nminimize x\nsubject to\n  c: sin(x) + cos(y) >= 2.1\n", false},
	"none":    {"var x in [0, 1], y in [0, 1]\nminimize x\nsubject to\n  c: x + y >= 3\n", false},
	"hidden":  {"var x in [-2000, 2000]\nminimize sqrt(300 - 0.14*x) + min(4, x^4)\n", true},
	"zero":    {"var x in [-1, 2], y in [-1, 2]\nminimize (x - y)^2 + x^2\n", false},
	// a robust fit, boxes that are huge and narrow, terms that cancel, a vertex of dependent rows
	"outlier": {"param y[i in 1..6] = if(i == 3, 1e6, i/2 + 0.01*sin(7*i))\nvar a in [-9, 9], b in [-9, 9]\n" +
		"minimize sum(i in 1..6) min((a*i/4 + b - y[i])^2, 1)*1e-9\n", true},
	"huge": {"var x in [-1e9, 1e9], y in [0, 1e9]\n" +
		"minimize 1e-18*(x - 3e8)^2 + 1e-9*(y - x)\nsubject to\n  c: x + y <= 1e9\n", false},
	"narrow": {"var x in [0, 2e-9], y in [0, 3e-9]\n" +
		"minimize 1e18*x*y - 2e9*x - 1e9*y\nsubject to\n  c: x + y <= 3e-9\n", true},
	"cancel": {"var x in [0, 3], y in [0, 3]\n" +
		"minimize (1e3 + x) - 1e3 + (y - 1)^2\nsubject to\n  c: x + y >= 1.5\n", false},
	"vertex": {"var x in [0, 4], y in [0, 4]\nminimize -x - 2*y\nsubject to\n" +
		"  a: x + y <= 2\n  b: x + 2*y <= 3\n  c: y <= 1\n  d: 2*x + 3*y <= 5\n", false},
	"twins": {"var x[2] in [-1, 2], y[2] in [-1, 2]\n" +
		"minimize sumsq(x) - sumsq(y) - 0.3*x[1] + y[2]\nsubject to\n  c: x[1] + y[1] + x[2] <= 3\n", true},
	"endless": {"var x, y in [0, 1]\nminimize y - 2*x\nsubject to\n  c: x >= y\n", false},
}

// TestForgeries: what is made false in a result or a proof, of any claim, is not accepted; what it
// was made of is.
func TestForgeries(t *testing.T) {
	dir := t.TempDir()
	path, file, proof := filepath.Join(dir, "p.dc"), filepath.Join(dir, "r.json"), filepath.Join(dir, "p.proof")
	verdict := func(text []byte, withProof bool) (code int, out map[string]any) {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"verify", path, file, "--json"}
		if withProof {
			args = append(args, "--proof", proof)
		}
		var stdout, stderr bytes.Buffer
		code = run(context.Background(), args, nil, &stdout, &stderr)
		if err := json.NewDecoder(&stdout).Decode(&out); err != nil && code == exit.OK {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		return code, out
	}
	marshal := func(r map[string]any) []byte {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	made := 0
	for _, name := range slices.Sorted(maps.Keys(forged)) {
		f := forged[name]
		if err := os.WriteFile(path, []byte(f.src), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"solve", path, "--json", "--quiet"}
		if f.global {
			args = append(args, "--global", "--proof", proof)
		}
		var stdout, stderr bytes.Buffer
		run(context.Background(), args, nil, &stdout, &stderr)
		if code, out := verdict(stdout.Bytes(), f.global); code != exit.OK {
			t.Errorf("%s: the right result ends with %d: %v\n%s", name, code, out, stdout.String())
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(forgers)) {
			for seed := range uint64(*forgeries) {
				d := rand.New(rand.NewPCG(seed, 0x666f726765))
				r := map[string]any{}
				if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
					t.Fatal(err)
				}
				was, _ := r["objective"].(float64)
				if strings.Contains(f.src, "maximize") {
					r["maximize"] = true
				}
				// a ray begins anywhere
				if !forgers[kind](d, r) || name == "endless" && strings.Contains(kind, "point") {
					break
				}
				delete(r, "maximize")
				moved := r["moved"] == true
				delete(r, "moved")
				if moved { // with the true numbers of the point, so that it is no local minimum alone
					_, out := verdict(marshal(r), false)
					v, known := out["objective_lower"].(float64)
					least := 1e-2 * max(math.Abs(was), 1e-3*unitOf(r))
					if !known || out["violation"].(float64) > 0 || math.Abs(v-was) < least {
						continue
					}
					r["objective"], r["max_violation"], r["feasible"] = v, out["violation"], true
					if r["bound"] != nil && r["proved"] == true {
						r["bound"] = v
					}
				}
				made++
				if code, out := verdict(marshal(r), f.global); code == exit.OK {
					t.Errorf("%s, %s, seed %d is accepted: %s\n%v", name, kind, seed, marshal(r), out["findings"])
				}
			}
		}
		for _, text := range []string{
			strings.TrimSpace(stdout.String()) + "{", strings.TrimSpace(stdout.String()) + stdout.String(),
			strings.Replace(stdout.String(), `"status":`, `"status":"stalled","status":`, 1),
			strings.Replace(stdout.String(), `"variables":{`, `"variables":{"x":0,`, 1),
		} {
			made++
			if code, out := verdict([]byte(text), f.global); code == exit.OK {
				t.Errorf("%s: %s is accepted: %v", name, text, out)
			}
		}
		if f.global {
			made += forgeProofs(t, name, proof, stdout.Bytes(), func(r map[string]any) (int, map[string]any) { return verdict(marshal(r), true) })
		}
	}
	t.Logf("%d forgeries", made)
	if made < 100 {
		t.Errorf("only %d forgeries", made)
	}
}

// forgeProofs claims more than a proof shows, with other numbers in it and a right checksum.
func forgeProofs(t *testing.T, name, path string, result []byte, verdict func(r map[string]any) (int, map[string]any)) (made int) {
	zipped, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = lines[:len(lines)-1]
	for seed := range uint64(3 * *forgeries) {
		d := rand.New(rand.NewPCG(seed, 0x70726f6f66))
		r, head := map[string]any{}, map[string]any{}
		if err := json.Unmarshal(result, &r); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
			t.Fatal(err)
		}
		v := r["objective"].(float64)
		better := v + math.Abs(far(d))*1e-3*valueOf(r) // all of them are minimised
		r["bound"], r["gap"], head["bound"] = better, 1., better
		all := slices.Clone(lines)
		switch seed % 5 {
		case 0: // what is left out is said to be worse
			head["upper"] = better
		case 1:
			head["box"] = [][]float64{{0.5, 0.5}, {0.25, 0.25}}
		case 2:
			all = append(all[:1:1], `{"e":true,"c":1}`)
		case 3: // another number in a leaf
			k := 1 + d.IntN(len(all)-1)
			leaf := map[string]any{}
			if json.Unmarshal([]byte(all[k]), &leaf) == nil {
				for range 3 {
					leaf = change(d, leaf, 1).(map[string]any)
				}
				if s, ok := leaf["s"].(float64); ok {
					leaf["s"] = math.Mod(math.Abs(math.Trunc(s)), 2)
				}
				if b, err := json.Marshal(leaf); err == nil {
					all[k] = string(b)
				}
			}
		case 4:
			all = append(all[:1:1], `{"c":1e-300}`)
		}
		b, err := json.Marshal(head)
		if err != nil {
			t.Fatal(err)
		}
		all[0] = string(b)
		body := strings.Join(all, "\n") + "\n"
		sum := sha256.Sum256([]byte(body))
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		fmt.Fprintf(w, "%s{\"sha256\":%q}\n", body, hex.EncodeToString(sum[:]))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		made++
		if code, out := verdict(r); code == exit.OK {
			t.Errorf("%s: the forged proof %d of the bound %g is accepted: %v\n%s", name, seed, better, out, body)
		}
	}
	return made
}
