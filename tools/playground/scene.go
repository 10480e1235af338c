package playground

import (
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/scene"
)

// mostMarked bounds the numbers of a picture.
// Source: some megabytes of JSON; no answer depends on it.
const mostMarked = 200_000

// scene writes the member scene, the picture of a point, with the names of package scene; none
// where there is nothing to draw or too much.
func (t *text) scene(p *lang.Program, x []float64) {
	s := scene.Of(p, x)
	size := 0
	for k := range s.Panels {
		for _, m := range s.Panels[k].Marks {
			size += len(m.X) + len(m.V)
			for _, l := range m.Lines {
				size += len(l.X)
			}
		}
	}
	if len(s.Panels) == 0 || size > mostMarked {
		return
	}
	t.key("scene")
	t.object(func() {
		t.key("panels")
		t.array(func() {
			for k := range s.Panels {
				t.object(func() { t.panel(&s.Panels[k]) })
			}
		})
	})
}

func (t *text) panel(p *scene.Panel) {
	t.named("title", p.Title)
	t.named("xlabel", p.XLabel)
	t.named("ylabel", p.YLabel)
	t.flag("equal", p.Equal)
	t.flag("down", p.Down)
	t.interval("x", p.X)
	t.interval("y", p.Y)
	t.ticks("xticks", p.XTicks)
	t.ticks("yticks", p.YTicks)
	t.key("marks")
	t.array(func() {
		for k := range p.Marks {
			t.object(func() { t.mark(&p.Marks[k]) })
		}
	})
}

func (t *text) ticks(name string, ticks []scene.Tick) {
	if ticks == nil {
		return
	}
	t.key(name)
	t.array(func() {
		for _, k := range ticks {
			t.object(func() {
				t.key("at")
				t.number(k.At)
				t.key("label")
				t.string(k.Label)
			})
		}
	})
}

func (t *text) mark(m *scene.Mark) {
	t.named("kind", string(m.Kind))
	t.named("label", m.Label)
	t.named("color", m.Color)
	t.list("x", m.X)
	t.list("y", m.Y)
	t.list("r", m.R)
	t.list("w", m.W)
	t.list("h", m.H)
	if m.Texts != nil {
		t.key("texts")
		t.strings(m.Texts)
		t.flag("above", m.Above)
	}
	t.list("base", m.Base)
	if m.Width != 0 {
		t.key("width")
		t.number(m.Width)
	}
	if m.Lines != nil {
		t.key("lines")
		t.array(func() {
			for _, l := range m.Lines {
				t.object(func() {
					t.list("x", l.X)
					t.list("y", l.Y)
					t.key("strength")
					t.number(l.Strength)
					t.flag("dashed", l.Dashed)
				})
			}
		})
	}
	if m.Rows > 0 {
		t.key("rows")
		t.int(m.Rows)
		t.key("cols")
		t.int(m.Cols)
	}
	t.list("v", m.V)
	if m.Stops != nil {
		t.key("stops")
		t.strings(m.Stops)
	}
	if m.Scale != nil {
		t.interval("scale", *m.Scale)
	}
}

// named, flag and list write a member, none where it is empty.
func (t *text) named(name, value string) {
	if value != "" {
		t.key(name)
		t.string(value)
	}
}

func (t *text) flag(name string, value bool) {
	if value {
		t.key(name)
		t.bool(value)
	}
}

func (t *text) list(name string, v []float64) {
	if v != nil {
		t.key(name)
		t.nested([]int{len(v)}, v)
	}
}

func (t *text) interval(name string, r scene.Range) {
	t.key(name)
	t.object(func() {
		t.key("lo")
		t.number(r.Lo)
		t.key("hi")
		t.number(r.Hi)
	})
}
