package optima

import (
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/dcset"
)

//go:embed problems/*.dc
var problems embed.FS

// Instance is a problem file.
type Instance struct {
	Set    string // of Sets
	Name   string
	Source string                 // of the .dc file
	Files  map[string][][]float64 // its data
	// Optimum is the published one, NaN where there is none.
	Optimum float64
}

// Sets lists the sets of instances.
var Sets = []string{"boxqp", "boxqp-extended", "concave", "families", "nine", "small"}

// published are the optima of the concave quadratic functions of Floudas and Pardalos 1990,
// to the digits that they have in GLOBALLib.
var published = map[string]float64{
	"ex2_1_1": -17, "ex2_1_2": -213, "ex2_1_3": -15, "ex2_1_4": -11, "ex2_1_5": -268.0146, "ex2_1_6": -39,
	"ex2_1_7": -4150.4101, "ex2_1_8": 15639, "ex2_1_9": -0.375, "ex2_1_10": 49318.018,
}

// Load lists the instances of a set. shared is the folder of data/boxqp, of data/minlp and of the
// nine examples' data.
func Load(set, shared string) ([]Instance, error) {
	switch set {
	case "boxqp", "boxqp-extended":
		return boxes(set, filepath.Join(shared, "data", "boxqp"))
	case "concave", "families":
		return embedded(set)
	case "nine":
		return nine(shared)
	case "small":
		return small(filepath.Join(shared, "data", "minlp"))
	}
	return nil, fmt.Errorf("no set %q; there are %s", set, strings.Join(Sets, ", "))
}

// files has the .dc files of a folder.
func files(set string, dir fs.FS, optimum func(name, source string) (float64, error)) ([]Instance, error) {
	names, err := fs.Glob(dir, "*.dc")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no .dc files of the set %s: %w", set, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, f := range names {
		text, err := fs.ReadFile(dir, f)
		if err != nil {
			return nil, err
		}
		in := Instance{Set: set, Name: strings.TrimSuffix(f, ".dc"), Source: string(text)}
		if in.Optimum, err = optimum(in.Name, in.Source); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, in)
	}
	return all, nil
}

// embedded has the files of this package, of the set concave those with a published optimum.
func embedded(set string) ([]Instance, error) {
	dir, err := fs.Sub(problems, "problems")
	if err != nil {
		return nil, err
	}
	all, err := files(set, dir, func(name, _ string) (float64, error) {
		if v, ok := published[name]; ok {
			return v, nil
		}
		return math.NaN(), nil
	})
	all = slices.DeleteFunc(all, func(in Instance) bool { return math.IsNaN(in.Optimum) == (set == "concave") })
	if set == "concave" { // ex2_1_10 behind ex2_1_9
		slices.SortStableFunc(all, func(a, b Instance) int { return len(a.Name) - len(b.Name) })
	}
	return all, err
}

// nine has the first problem of each of the nine examples.
func nine(shared string) ([]Instance, error) {
	all, err := dcset.References(shared, []string{"all"})
	if err != nil {
		return nil, err
	}
	var out []Instance
	for _, ref := range all {
		if len(out) > 0 && out[len(out)-1].Name == ref.Problem {
			continue
		}
		prog, err := ref.Make()
		if err != nil {
			return nil, err
		}
		out = append(out, Instance{Set: "nine", Name: ref.Problem, Source: prog.Source, Files: prog.Files,
			Optimum: math.NaN()})
	}
	return out, nil
}

// small has the .dc files of a folder, whose first line is "# optimum V".
func small(dir string) ([]Instance, error) {
	return files("small", os.DirFS(dir), func(_, source string) (v float64, err error) {
		if _, err = fmt.Sscanf(source, "# optimum %g", &v); err != nil {
			err = fmt.Errorf("the first line is not \"# optimum V\": %w", err)
		}
		return v, err
	})
}

// mostBasic is the number of variables up to which an instance of BoxQP is a basic one.
// Source: Burer 2010, Optimizing a polyhedral-semidefinite relaxation of completely positive
// programs, whose extended instances begin at 70.
const mostBasic = 60

func boxes(set, dir string) ([]Instance, error) {
	f, err := os.Open(filepath.Join(dir, "optima.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, row := range rows[1:] {
		best, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, fmt.Errorf("optima.csv: %w", err)
		}
		text, err := os.ReadFile(filepath.Join(dir, row[0]+".in"))
		if err != nil {
			return nil, err
		}
		source, n, err := boxSource(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row[0], err)
		}
		if (n <= mostBasic) == (set == "boxqp") {
			all = append(all, Instance{Set: set, Name: row[0], Source: source, Optimum: best})
		}
	}
	return all, nil
}

// boxSource is max ½xᵀQx + cᵀx over 0 ≤ x ≤ 1 from the file's n, c and Q.
func boxSource(text string) (source string, n int, err error) {
	words := strings.Fields(text)
	if len(words) > 0 {
		n, err = strconv.Atoi(words[0])
	}
	if err != nil || n < 1 || len(words) != 1+n+n*n {
		return "", 0, fmt.Errorf("%d numbers do not make an instance", len(words))
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
	return b.String(), n, nil
}
