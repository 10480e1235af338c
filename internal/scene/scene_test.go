package scene_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/scene"
)

// at is the scene of a problem at a point; its numbers follow each other where x is nil.
func at(t *testing.T, src string, x []float64) *scene.Scene {
	t.Helper()
	f, err := lang.Parse("test.dc", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x == nil {
		for k := range prog.Problem.NumVars() {
			x = append(x, float64(k+1))
		}
	}
	s := scene.Of(prog, x)
	valid(t, src, s)
	return s
}

// valid checks that a scene can be drawn as it stands: ranges that hold the marks, lists of
// one length, finite numbers, and a JSON form that reads back as the same.
func valid(t *testing.T, name string, s *scene.Scene) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var back scene.Scene
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("%s: %v in %s", name, err, text)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(text) {
		t.Errorf("%s: %s reads back as %s, %v", name, text, again, err)
	}
	for _, p := range s.Panels {
		if !(p.X.Lo < p.X.Hi && p.Y.Lo < p.Y.Hi) || len(p.Marks) == 0 {
			t.Errorf("%s: %d marks on %v x %v", name, len(p.Marks), p.X, p.Y)
		}
		within := func(x, y float64) {
			if !(p.X.Lo <= x && x <= p.X.Hi && p.Y.Lo <= y && y <= p.Y.Hi) {
				t.Errorf("%s: (%g, %g) lies outside of %v x %v", name, x, y, p.X, p.Y)
			}
		}
		for _, m := range p.Marks {
			for k, x := range m.X {
				within(x, m.Y[k])
				if m.R != nil {
					within(x-m.R[k], m.Y[k]+m.R[k])
				}
				if m.Base != nil {
					within(x-m.Width/2, m.Base[k])
				}
			}
			for _, l := range m.Lines {
				if len(l.X) != len(l.Y) || len(l.X) < 2 || !(l.Strength > 0 && l.Strength <= 1) {
					t.Errorf("%s: a line of %d and %d coordinates, strength %g", name, len(l.X), len(l.Y), l.Strength)
				}
				for k := range l.X {
					within(l.X[k], l.Y[k])
				}
			}
			if len(m.X) != len(m.Y) || m.Kind == scene.Cells && len(m.V) != m.Rows*m.Cols || m.V == nil && m.Color == "" {
				t.Errorf("%s: a mark %+v", name, m)
			}
			for _, v := range m.V {
				if c := m.ColorOf(v); len(c) != 7 || c[0] != '#' {
					t.Errorf("%s: %g has the colour %q", name, v, c)
				}
			}
		}
	}
}

// text is a scene in short: of each panel its labels, of each mark its kind and numbers.
func text(s *scene.Scene) string {
	var b strings.Builder
	for _, p := range s.Panels {
		fmt.Fprintf(&b, "[%s|%s|%s", p.Title, p.XLabel, p.YLabel)
		if p.Equal {
			b.WriteString("|=")
		}
		for k, tick := range p.XTicks {
			b.WriteString([]string{"|", " "}[min(k, 1)] + tick.Label)
		}
		for _, m := range p.Marks {
			fmt.Fprintf(&b, " %s %q", m.Kind, m.Label)
			for _, v := range [][]float64{m.X, m.Y, m.R, m.W, m.H, m.Base, m.V} {
				if v != nil {
					fmt.Fprint(&b, v)
				}
			}
			for _, text := range m.Texts {
				b.WriteString(" " + text)
			}
			if m.Above {
				b.WriteString(" above")
			}
			for _, l := range m.Lines {
				if l.Dashed {
					continue
				}
				fmt.Fprintf(&b, "%v%v", l.X, l.Y)
				if l.Strength != 1 {
					fmt.Fprintf(&b, "*%.3g", l.Strength)
				}
			}
		}
		b.WriteString("]")
	}
	return b.String()
}

// TestPlots: what each kind of mark draws.
func TestPlots(t *testing.T) {
	const head = "set A = {\"a\", \"b\"}\nparam p = [0 0; 1 2; 3 1], g = [1, 2, 1], share[A] = [3, 4]\nvar x[2], y\nminimize sum(x) + y\n"
	for _, c := range []struct{ plot, want string }{
		{"points(p)", `[|||= points ""[0 1 3][0 2 1]]`},
		{`points(x, [4, 5]) "a"  title "T" ylabel "z"`, `[T|x|z points "a"[1 2][4 5]]`},
		{"points(p, g)", `[|||= points ""[0 3][0 1] points ""[1][2]]`},
		{`points(p, g) "g"`, `[|||= points "g 1"[0 3][0 1] points "g 2"[1][2]]`},
		{"points(p, g/2)", `[|||= points ""[0 1 3][0 2 1][0.5 1 0.5]]`},
		{"points(x), circles(1, y, 2)", `[|||= points ""[1][2] circles ""[1][3][2]]`},
		{"circles(p, -g)", ``},
		{"circles(p, [1, -1, 2])", `[|||= circles ""[0 3][0 1][1 2]]`},
		{"path(p)", `[|||= lines ""[0 1 3][0 2 1]]`},
		{`path([x; x + 1], [x; x]) "robot"`, `[|[x; x + 1]|[x; x] lines "robot 1"[1 2][1 2] lines "robot 2"[2 3][1 2]]`},
		{`path(g, [log(y - 3), 1, 2])`, `[|g|[log(y - 3), 1, 2] lines ""[2 1][1 2]]`},
		{"links(p, p + 1)", `[|||= lines ""[0 1][0 1][1 2][2 3][3 4][1 2]]`},
		{"links(p, x, [y; 0; -6])", `[|||= lines ""[3 1][1 2][0 1][0 2]*0.5]`},
		{"signal(x)", `[||x lines ""[1 2][1 2]]`},
		{"signal(g, p')", `[|g|p' lines ""[1 2 1][0 1 3] lines ""[1 2 1][0 2 1]]`},
		{"bars(x)", `[||x bars ""[1 2][1 2][0 0]]`},
		{`bars([1, 2], [x; 2*x; -x]) "u"`, `[|[1, 2]|[x; 2*x; -x] bars "u 1"[1 2][1 2][0 0] bars "u 2"[1 2][3 6][1 2] bars "u 3"[1 2][-1 -2][0 0]]`},
		{"matrix(p)", `[|| cells ""[0.5 2.5][0.5 3.5][0 0 1 2 3 1]]`},
		{"matrix([4, 2], [1, 2, 3], p)", `[|| cells ""[1 5][0.5 3.5][0 0 2 1 1 3]]`},
		{`motion([x; x + 1], [x; x], [1, 2]) "m"`, `[|[x; x + 1]|[x; x] motion "m 1"[1][1 2][1 2] motion "m 2"[2][2 3][1 2]]`},
		{"motion(p, -1)", `[|||= lines ""[0 1 3][0 2 1]]`},
		{"rects(p, p + 1), labels(p, g)", `[|||= rects ""[0 1 3][0 2 1][1 2 4][1 3 2] labels ""[0 1 3][0 2 1] 1 2 1]`},
		{"rects(x, g[1..2], [1, -1], [2, 2])", `[|| rects ""[1][1][1][2]]`},
		{`labels(p, {"a", "b", "c"}), points(p)`, `[|||= labels ""[0 1 3][0 2 1] a b c above points ""[0 1 3][0 2 1]]`},
		{`labels(x, "here")`, `[|||= labels ""[1][2] here]`},
		{"decibels([1, 0.1, 0, -10])", `[||dB lines ""[1 2 3 4][-20 -40 -60 0]]`},
		{"points([1, 1i])", `[|re([1, 1i])|im([1, 1i])|= lines "" points ""[1 0][0 1]]`},
		{"points([3, 1i])", `[|re([3, 1i])|im([3, 1i])|= points ""[3 0][0 1]]`},
		{`bars(share)`, `[||share|a b bars ""[1 2][3 4][0 0]]`},
		{"heatmap(p)", `[|| cells ""[0.5 2.5][0.5 3.5][0 0 1 2 3 1]]`},
		{"fit(g, p[:,1], g .* g)", `[|g|p[:,1] points ""[1 2 1][0 1 3] lines ""[1 1 2][1 1 4]]`},
		{"points(zeros(0, 2)), signal([]), matrix(zeros(0, 3)), bars([])", ``},
	} {
		if got := text(at(t, head+"plot "+c.plot, nil)); got != c.want {
			t.Errorf("%s is drawn as\n%s, want\n%s", c.plot, got, c.want)
		}
	}
	if s := at(t, head+"plot points(p)\nplot signal(x)", nil); len(s.Panels) != 2 {
		t.Errorf("%d panels", len(s.Panels))
	}
	if s := at(t, head+"plot points(p)", []float64{1}); len(s.Panels) != 0 {
		t.Error("a point of another length has a scene")
	}
}

// TestRecognised: what is drawn of a problem without plot statements.
func TestRecognised(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"var x\nminimize x^2", ""},
		{"var c[3,2]\nminimize sumsq(c)", `[c|||= points ""[1 3 5][2 4 6]]`},
		{"param r = 2\nvar c[2,2]\nminimize sumsq(c)", `[c|||= circles ""[1 3][2 4][2 2]]`},
		{"var c[2,2], R[2]\nminimize sumsq(c) + sumsq(R)", `[c|||= circles ""[1 3][2 4][5 6]]`},
		{"var c[2,2]\nminimize sumsq(c)", `[c|| cells ""[0.5 2.5][0.5 2.5][1 2 3 4]]`},
		{"var S[2,2] symmetric\nminimize sumsq(S)", `[S|| cells ""[0.5 2.5][0.5 2.5][1 2 2 3]]`},
		{"var path[3,2]\nminimize sumsq(path)", `[path|||= lines ""[1 3 5][2 4 6]]`},
		{"var p[2,2,2]\nminimize sumsq(p)", `[p|||= lines ""[1 3][2 4] lines ""[5 7][6 8]]`},
		{"var x[3], y[3]\nminimize sumsq(x) + sumsq(y)", `[|x|y points ""[1 2 3][4 5 6]]`},
		{"var x[3], y[3], r[3]\nminimize sumsq(x) + sumsq(y) + sumsq(r)", `[|x|y|= circles ""[1 2 3][4 5 6][7 8 9]]`},
		{"var z[2] complex\nminimize sumsq(z)", `[z|re(z)|im(z)|= points ""[1 2][3 4]]`},
		{"var h[0..2], X[1,3], s\nminimize sumsq(h) + sumsq(X) + s^2", `[h|| lines ""[0 1 2][1 2 3]][X|| cells ""[0.5 3.5][0.5 1.5][4 5 6]]`},
	} {
		if got := text(at(t, c.src, nil)); got != c.want {
			t.Errorf("%s is drawn as\n%s, want\n%s", c.src, got, c.want)
		}
	}
	if s := at(t, "var a[2], b[2], c[2], d[2], e[2], f[2], g[2]\nminimize sum(a) + sum(b) + sum(c) + sum(d) + sum(e) + sum(f) + sum(g)", nil); len(s.Panels) != 6 {
		t.Errorf("%d panels", len(s.Panels))
	}
}

// TestLarge: pictures of large problems stay small, and keep what stands out.
func TestLarge(t *testing.T) {
	x := make([]float64, 100000)
	x[54321] = 7
	x[777] = math.NaN()
	s := at(t, "var x[100000]\nminimize sum(x)\nplot signal(x)\nplot matrix(reshape(x, 1000, 100))\nplot points(x, x)", x)
	n, peak := 0, 0.0
	for _, l := range s.Panels[0].Marks[0].Lines {
		n += len(l.X)
		for _, v := range l.Y {
			peak = max(peak, v)
		}
	}
	if n > 4100 || peak != 7 {
		t.Errorf("%d points of a signal, the largest %g", n, peak)
	}
	m := &s.Panels[1].Marks[0]
	peak = 0
	for _, v := range m.V {
		peak = max(peak, v)
	}
	if m.Rows != 128 || m.Cols != 100 || peak != 7 {
		t.Errorf("%d x %d cells, the largest %g", m.Rows, m.Cols, peak)
	}
	if p := s.Panels[2].Marks[0]; len(p.X) > 4000 {
		t.Errorf("%d points", len(p.X))
	}
	for _, extreme := range []float64{math.MaxFloat64, math.Inf(1), 1e-310} {
		at(t, "var x[2], y[2]\nminimize sum(x) + sum(y)\nplot points(x, y), circles(x, y, x), bars(x), links(x, y, x, x)\nplot matrix([x 0; y 0])\nplot signal(x)", []float64{extreme, 1, -extreme, 0})
	}
}

// TestNull: values that are not finite are null in JSON.
func TestNull(t *testing.T) {
	text, err := json.Marshal(scene.Values{1.5, math.NaN(), math.Inf(1)})
	if err != nil || string(text) != "[1.5,null,null]" {
		t.Errorf("%s, %v", text, err)
	}
	var v scene.Values
	if err := json.Unmarshal([]byte(`[1.5,null]`), &v); err != nil || len(v) != 2 || v[0] != 1.5 || !math.IsNaN(v[1]) {
		t.Errorf("%v, %v", v, err)
	}
	if err := json.Unmarshal([]byte(`{"a":1}`), &v); err == nil {
		t.Error("an object is taken for values")
	}
}

// TestColors: the ends of a scale have its first and last colour, and 0 is pale between.
func TestColors(t *testing.T) {
	m := &at(t, "var x[3]\nminimize sum(x)\nplot matrix([-2 0; 1 1])", nil).Panels[0].Marks[0]
	got := []string{m.ColorOf(-2), m.ColorOf(0), m.ColorOf(2), m.ColorOf(9), m.ColorOf(math.NaN())}
	if want := []string{m.Stops[0], "#f7f7f7", m.Stops[4], m.Stops[4], "#bdbdbd"}; !reflect.DeepEqual(got, want) {
		t.Errorf("colours %v, want %v", got, want)
	}
}
