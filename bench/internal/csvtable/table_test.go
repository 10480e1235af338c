package csvtable_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

func numbers() csvtable.Format[int] {
	return csvtable.Format[int]{
		Header: []string{"number", "word"},
		Record: func(v int) []string { return []string{strconv.Itoa(v), "a,\r\n\"b\""} },
		Parse: func(rec []string) (int, error) {
			if rec[1] != "a,  \"b\"" { // the line break became blanks
				return 0, errors.New("another word")
			}
			return strconv.Atoi(rec[0])
		},
	}
}

// TestCutOff: whatever a run that is killed leaves behind whole lines, the rows
// before it are read and the next row is whole.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	table, err := csvtable.Open(path, false, numbers())
	if err != nil {
		t.Fatal(err)
	}
	for v := range 3 {
		if err := table.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	table.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := csvtable.Open(path, false, numbers())
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		had := len(table.Rows)
		if err := table.Add(7); err != nil {
			t.Fatal(err)
		}
		table.Close()
		rows, err := csvtable.Read(path, numbers())
		if err != nil || len(rows) != had+1 || rows[had] != 7 {
			t.Errorf("cut at %d: %v, %v", n, rows, err)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for round := range 3 {
		table, err := csvtable.Open(path, round == 2, numbers())
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Add(round); err != nil {
			t.Fatal(err)
		}
		table.Close()
	}
	if rows, err := csvtable.Read(path, numbers()); err != nil || !reflect.DeepEqual(rows, []int{2}) {
		t.Errorf("afresh: %v, %v", rows, err)
	}
	for text, want := range map[string]string{"another,head,er\n": "--out", "number,word\nx,\"a,  \"\"b\"\"\"\n": "line 2", "number,word\n1\n": "line 2"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := csvtable.Open(path, false, numbers()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// TestTagged: a row comes back from its record, with the digits of its tags.
func TestTagged(t *testing.T) {
	type row struct {
		Name  string  `csv:"name"`
		Count int     `csv:"count"`
		Seed  uint32  `csv:"seed"`
		Exact float64 `csv:"exact,-1"`
		Short float64 `csv:"short,3"`
	}
	f := csvtable.Tagged[row]()
	rec := f.Record(row{"a,b", -3, 7, 1.0 / 3, math.NaN()})
	if want := []string{"a,b", "-3", "7", "0.3333333333333333", "NaN"}; !reflect.DeepEqual(rec, want) {
		t.Errorf("%q, want %q", rec, want)
	}
	if back, err := f.Parse(rec); err != nil || back.Name != "a,b" || back.Count != -3 || back.Seed != 7 || back.Exact != 1.0/3 || back.Short == back.Short {
		t.Errorf("%+v, %v", back, err)
	}
	for k, s := range map[int]string{1: "x", 2: "-1", 3: "", 4: "1,5"} {
		bad := append([]string(nil), rec...)
		bad[k] = s
		if _, err := f.Parse(bad); err == nil || !strings.HasPrefix(err.Error(), f.Header[k]+":") {
			t.Errorf("%s = %q: %v", f.Header[k], s, err)
		}
	}
	for what, tagged := range map[string]func(){
		"no tag": func() { csvtable.Tagged[struct{ A int }]() },
		"no digits": func() {
			csvtable.Tagged[struct {
				A float64 `csv:"a"`
			}]()
		},
		"a bool": func() {
			csvtable.Tagged[struct {
				A bool `csv:"a"`
			}]()
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", what)
				}
			}()
			tagged()
		}()
	}
}
