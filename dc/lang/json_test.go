package lang

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

// compileData compiles a problem beside one data file.
func compileData(t *testing.T, problem, name, data string) (*Program, error) {
	t.Helper()
	f, err := Parse("p.dc", []byte(problem))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(context.Background(), f, Options{FS: fstest.MapFS{name: &fstest.MapFile{Data: []byte(data)}}})
}

// TestJSONIsWhole: a file that breaks off anywhere or goes on behind its
// value is refused, also where the value asked for is complete.
func TestJSONIsWhole(t *testing.T) {
	const whole = `{"a": [[1, 2], [3, 4.5e0]], "t": {"u": ["x", null, true]}, "b": -7 }`
	for _, problem := range []string{
		"param p = json(\"d.json\", \"a\")\nvar x\nminimize x\n",
		"param p = json(\"d.json\", \"b\")\nvar x\nminimize x\n",
	} {
		for _, data := range []string{whole, whole + "\n", " \n" + whole + "\t\r\n ", "\ufeff" + whole} {
			if _, err := compileData(t, problem, "d.json", data); err != nil {
				t.Errorf("%q: %v", data, err)
			}
		}
		for k := range whole {
			if _, err := compileData(t, problem, "d.json", whole[:k]); err == nil {
				t.Errorf("%q is accepted", whole[:k])
			}
		}
		for _, behind := range []string{"x", "{", "}", "]", ",", "0", `""`, whole, "\x00", "null", "//"} {
			if _, err := compileData(t, problem, "d.json", whole+"\n"+behind); err == nil || !strings.Contains(err.Error(), "line 2 column 1: the file goes on behind its value") {
				t.Errorf("%q behind the object: %v", behind, err)
			}
		}
	}
	for data, want := range map[string]string{
		"[1, 2]":                      "",
		"3":                           "",
		"3 4":                         "line 1 column 3: the file goes on behind its value",
		"[1, 2]]":                     "line 1 column 7: the file goes on behind its value",
		"[1, 2":                       "the file ends too early",
		"[1, 2, ]":                    "line 1 column",
		"[1, 2}":                      "line 1 column",
		"":                            "the file ends too early",
		`{"a": 1, "b": 2}`:            "want a number or an array of numbers",
		"[1, 2]\n\n[3, 4]":            "line 3 column 1: the file goes on behind its value",
		"\x1f\x8b" + "broken":         "damaged gzip",
		`[1, NaN]`:                    "line 1 column",
		`[1, 0x1p4]`:                  "line 1 column",
		`[1, 1_000]`:                  "line 1 column",
		`[01, 2]`:                     "line 1 column",
		`[1` + strings.Repeat(" ", 9): "the file ends too early",
	} {
		_, err := compileData(t, "param p = json(\"d.json\")\nvar x\nminimize x\n", "d.json", data)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
	_, err := compileData(t, "param p = json(\"d.json\", \"a\")\nvar x\nminimize x\n", "d.json", `{"a": 1, "b": 2, "a": 3}`)
	if err == nil || !strings.Contains(err.Error(), `the key "a" stands there twice`) {
		t.Errorf("a key twice: %v", err)
	}
}
