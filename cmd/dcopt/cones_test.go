package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// coneSamples have one kind of cone each.
var coneSamples = []struct {
	kind qpbackend.ConeKind
	src  string
}{
	{qpbackend.SecondOrder, "var x[3] in [-1, 2]\nminimize norm2(x - 3) + x[1]"},
	{qpbackend.Exponential, "var x[3] in [-1, 2]\nminimize sum(exp(x)) - x[1]"},
	{qpbackend.Power, "var x[3] in [0, 2]\nminimize sum(x^1.5) - x[1]"},
	{qpbackend.Semidefinite, "var X[3,3] psd in [-1, 2]\nminimize lambda_max(X) - X[1,2] - X[2,3]"},
}

// TestConesAndBackends: check names the cone and the backends that have it; a
// backend that lacks it refuses by name, and says which do not.
func TestConesAndBackends(t *testing.T) {
	for _, s := range coneSamples {
		t.Run(s.kind.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.dc")
			if err := os.WriteFile(path, []byte(s.src), 0o600); err != nil {
				t.Fatal(err)
			}
			dcopt := func(args ...string) (int, string, string) {
				var stdout, stderr bytes.Buffer
				code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
				return code, stdout.String(), stderr.String()
			}
			code, out, _ := dcopt("check", path)
			var can []string
			for _, b := range backends.All() {
				if b.Supports(s.kind) {
					can = append(can, b.Name())
				}
			}
			if !slices.Contains(can, "ipm") {
				t.Errorf("the default backend lacks the cone")
			}
			if want := "cones          " + s.kind.String() + " "; code != 0 || !strings.Contains(out, want) {
				t.Errorf("check ends with %d and says\n%swant %q", code, out, want)
			}
			if want := "backends       " + strings.Join(can, ", ") + "\n"; !strings.Contains(out, want) {
				t.Errorf("check says\n%swant %q", out, want)
			}
			for _, b := range backends.All() {
				code, out, msg := dcopt("solve", "--backend", b.Name(), path)
				if b.Supports(s.kind) {
					if code != 0 || !strings.Contains(out, "converged") {
						t.Errorf("%s ends with %d and says\n%s%s", b.Name(), code, out, msg)
					}
					continue
				}
				want := fmt.Sprintf("backend %s has no %v cone; backends that can: %s", b.Name(), s.kind, strings.Join(can, ", "))
				if code != 1 || !strings.Contains(msg, want) {
					t.Errorf("%s ends with %d and says\n%swant %q", b.Name(), code, msg, want)
				}
			}
		})
	}
	if len(coneSamples) != len(kindsOfCones()) {
		t.Errorf("%d kinds of cones, %d samples", len(kindsOfCones()), len(coneSamples))
	}
}

// kindsOfCones are all that have a name.
func kindsOfCones() (all []qpbackend.ConeKind) {
	unnamed := regexp.MustCompile(`^ConeKind`)
	for k := qpbackend.ConeKind(0); !unnamed.MatchString(k.String()); k++ {
		all = append(all, k)
	}
	return all
}
