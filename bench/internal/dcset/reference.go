package dcset

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// shared is the folder with the reference problems: their text is in
// reference/dc-language.md, their data are in data/dccp.
type shared struct {
	dir   string
	texts map[string]string // the .dc files by name
	data  string
}

// edit replaces old, which must be there, by new.
type edit struct{ old, new string }

// recipe makes a problem of the page concrete.
type recipe struct {
	// edits give the .dc file the data of a part, and the start that its
	// authors' program had; E/ is the data folder.
	edits   []edit
	files   map[string][][]float64
	params  map[string]any
	measure func(*taker) Measured
}

// reference is a problem of the page, at parts of its data.
type reference struct {
	name  string
	parts []string // nil: one, without a name
	cook  func(l *loader, part string) recipe
}

// References returns the problems of the folder that names select, "all" for
// all.
func References(dir string, names []string) ([]Instance, error) {
	s, err := openShared(dir)
	if err != nil {
		return nil, err
	}
	chosen, err := referenceList().Choose(names)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, r := range chosen {
		parts := r.parts
		if parts == nil {
			parts = []string{""}
		}
		for _, part := range parts {
			all = append(all, Instance{Group: "reference", Problem: r.name, Part: part, Make: func() (*Program, error) {
				return s.program(r, part)
			}})
		}
	}
	return all, nil
}

// ReferenceNames lists the problems of References.
func ReferenceNames() string { return referenceList().Names() }

func openShared(dir string) (*shared, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	page := filepath.Join(dir, "reference", "dc-language.md")
	raw, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	s := &shared{dir: dir, texts: map[string]string{}, data: filepath.Join(dir, "data", "dccp")}
	for k, block := range strings.Split(string(raw), "```") {
		text := strings.TrimPrefix(block, "\n")
		first, _, _ := strings.Cut(text, "\n")
		name, isFile := strings.CutPrefix(strings.TrimSpace(first), "# ")
		name, _, _ = strings.Cut(name, " ")
		if k%2 == 1 && isFile && strings.HasSuffix(name, ".dc") {
			s.texts[strings.TrimSuffix(name, ".dc")] = text
		}
	}
	return s, nil
}

func (s *shared) program(r reference, part string) (*Program, error) {
	text, ok := s.texts[r.name]
	if !ok {
		return nil, fmt.Errorf("%s has no file %s.dc", filepath.Join(s.dir, "reference", "dc-language.md"), r.name)
	}
	data := &loader{dir: s.data}
	cooked := r.cook(data, part)
	if data.err != nil {
		return nil, data.err
	}
	for _, e := range cooked.edits {
		if !strings.Contains(text, e.old) {
			return nil, fmt.Errorf("%s.dc on the page has no %q", r.name, e.old)
		}
		text = strings.ReplaceAll(text, e.old, e.new)
	}
	params := map[string]any{"data": s.data}
	maps.Copy(params, cooked.params)
	return &Program{
		Source: strings.ReplaceAll(text, `"E/`, `"`+filepath.ToSlash(s.data)+"/"),
		Files:  cooked.files, Model: r.name, Params: params, Measure: by(cooked.measure),
	}, nil
}

// loader reads the CSV files below a folder; it keeps its first error.
type loader struct {
	dir string
	err error
}

// table has the numbers of a file, an empty row if there is an error.
func (l *loader) table(name string) [][]float64 {
	rows, err := readTable(filepath.Join(l.dir, filepath.FromSlash(name)))
	if err != nil {
		l.fail(fmt.Errorf("%s: %w", name, err))
		return make([][]float64, 1)
	}
	return rows
}

func (l *loader) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func readTable(path string) ([][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(lines))
	for i, line := range lines {
		for _, word := range line {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows, nil
}

// tables reads several.
func (l *loader) tables(names ...string) [][][]float64 {
	var all [][][]float64
	for _, name := range names {
		all = append(all, l.table(name))
	}
	return all
}
