//go:build !race

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDomains: a function excludes the points at which it has no value, whatever its argument and
// whatever stands around it; verify refuses no answer.
func TestDomains(t *testing.T) {
	none := math.NaN()
	const box = "var x in [1, 2], y in [-1, 1]\n"
	for name, c := range map[string]struct {
		src, status string
		objective   float64
	}{
		"a power of a product":           {box + "minimize tanh((x*y - 2.1)^1.5)\n", "infeasible", none},
		"a power of a product, alone":    {box + "minimize (x*y - 2.1)^1.5\n", "infeasible", none},
		"a power of a product, negative": {box + "minimize x - (x*y - 1.5)^1.5\n", "converged", 1.5},
		"a power of a concave function":  {box + "minimize y + (1.5 - x - abs(y - 0.2))^2.5\n", "converged", -0.3},
		"the same, negative":             {box + "minimize y - (1.5 - x - abs(y - 0.2))^2.5\n", "converged", -0.3},
		"a power in a constraint": {
			box + "minimize -y\nsubject to\n  c: (1.5 - x - abs(y - 0.2))^2.5 <= 0.1\n", "converged", -0.7,
		},
		"xexp of a product":                      {box + "minimize y + xexp(x*y)\n", "converged", 0},
		"a convex power, with a bound":           {box + "minimize y + (y + 0.3)^2.5\n", "converged", -0.3},
		"an end without a value that is no pole": {"var y in [0, 1]\nmaximize y*log(y)\n", "converged", 0},
		"the same, of several": {
			"var x in [0, 1], y in [0, 1]\nminimize x*y - x*log(x) - y*log(y)\n", "converged", 0,
		},
		"an empty domain":               {"var x in [1, 2]\nminimize -sqrt(-x)\n", "infeasible", none},
		"an empty domain of a power":    {"var x in [1, 2]\nminimize (-x)^1.5\n", "infeasible", none},
		"an empty domain, maximised":    {"var x in [1, 2]\nmaximize min(x, sqrt(-x))\n", "infeasible", none},
		"an empty domain within a wave": {"var x in [1, 2]\nminimize sinh((-x)^1.5)\n", "infeasible", none},
		"an empty domain of a fixed variable": {
			"var x in [2, 2]\nminimize (-2*x - 2.89)^(-2)\n", "infeasible", none,
		},
		"the end of a domain that is no bound": {"var x in [0, 1.85]\nminimize sqrt(x - 3.43*x)\n", "converged", 0},
		"the same, of a row": {
			"var x in [0, 1]\nminimize x^2\nsubject to\n  c: sin((0.63 - 1.15*x)^0.4) <= 1e-8\n",
			"converged", math.Pow(0.63/1.15, 2),
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, file := filepath.Join(dir, "p.dc"), filepath.Join(dir, "r.json")
			if err := os.WriteFile(path, []byte(c.src), 0o644); err != nil {
				t.Fatal(err)
			}
			r := runCase(t, path)
			off := 0.0
			if r.Objective == nil != math.IsNaN(c.objective) {
				off = math.Inf(1)
			} else if r.Objective != nil {
				off = math.Abs(*r.Objective - c.objective)
			}
			if r.Status != c.status || off > 1e-5 {
				t.Errorf("%s, %v off: %s", r.Status, off, r.text)
			}
			if r.Status == "converged" && !(r.Bound != nil && math.Abs(*r.Bound-c.objective) < 1e-4) {
				t.Errorf("the bound is %s", r.text)
			}
			if err := os.WriteFile(file, r.text, 0o644); err != nil {
				t.Fatal(err)
			}
			if code, stdout, _ := runDcopt("verify", path, file); code == 3 {
				t.Errorf("verify refuses:\n%s", strings.TrimSpace(stdout))
			}
		})
	}
}

// TestViolationOfProducts: a product of affine functions that must be large is broken by what its
// own value says, not by a factor that its convex form has no root of.
func TestViolationOfProducts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.dc")
	src := "var x in [1e-5, 4.5e-5], y in [0, 5e6]\nminimize x\n" +
		"subject to\n  c: 1e-7*((2.91 - 3*y)*(3.5*x + 9e-6)) >= 5e-8\n"
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	r := runCase(t, path)
	if r.Status != "infeasible" || r.Violation == nil || *r.Violation > 3e-4 { // at most, at the bounds
		t.Errorf("%s", r.text)
	}
}

// TestFixedVariables: a variable whose bounds are equal has a multiplier by its slope in products,
// in the objective, in rows and in equations.
func TestFixedVariables(t *testing.T) {
	for _, src := range []string{
		"var x in [2, 2], y in [1, 3]\nminimize x*y\n",
		"var x in [2, 2], y in [1, 3]\nminimize -y\nsubject to\n  a: x*y <= 4\n",
		"var x in [2, 2], y in [1, 3], z in [0, 9]\nminimize x*y + z^2\n" +
			"subject to\n  a: x*y == 3 + z\n  b: x*z >= 0.5\n",
	} {
		dir := t.TempDir()
		path, file := filepath.Join(dir, "p.dc"), filepath.Join(dir, "r.json")
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		r := runCase(t, path)
		if err := os.WriteFile(file, r.text, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, stdout, _ := runDcopt("verify", path, file); code != 0 {
			t.Errorf("%sverify ends with %d:\n%s", src, code, strings.TrimSpace(stdout))
		}
	}
}

// TestWeldedBeam: the splits of functions of functions have terms that are 1e12 times as large as
// the functions, so that no convex problem can be solved; the functions as they are written lead to
// the best beam (Ragsdell and Phillips 1976, with the buckling load of 64,746), proved by --global.
func TestWeldedBeam(t *testing.T) {
	const vars = "var h in [0.1, 2], l in [0.1, 10], t in [0.1, 10], b in [0.1, 2]\n"
	const rest = "minimize 1.10471*h^2*l + 0.04811*t*b*(14 + l)\nsubject to\n" +
		"  sqrt(s^2 + s*q*l/R + q^2) <= 13600\n  504000/(b*t^2) <= 30000\n  h <= b\n" +
		"  2.1952/(t^3*b) <= 0.25\n  64746.022*(1 - 0.0282346*t)*t*b^3 >= 6000\n"
	for name, src := range map[string]string{
		"functions": vars + "let M = 6000*(14 + l/2), R = sqrt(l^2/4 + ((h + t)/2)^2)\n" +
			"let J = 2*(1.41421356*h*l*(l^2/12 + ((h + t)/2)^2)), s = 6000/(1.41421356*h*l)\n" +
			"let q = M*R/J\n" + rest,
		"equations": vars + "var M in [0, 1e6], R in [0, 20], J in [0.01, 1e4]\n" +
			"let s = 6000/(1.41421356*h*l), q = M*R/J\n" + rest + "  M == 6000*(14 + l/2)\n" +
			"  R^2 == l^2/4 + ((h + t)/2)^2\n  J == 2*(1.41421356*h*l*(l^2/12 + ((h + t)/2)^2))\n",
	} {
		path := filepath.Join(t.TempDir(), "p.dc")
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := runCase(t, path); r.Status != "converged" || math.Abs(*r.Objective-1.8616438) > 1e-6 {
			t.Errorf("%s: %s", name, r.text)
		}
	}
}
