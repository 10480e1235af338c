package srbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/lder"
)

func TestDev(t *testing.T) {
	shared := os.Getenv("DCOPT_SHARED")
	sets, err := ReadSets(filepath.Join(shared, "data/srbench"), filepath.Join(shared, "data/pmlb"))
	if err != nil {
		t.Fatal(err)
	}
	pub, err := ReadPublished(filepath.Join(shared, "data/srbench/published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var use []Set
	for _, s := range sets {
		if f := os.Getenv("ONLY"); f == "" || strings.Contains(s.Name, f) {
			use = append(use, s)
		}
	}
	var methods []lder.Method
	for _, m := range strings.Split(os.Getenv("METHODS"), ",") {
		x, err := lder.ParseMethod(m)
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, x)
	}
	n := 3
	fmt.Sscan(os.Getenv("TRIALS"), &n)
	table, err := Open(os.Getenv("OUT"), false)
	if err != nil {
		t.Fatal(err)
	}
	seeds := Seeds()[:n]
	c := Campaign{Sets: use, Methods: methods, Seeds: seeds, Limit: 10 * time.Minute, Version: os.Getenv("VER"), Workers: 1}
	if err := c.Run(context.Background(), table); err != nil {
		t.Fatal(err)
	}
	var mine []Row
	for _, r := range table.Rows {
		if r.Version == os.Getenv("VER") {
			mine = append(mine, r)
		}
	}
	med := Medians(mine, seeds)
	info := map[string]Published{}
	oper := map[string]float64{}
	for _, p := range pub {
		info[p.Set] = p
		if p.Algorithm == "*Operon" {
			oper[p.Set] = p.R2
		}
	}
	for _, s := range use {
		fmt.Printf("%-32s %6d %3d  Operon %.3f", s.Name, len(s.Y), len(s.X[0]), oper[s.Name])
		for _, m := range methods {
			v := med[s.Name][m.String()]
			fmt.Printf("  %s %.3f (%.0f, %.2fs)", m, v.R2, v.Size, v.Seconds)
		}
		fmt.Println()
	}
	for _, m := range methods {
		for name, keep := range map[string]func(Published) bool{
			"all": func(Published) bool { return true }, "real": func(p Published) bool { return p.Friedman == "False" }, "fri": func(p Published) bool { return p.Friedman == "True" },
			"fri25+": func(p Published) bool { return p.Friedman == "True" && p.Features >= 25 },
		} {
			for k, l := range League(med, pub, m.String(), keep) {
				if !l.Published && l.Method == m.String() || k < 4 && l.Published {
					fmt.Printf("%-7s %-10s sets %d rank %.2f R2 %.4f size %.0f s %.2f\n", name, l.Method, l.Sets, l.Rank, l.R2, l.Size, l.Seconds)
				}
			}
		}
	}
}
