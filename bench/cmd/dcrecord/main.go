// Command dcrecord records the runs of the convex-concave procedure on
// problem files and on the families of dcbench, for a comparison of two states
// of the code:
//
//	dcrecord -out before.jsonl -shared ../shared FILES.dc
//	dcrecord -compare before.jsonl after.jsonl
//	dcrecord -ablation -sizes small -seeds 2 FILES.dc
//	dcrecord -constants ccp/internal/stop/stop.go:MostRefits -factors 0.3,3 FILES.dc
//
// With -ablation it prints the table of docs/lab/ccp.md: the procedure with one setting
// changed at a time, from the given start of each file, of each draw of the families and,
// with -shared, of the reference problems.
// With -constants it prints the effects of numeric constants of the code: each is multiplied by
// the factors in builds of this program, which record the same runs.
// Each line of a record is a problem with a seed: status, objective, violation
// and the objective of every iteration.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/ccp"
)

// entry is one run. Numbers are text so that infinities survive.
type entry struct {
	Name       string   `json:"name"`
	Status     string   `json:"status"`
	Objective  string   `json:"objective"`
	Violation  string   `json:"violation"`
	Iterations int      `json:"iterations"`
	Seconds    float64  `json:"seconds"`
	History    []string `json:"history"`
}

func main() {
	out := flag.String("out", "", "write the record to `FILE`")
	shared := flag.String("shared", "", "also the reference problems in `DIR`")
	compare := flag.Bool("compare", false, "compare two records")
	ablate := flag.Bool("ablation", false, "print what one changed setting at a time does; -seeds are draws of the "+
		"families")
	rows := flag.String("rows", "", "of the ablation: only rows whose name has one of the words `W1,W2`")
	names := flag.String("constants", "", "print the effects of constants, `FILE.go:NAME,...`")
	factors := flag.String("factors", "0.3,3", "of -constants: multiply each by `F1,F2`")
	sizes := flag.String("sizes", "small", "sizes of the families, S1,S2; none for no families")
	seeds := flag.Int("seeds", 3, "seeds per family and size")
	starts := flag.Int("starts", 1, "of the ablation: each run is one of Multistart from `N` starts, with rows for "+
		"its settings if N > 1")
	limit := flag.Duration("limit", 20*time.Second, "time limit of a run")
	flag.Parse()
	var err error
	switch {
	case *names != "":
		var list []float64
		for _, f := range strings.Split(*factors, ",") {
			list = append(list, number(f))
		}
		err = constants(os.Stdout, strings.Split(*names, ","), list,
			append([]string{"-shared", *shared, "-sizes", *sizes, "-seeds", strconv.Itoa(*seeds), "-limit",
				limit.String()}, flag.Args()...))
	case *ablate:
		err = ablation(os.Stdout, strings.Split(*rows, ","), *shared, *sizes, *seeds, max(*starts, 1), *limit,
			flag.Args())
	case *compare:
		err = difference(os.Stdout, flag.Args())
	default:
		err = record(*out, *shared, *sizes, *seeds, *limit, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dcrecord:", err)
		os.Exit(1)
	}
}

// record runs all problems and writes a line for each.
func record(out, shared, sizes string, seeds int, limit time.Duration, files []string) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	run := func(name, path string, seed uint64) error {
		e, err := solve(path, seed, limit)
		if err != nil {
			e.Status = "error: " + err.Error()
		}
		e.Name = name
		return enc.Encode(e)
	}
	for _, path := range files {
		if err := run(filepath.Base(path), path, 0); err != nil {
			return err
		}
	}
	all, err := instances(shared, sizes, 1)
	if err != nil {
		return err
	}
	for _, in := range all {
		n := seeds
		if in.Group != families {
			n = 1
		}
		if err := drawn(in, n, run); err != nil {
			return err
		}
	}
	return f.Close()
}

// instances are the draws of the families at the sizes and the reference problems.
func instances(shared, sizes string, draws int) ([]dcset.Instance, error) {
	var all []dcset.Instance
	if sizes != "none" {
		fam, err := dcset.Families([]string{"all"}, strings.Split(sizes, ","), draws)
		if err != nil {
			return nil, err
		}
		all = fam
	}
	if shared != "" {
		ref, err := dcset.References(shared, []string{"all"})
		if err != nil {
			return nil, err
		}
		all = append(all, ref...)
	}
	return all, nil
}

// drawn writes an instance to a folder and runs it with n seeds.
func drawn(in dcset.Instance, n int, run func(name, path string, seed uint64) error) error {
	prog, err := in.Make()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dcrecord")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := prog.Write(dir); err != nil {
		return err
	}
	for seed := range n {
		if err := run(fmt.Sprintf("%s/%d", in.Name(), seed), filepath.Join(dir, dcset.SourceFile),
			uint64(seed)); err != nil {
			return err
		}
	}
	return nil
}

func solve(path string, seed uint64, limit time.Duration) (entry, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	p, set, err := compile(ctx, path)
	if err != nil {
		return entry{}, err
	}
	set.Seed = seed
	began := time.Now()
	res, err := ccp.Solve(ctx, p, nil, set)
	if res == nil {
		return entry{}, err
	}
	e := entry{
		Status: res.Status.String(), Objective: text17(res.Objective), Violation: text17(res.Violation),
		Iterations: res.Iterations, Seconds: time.Since(began).Seconds(),
	}
	for _, it := range res.History {
		e.History = append(e.History, text17(it.Objective))
	}
	return e, nil
}

func text17(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// difference prints the runs of two records that differ by more than rounding,
// and totals.
func difference(w io.Writer, files []string) error {
	if len(files) != 2 {
		return fmt.Errorf("-compare wants two records, not %d", len(files))
	}
	before, order, err := read(files[0])
	if err != nil {
		return err
	}
	after, _, err := read(files[1])
	if err != nil {
		return err
	}
	equal, better, worse := 0, 0, 0
	var its, secs [2]float64
	ratio, n := 0.0, 0
	for _, name := range order {
		a := before[name]
		b, ok := after[name]
		if !ok {
			fmt.Fprintf(w, "%-40s missing\n", name)
			continue
		}
		its[0], its[1] = its[0]+float64(a.Iterations), its[1]+float64(b.Iterations)
		secs[0], secs[1] = secs[0]+a.Seconds, secs[1]+b.Seconds
		if a.Seconds > 0 && b.Seconds > 0 {
			ratio, n = ratio+math.Log(b.Seconds/a.Seconds), n+1
		}
		k := common(a.History, b.History)
		if a.Status == b.Status && k == len(a.History) && k == len(b.History) {
			equal++
			continue
		}
		x, y := number(a.Objective), number(b.Objective)
		switch d := y - x; {
		case d > 1e-5*max(math.Abs(x), math.Abs(y)):
			worse++
		case d < -1e-5*max(math.Abs(x), math.Abs(y)):
			better++
		}
		fmt.Fprintf(w, "%-40s %-12s %-12s %16.9g %16.9g  violation %8.1e %8.1e  iterations %4d %4d  equal %d of %d\n",
			name, a.Status, b.Status, x, y, number(a.Violation), number(b.Violation), a.Iterations, b.Iterations, k,
			len(a.History))
	}
	fmt.Fprintf(w, "%d runs: %d equal, objective higher in %d, lower in %d; iterations %g %g; seconds %.3g %.3g, "+
		"geometric mean of the ratios %.3f\n",
		len(order), equal, worse, better, its[0], its[1], secs[0], secs[1], math.Exp(ratio/float64(max(n, 1))))
	return nil
}

// common is how many objectives agree to rounding from the first on.
func common(a, b []string) int {
	k := 0
	for ; k < min(len(a), len(b)); k++ {
		x, y := number(a[k]), number(b[k])
		if x != y && !(math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))) {
			break
		}
	}
	return k
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// read returns the entries of a record by name, and the names in order.
func read(path string) (map[string]entry, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	all, order := map[string]entry{}, []string(nil)
	dec := json.NewDecoder(bufio.NewReader(f))
	for {
		var e entry
		if err := dec.Decode(&e); err == io.EOF {
			return all, order, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		all[e.Name] = e
		order = append(order, e.Name)
	}
}
