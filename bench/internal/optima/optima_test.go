//go:build !race

package optima

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/internal/need"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/verify"
)

// TestConcave: the problems of Floudas and Pardalos are those of the book, as their proved
// optima are the published ones.
func TestConcave(t *testing.T) {
	all, err := Load("concave", "")
	if err != nil || len(all) != len(published) {
		t.Fatal(len(all), err)
	}
	for _, in := range all {
		if in.Name == "ex2_1_9" { // seconds; dcbench global has it
			continue
		}
		file, err := lang.Parse(in.Name, []byte(in.Source))
		if err != nil {
			t.Fatal(err)
		}
		prog, err := lang.Compile(context.Background(), file, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := global.Solve(context.Background(), prog.Problem, nil, 1, ccp.DefaultSettings())
		if err != nil || !res.Proved || math.Abs(res.Objective-in.Optimum) > 1e-6*max(1, math.Abs(in.Optimum)) {
			t.Errorf("%s: error %v, %+v; published %.10g", in.Name, err, res, in.Optimum)
		}
	}
}

// TestInfeasibleNodes: a way around discs, where most nodes have no feasible point by the rows and
// the intervals of affine functions together. Without a proof of that they are split for ever.
func TestInfeasibleNodes(t *testing.T) {
	all, err := Load("families", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		if in.Name != "path" {
			continue
		}
		file, err := lang.Parse(in.Name, []byte(in.Source))
		if err != nil {
			t.Fatal(err)
		}
		prog, err := lang.Compile(context.Background(), file, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := ccp.DefaultSettings()
		set.Global.MaxNodes = 300
		if res, err := global.Solve(context.Background(), prog.Problem, nil, 1, set); err != nil || !res.Proved {
			t.Errorf("error %v, gap %g after %d nodes", err, res.Gap, res.Nodes)
		}
		return
	}
	t.Error("no path")
}

// TestSets: every instance is a problem of which verify writes a tree.
func TestSets(t *testing.T) {
	dir := filepath.Dir(filepath.Dir(shared.Path(t, "data", "boxqp")))
	for _, set := range Sets {
		t.Run(set, func(t *testing.T) { checkSet(t, set, dir) })
	}
	for _, bad := range []string{"", "2 1 2 3"} {
		if _, _, err := boxSource(bad); err == nil {
			t.Errorf("%q is an instance", bad)
		}
	}
	if _, err := Load("none", ""); err == nil {
		t.Error("a set that is not there")
	}
}

func checkSet(t *testing.T, set, dir string) {
	all, err := Load(set, dir)
	switch {
	case !shared.Whole(t) && (errors.Is(err, fs.ErrNotExist) || err == nil && len(all) == 0):
		need.That(t, false, need.Data, "not in the part that the repository has:", set)
	case err != nil:
		t.Fatal(err)
	case strings.HasPrefix(set, "boxqp"):
		all = all[:1]
	}
	for _, in := range all {
		folder := t.TempDir()
		if err := (&dcset.Program{Source: in.Source, Files: in.Files}).Write(folder); err != nil {
			t.Fatal(err)
		}
		p, err := verify.Read(context.Background(), in.Source, reader.NewData(nil, folder), nil)
		if err != nil || p.NumVars() == 0 {
			t.Errorf("%s: %v", in.Name, err)
			continue
		}
		var text strings.Builder
		if err := p.WriteTree(&text); err != nil && !strings.Contains(err.Error(), "matrix") {
			t.Errorf("%s: %v", in.Name, err)
		}
	}
	if set == "nine" && len(all) != 9 {
		t.Errorf("%d of the nine examples", len(all))
	}
}
