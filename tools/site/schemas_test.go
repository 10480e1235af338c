//go:build !race

package site

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dcopt/dcopt/internal/page"
	"github.com/dcopt/dcopt/internal/wire"
)

var update = flag.Bool("update", false, "rewrite docs/schemas/protocol.schema.json")

// schema is one of docs/schemas.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "schemas", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a JSON value against a schema.
func validate(s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSolveSchema: the output of solve is as the schema says, of every kind of run; objects
// with a member less, or parts with one more, are not.
func TestSolveSchema(t *testing.T) {
	s := schema(t, "solve")
	dir := workspace(t)
	for name, text := range map[string]string{
		"sets.dc":    "set C = {\"a\", \"b\"}\nvar x[C] >= 1, y[2,2] psd\nlet z[c in C] = 2*x[c]\nminimize sum(x) + trace(y)\nsubject to\n  l: lambda_min(y) >= 1\n",
		"complex.dc": "var z[2] complex, H[2,2] hermitian psd\nlet d = z - 1i\nminimize norm2(d) + trace(H)\nsubject to\n  e: z[1] + H[1,2] == 2i\n",
		"none.dc":    "var x in [0, 1]\nminimize x\nsubject to\n  a: x >= 2\n", "free.dc": "var x\nminimize x - abs(x)^2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var whole map[string]any
	seen := map[string]bool{}
	for _, args := range []string{
		"examples/circle_packing.dc", "examples/l1_l2.dc --sweep lambda=0.1:1:3", "examples/quickstart.dc --global", "examples/circle_packing.dc --max-iter 1", "problem.qps.gz",
		"sets.dc", "complex.dc", "none.dc", "free.dc", "examples/low_rank.dc", "theta1.dat-s", "examples/circle_packing.dc --time-limit 0.001",
	} {
		out, _ := shell(t, dir, "dcopt solve --json "+args+" 2>/dev/null")
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			if line == "" && strings.Contains(args, "time-limit") {
				continue // it may pass before there is a point
			}
			if err := validate(s, line); err != nil {
				t.Errorf("dcopt solve --json %s: %v\n%.400s", args, err, line)
			}
			if json.Unmarshal([]byte(line), &whole) == nil {
				for k := range whole {
					seen[k] = true
				}
				seen["status "+whole["status"].(string)] = true
			}
		}
	}
	for _, k := range []string{"sweep", "bound", "primal_residual", "lets", "indices", "bound_duals", "status converged", "status infeasible", "status unbounded", "status iteration_limit", "status solved"} {
		if !seen[k] {
			t.Errorf("no output has %s: %v", k, slices.Sorted(maps.Keys(seen)))
		}
	}
	for _, k := range []string{"status", "objective", "variables", "seconds"} {
		less := maps.Clone(whole)
		delete(less, k)
		b, _ := json.Marshal(less)
		if validate(s, string(b)) == nil {
			t.Errorf("an object without %s passes", k)
		}
	}
	whole["seconds"] = map[string]any{"read": 0, "compile": 0, "solve": 0, "backend": 0, "colour": 1}
	if b, _ := json.Marshal(whole); validate(s, string(b)) == nil {
		t.Error("a part with an unknown member passes")
	}
}

// TestCheckSchema: the same for check.
func TestCheckSchema(t *testing.T) {
	s := schema(t, "check")
	dir := workspace(t)
	files, err := filepath.Glob(filepath.Join(dir, "examples", "*.dc"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		out, err := shell(t, dir, "dcopt check --json "+f)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := validate(s, out); err != nil {
			t.Errorf("dcopt check --json %s: %v\n%.400s", f, err, out)
		}
	}
	if validate(s, `{"file":"x"}`) == nil {
		t.Error("an object with one member passes")
	}
}

// frames are the types of frames, each with the structs of its header: hello is the type
// of a request and of its reply.
var frames = map[string][]any{
	"hello": {wire.Hello{}, wire.HelloReply{}}, "load": {wire.Load{}}, "load_data": {wire.LoadData{}}, "loaded": {wire.Loaded{}}, "set": {wire.Set{}}, "update": {wire.Update{}},
	"solve": {wire.Solve{}}, "result": {wire.Result{}}, "derivative": {wire.Derivative{}}, "tangent": {wire.Tangent{}}, "adjoint": {wire.Adjoint{}}, "gradient": {wire.Gradient{}}, "batch": {wire.Batch{}}, "solutions": {wire.Solutions{}}, "check": {wire.Check{}}, "checked": {wire.Checked{}}, "evaluate": {wire.Evaluate{}}, "values": {wire.Values{}},
	"to_dc": {wire.Check{}}, "text": {wire.TextReply{}}, "fit": {wire.Fit{}}, "fitted": {wire.Fitted{}}, "load_model": {wire.LoadModel{}}, "predict": {wire.Predict{}},
	"predicted": {wire.Predicted{}}, "export": {wire.Export{}}, "free": {wire.Free{}}, "cancel": {wire.Cancel{}}, "ok": {wire.Ok{}}, "error": {wire.Errors{}}, "progress": {wire.Progress{}},
}

// typeSchema is the schema of a Go type as encoding/json writes it.
func typeSchema(ty reflect.Type, defs map[string]any) any {
	ref := func(name string, s func() any) any {
		if _, ok := defs[name]; !ok {
			defs[name] = nil // for types that contain themselves
			defs[name] = s()
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	switch ty {
	case reflect.TypeFor[wire.Floats](), reflect.TypeFor[wire.Ints](), reflect.TypeFor[wire.Ints32](), reflect.TypeFor[wire.Text]():
		return ref("buffer", func() any {
			return map[string]any{"description": "the number of a buffer of the frame, from 0", "type": "integer", "minimum": 0}
		})
	case reflect.TypeFor[wire.Number]():
		return ref("number", func() any {
			return map[string]any{"anyOf": []any{map[string]any{"type": "number"}, map[string]any{"enum": []any{"inf", "-inf", "nan"}}}}
		})
	case reflect.TypeFor[wire.Entry]():
		return ref("entry", func() any {
			return map[string]any{"description": "kind and count", "type": "array", "minItems": 2, "maxItems": 2, "prefixItems": []any{
				map[string]any{"enum": []any{"f64", "i64", "i32", "u8"}}, map[string]any{"type": "integer", "minimum": 0},
			}}
		})
	case reflect.TypeFor[wire.Cone]():
		return ref("cone", func() any {
			return map[string]any{"description": "kind, rows (of psd: the order), and of pow alpha", "type": "array", "minItems": 2, "maxItems": 3, "prefixItems": []any{
				map[string]any{"enum": []any{"zero", "nonneg", "soc", "exp", "pow", "psd"}}, map[string]any{"type": "integer", "minimum": 0}, map[string]any{"type": "number"},
			}}
		})
	}
	switch ty.Kind() {
	case reflect.Pointer:
		return typeSchema(ty.Elem(), defs)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": []any{"array", "null"}, "items": typeSchema(ty.Elem(), defs)}
	case reflect.Map:
		return map[string]any{"type": []any{"object", "null"}, "additionalProperties": typeSchema(ty.Elem(), defs)}
	case reflect.Struct:
		return ref(strings.ToLower(ty.Name()), func() any {
			properties, required := map[string]any{}, []any{}
			members(ty, properties, &required, defs)
			return map[string]any{"type": "object", "required": required, "additionalProperties": false, "properties": properties}
		})
	}
	panic("a type without a schema: " + ty.String())
}

// members adds those of a struct, and of the structs that it embeds.
func members(ty reflect.Type, properties map[string]any, required *[]any, defs map[string]any) {
	for i := range ty.NumField() {
		f := ty.Field(i)
		tag, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			members(f.Type, properties, required, defs)
			continue
		case !f.IsExported() || tag == "-":
			continue
		}
		properties[tag] = typeSchema(f.Type, defs)
		if !strings.Contains(rest, "omitempty") {
			*required = append(*required, tag)
		}
	}
}

// protocolSchema is the schema of headers, from the types of the program.
func protocolSchema() []byte {
	defs := map[string]any{}
	var kinds []any
	for _, name := range slices.Sorted(maps.Keys(frames)) {
		for _, m := range frames[name] {
			properties, required := map[string]any{}, []any{}
			members(reflect.TypeOf(m), properties, &required, defs)
			properties["type"] = map[string]any{"const": name}
			properties["id"] = map[string]any{"type": "integer", "minimum": 0, "maximum": wire.MaxID}
			kinds = append(kinds, map[string]any{"type": "object", "required": required, "additionalProperties": false, "properties": properties})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	if err := enc.Encode(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://dcopt.github.io/dcopt/schemas/protocol.schema.json",
		"title": "The header of a frame of dcopt serve, version 1 of the protocol", "anyOf": kinds, "$defs": defs,
	}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// TestProtocolSchema: the schema of headers is that of the types of the program, the
// frames of client/testdata are as it says, and so is a dialog with the worker.
func TestProtocolSchema(t *testing.T) {
	page.File(t, *update, filepath.Join(root, "docs", "schemas", "protocol.schema.json"), protocolSchema())
	s := schema(t, "protocol")
	samples, err := filepath.Glob(filepath.Join(root, "client", "testdata", "frames", "*.json"))
	if err != nil || len(samples) < 10 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, name := range samples {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f struct{ Header json.RawMessage }
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		if err := validate(s, string(f.Header)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{`{}`, `{"type":"solve","id":1}`, `{"type":"nonsense","id":1}`, `{"type":"solve","id":1,"problem":1,"colour":2}`, `{"type":"solve","id":-1,"problem":1}`, `{"type":"solve","id":1,"problem":1,"buffers":[["f16",1]]}`} {
		if validate(s, bad) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}

	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "dcopt"), "serve")
	var requests bytes.Buffer
	one := wire.Graph{
		Variables: []wire.Variable{{Name: "x", Shape: []int{2}, Lo: wire.F([]float64{-1}), Hi: wire.F([]float64{2}), Start: wire.F([]float64{1, 0.5})}},
		Nodes:     []wire.Node{{Op: "norm1", Args: []int{0}, Shape: []int{}}, {Op: "sum", Args: []int{1}, Shape: []int{}, Attrs: &wire.Attrs{Factors: []float64{-1}}}},
		Objective: &wire.Objective{Sense: "minimize", Node: 2},
	}
	var id uint64
	for _, m := range []struct {
		kind string
		m    wire.Message
	}{
		{"hello", &wire.Hello{}}, {"load", &wire.Load{Problem: 1, Graph: one}}, {"check", &wire.Check{Problem: 1}}, {"solve", &wire.Solve{Problem: 1, Progress: true}},
		{"evaluate", &wire.Evaluate{Problem: 1, Nodes: []int{1, 2}}}, {"to_dc", &wire.Check{Problem: 1}}, {"solve", &wire.Solve{Problem: 7}}, {"free", &wire.Free{Problem: new(uint64)}},
		{"fit", &wire.Fit{Model: 3, Kind: "regressor", Shape: []int{6, 1}, X: wire.F([]float64{0, 1, 2, 3, 4, 5}), Y: wire.F([]float64{0, 1, 2, 2, 1, 0})}},
		{"predict", &wire.Predict{Model: 3, Shape: []int{1, 1}, X: wire.F([]float64{2})}},
	} {
		id++
		wire.Address(m.m, m.kind, id)
		if err := wire.Write(&requests, m.m); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	check := func(f wire.Frame) (head wire.Head) {
		if err := validate(s, string(f.Header)); err != nil {
			t.Errorf("%v in %s", err, f.Header)
		}
		if err := json.Unmarshal(f.Header, &head); err != nil {
			t.Fatal(err)
		}
		got[head.Type]++
		return head
	}
	for sent := bytes.NewReader(requests.Bytes()); sent.Len() > 0; {
		f, err := wire.ReadFrame(sent, 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(f)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(requests.Bytes()); err != nil {
		t.Fatal(err)
	}
	for { // the worker ends with its input, so that stays open until the last reply
		f, err := wire.ReadFrame(out, 1<<20, nil)
		if err != nil {
			t.Fatal(err)
		}
		if head := check(f); head.ID == id && head.Type != "progress" {
			break
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, kind := range []string{"hello", "loaded", "checked", "result", "values", "text", "error", "fitted", "predicted"} {
		if got[kind] == 0 {
			t.Errorf("no frame of type %s in the dialog: %v", kind, got)
		}
	}
}
