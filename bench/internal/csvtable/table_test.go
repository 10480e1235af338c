package csvtable_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// numbered is a row with a word that has all that has to be quoted.
type numbered struct {
	Number int    `csv:"number" key:"place"`
	Word   string `csv:"word" key:"terms"`
}

func row(v int) numbered { return numbered{v, "a,\r\n\"b\""} }

// back is the row as it is read: the line break became blanks.
func back(v int) numbered { return numbered{v, "a,  \"b\""} }

// TestCutOff: whatever a run that is killed leaves behind whole lines, the rows
// before it are read and the next row is whole.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	table, err := csvtable.Open[numbered](path, false)
	if err != nil {
		t.Fatal(err)
	}
	for v := range 3 {
		if err := table.Add(row(v)); err != nil {
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
		table, err := csvtable.Open[numbered](path, false)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		had := len(table.Rows)
		if err := table.Add(row(7)); err != nil {
			t.Fatal(err)
		}
		table.Close()
		rows, err := csvtable.Read[numbered](path)
		if err != nil || len(rows) != had+1 || rows[had] != back(7) {
			t.Errorf("cut at %d: %v, %v", n, rows, err)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for round := range 3 {
		table, err := csvtable.Open[numbered](path, round == 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Add(row(round)); err != nil {
			t.Fatal(err)
		}
		table.Close()
	}
	if rows, err := csvtable.Read[numbered](path); err != nil || !reflect.DeepEqual(rows, []numbered{back(2)}) {
		t.Errorf("afresh: %v, %v", rows, err)
	}
	for text, want := range map[string]string{"another,head,er\n": "--out", "number,word\nx,\"a,  \"\"b\"\"\"\n": "line 2", "number,word\n1\n": "line 2"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := csvtable.Open[numbered](path, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// TestColumns: a row comes back from its line, with the digits of its tags.
func TestColumns(t *testing.T) {
	type mixed struct {
		Name  string    `csv:"name"`
		Count int       `csv:"count"`
		Seed  uint32    `csv:"seed"`
		Exact float64   `csv:"exact,-1"`
		Short float64   `csv:"short,3"`
		List  []float64 `csv:"list,2"`
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	table, err := csvtable.Open[mixed](path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Add(mixed{"a,b", -3, 7, 1.0 / 3, math.NaN(), []float64{1.234, math.Inf(1)}}); err != nil {
		t.Fatal(err)
	}
	table.Close()
	const head, line = "name,count,seed,exact,short,list\n", "\"a,b\",-3,7,0.3333333333333333,NaN,1.2 +Inf\n"
	if text, err := os.ReadFile(path); err != nil || string(text) != head+line {
		t.Errorf("%q, %v", text, err)
	}
	rows, err := csvtable.Read[mixed](path)
	if err != nil || len(rows) != 1 || fmt.Sprint(rows[0]) != fmt.Sprint(table.Rows[0]) || rows[0].Exact != 1.0/3 || rows[0].List[0] != 1.2 {
		t.Errorf("%+v, %v", rows, err)
	}
	for name, bad := range map[string]string{"count": "a,x,7,1,1,\n", "seed": "a,1,-1,1,1,\n", "exact": "a,1,1,,1,\n", "list": "a,1,1,1,1,1 x\n"} {
		if err := os.WriteFile(path, []byte(head+bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := csvtable.Read[mixed](path); err == nil || !strings.Contains(err.Error(), name+":") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	panics(t, "no tag", csvtable.Latest[struct{ A int }])
	panics(t, "no digits", csvtable.Latest[struct {
		A float64 `csv:"a"`
	}])
	panics(t, "a bool", csvtable.Latest[struct {
		A bool `csv:"a"`
	}])
}

func panics[R any](t *testing.T, what string, latest func([]R) []R) {
	defer func() {
		if recover() == nil {
			t.Errorf("%s is accepted", what)
		}
	}()
	latest(nil)
}

// TestFill: a row on the same terms is not measured again, and an error ends the run.
func TestFill(t *testing.T) {
	table, err := csvtable.Open[numbered](filepath.Join(t.TempDir(), "t.csv"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	measured := 0
	run := func(word string, bad error) error {
		var tasks []csvtable.Task[numbered]
		for v := range 3 {
			tasks = append(tasks, csvtable.Task[numbered]{Row: numbered{v, word}, Measure: func(_ context.Context, r numbered) (numbered, error) {
				measured++
				return r, bad
			}})
		}
		return csvtable.Fill(context.Background(), table, tasks, 1, nil)
	}
	wrong := errors.New("wrong")
	for _, c := range []struct {
		word     string
		bad      error
		measured int
	}{{"a", nil, 3}, {"a", nil, 3}, {"b", wrong, 4}, {"b", nil, 7}, {"a", nil, 10}} {
		if err := run(c.word, c.bad); err != c.bad || measured != c.measured {
			t.Errorf("%s: %v after %d measurements, want %d", c.word, err, measured, c.measured)
		}
	}
	if last := csvtable.Latest(table.Rows); len(last) != 3 || last[0].Word != "a" {
		t.Errorf("%v", last)
	}
}
