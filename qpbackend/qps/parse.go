package qps

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// Numbers of rows that are not constraints.
const (
	objectiveRow = -1
	ignoredRow   = -2 // an N row that is not the objective
)

// parser collects the statements of the lines.
type parser struct {
	sif    bool // see Options
	fixed  bool // fields by column, as punched cards had them
	misfit int  // the line that does not fit these, 0 for none
	sec    section
	no     int // of the line
	size   problemfile.Size

	out       File
	objective objective

	row  map[string]int
	rows []rowSpec

	col       map[string]int
	cols      []colSpec
	inInteger bool
	entries   problemfile.Entries // of A
	quad      problemfile.Entries // of P
	bothSides bool                // quad has both triangles

	sets [3]setName // of rhsSection, rangeSection and boundSection
}

// objective has the statements about the N rows.
type objective struct {
	name                     string // by OBJNAME
	got                      string // the row, once found
	r                        float64
	rGiven                   bool
	droppedN, droppedEntries int // of other rows
}

type rowSpec struct {
	kind               byte // E, L or G
	rhs, span          float64
	rhsGiven, hasRange bool
	line               int
}

type colSpec struct {
	q            float64
	qGiven       bool
	lower, upper float64
	lowerStated  bool
	freed        bool // lower bound dropped for the sake of the upper
	integer      bool
	line         int // of the last bound
}

// setName keeps the first set of a section.
type setName struct {
	name    string
	known   bool
	ignored []string
}

// mostIgnored bounds the sets that notes name.
// Source: a limit of the number of notes.
const mostIgnored = 10

// takes reports whether an entry of the set counts.
func (s *setName) takes(name string) bool {
	if !s.known {
		s.name, s.known = name, true
	}
	if name != s.name && len(s.ignored) < mostIgnored && !slices.Contains(s.ignored, name) {
		s.ignored = append(s.ignored, name)
	}
	return name == s.name
}

// fits looks whether all lines can be cut by columns; if not, fields stand between white space.
func (p *parser) fits(l line) error {
	switch {
	case !p.fixed:
	case l.header:
		f := strings.Fields(l.text)
		p.sec = sections[strings.ToUpper(f[0])]
		p.fixed = !(p.sec == nameSection && len(f) == 3 && f[2] == "FREE")
	case p.sec.hasCards():
		if _, err := p.card(l.text); err != nil {
			p.fixed, p.misfit = false, l.no
		}
	}
	return nil
}

func (p *parser) line(l line) error {
	if p.no = l.no; l.header {
		return p.header(l.text)
	}
	switch p.sec {
	case none, nameSection:
		return fmt.Errorf("data before the section ROWS")
	case senseSection:
		return p.sense(strings.TrimSpace(l.text))
	case objNameSection:
		p.objective.name = strings.TrimSpace(l.text)
		return nil
	case skipped:
		return nil
	}
	c, err := p.card(l.text)
	if err == nil {
		err = p.take(c)
	}
	if err != nil && p.misfit > 0 {
		return fmt.Errorf("%w (read as free format, because line %d does not fit the columns of the fixed one)", err,
			p.misfit)
	}
	return err
}

func (p *parser) card(text string) (card, error) {
	f, err := cutFixed(p.sec, text)
	if !p.fixed {
		f, err = cutFree(p.sec, text, func(s string) bool { _, ok := p.col[s]; return ok })
	}
	if err != nil {
		return card{}, err
	}
	return newCard(p.sec, f)
}

func (p *parser) header(text string) error {
	f := strings.Fields(text)
	key := strings.ToUpper(f[0])
	if what, ok := refused[key]; ok {
		return fmt.Errorf("section %s: %s are not supported", key, what)
	}
	sec, ok := sections[key]
	if !ok {
		return fmt.Errorf("unknown section %q; a data line starts with a blank", f[0])
	}
	p.sec = sec
	switch sec {
	case nameSection:
		p.out.Name = strings.TrimSpace(text[len(f[0]):])
		if len(f) == 3 && f[2] == "FREE" {
			p.out.Name = f[1]
		}
	case senseSection:
		if len(f) > 1 {
			return p.sense(f[1])
		}
	case triangleSection, matrixSection:
		if len(f) > 1 && p.objective.got != "" && f[1] != p.objective.got {
			return fmt.Errorf("section %s for row %q: quadratic constraints are not supported", key, f[1])
		}
		if p.quad.Len() > 0 {
			return fmt.Errorf("section %s: the quadratic objective has been given before", key)
		}
		p.bothSides = sec == matrixSection
	}
	return nil
}

func (p *parser) sense(s string) error {
	switch key := strings.ToUpper(s); {
	case strings.HasPrefix(key, "MAX"):
		p.out.Maximize = true
	case strings.HasPrefix(key, "MIN"):
		p.out.Maximize = false
	default:
		return fmt.Errorf("OBJSENSE is %q, want MAX or MIN", s)
	}
	return nil
}

// take puts one card where it belongs.
func (p *parser) take(c card) error {
	if p.sec >= rhsSection && p.sec <= boundSection && !p.sets[p.sec-rhsSection].takes(c.name) {
		return nil
	}
	switch p.sec {
	case rowSection:
		return p.newRow(c)
	case colSection:
		return p.column(c)
	case rhsSection:
		return p.eachRow(c, p.rightHandSide)
	case rangeSection:
		return p.eachRow(c, p.rangeOf)
	case boundSection:
		return p.bound(c)
	}
	return p.quadratic(c)
}

func (p *parser) newRow(c card) error {
	if _, ok := p.row[c.name]; ok {
		return fmt.Errorf("row %q is stated twice", c.name)
	}
	if err := p.size.Add(1); err != nil {
		return err
	}
	c.name = strings.Clone(c.name)
	switch kind := strings.ToUpper(c.kind); kind {
	case "N":
		if p.objective.got == "" && (p.objective.name == "" || p.objective.name == c.name) {
			p.objective.got = c.name
			p.row[c.name] = objectiveRow
			return nil
		}
		p.row[c.name] = ignoredRow
		p.objective.droppedN++
		return nil
	case "E", "L", "G":
		p.row[c.name] = len(p.rows)
		p.rows = append(p.rows, rowSpec{kind: kind[0], line: p.no})
		p.out.RowNames = append(p.out.RowNames, c.name)
		return nil
	}
	return fmt.Errorf("row %q has type %q, want N, E, L or G", c.name, c.kind)
}

func (p *parser) column(c card) error {
	if c.marker != "" {
		switch c.marker {
		case "INTORG":
			p.inInteger = true
		case "INTEND":
			p.inInteger = false
		default:
			return fmt.Errorf("marker %q, want INTORG or INTEND", c.marker)
		}
		return nil
	}
	j, ok := p.col[c.name]
	if !ok {
		if err := p.size.Add(1); err != nil {
			return err
		}
		j, c.name = len(p.cols), strings.Clone(c.name)
		p.col[c.name] = j
		p.cols = append(p.cols, colSpec{upper: math.Inf(1), integer: p.inInteger})
		p.out.ColNames = append(p.out.ColNames, c.name)
	}
	return p.eachRow(c, func(i int, v float64) error {
		if math.IsInf(v, 0) {
			return fmt.Errorf("coefficient of column %q is beyond all numbers", c.name)
		}
		switch col := &p.cols[j]; {
		case i == ignoredRow:
			p.objective.droppedEntries++
		case i != objectiveRow:
			p.entries.Put(i, j, v, p.no)
		case col.qGiven:
			return fmt.Errorf("the objective of column %q is stated twice", c.name)
		default:
			col.q, col.qGiven = v, true
		}
		return nil
	})
}

// eachRow calls put for the pairs of the card, whose names are rows.
func (p *parser) eachRow(c card, put func(i int, v float64) error) error {
	if err := p.size.Add(c.n); err != nil {
		return err
	}
	for _, e := range c.pairs[:c.n] {
		i, ok := p.row[e.name]
		if !ok {
			return fmt.Errorf("unknown row %q", e.name)
		}
		if err := put(i, e.value); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) rightHandSide(i int, v float64) error {
	switch {
	case i == ignoredRow:
	case i == objectiveRow:
		if math.Abs(v) >= qpbackend.Infinity {
			return fmt.Errorf("the constant of the objective is %g", -v)
		}
		if p.objective.rGiven {
			return fmt.Errorf("the constant of the objective is stated twice")
		}
		p.objective.r, p.objective.rGiven = -v, true
	case p.rows[i].rhsGiven:
		return fmt.Errorf("the right-hand side of row %q is stated twice", p.out.RowNames[i])
	default:
		r := &p.rows[i]
		r.rhs, r.rhsGiven, r.line = v, true, p.no
	}
	return nil
}

func (p *parser) rangeOf(i int, v float64) error {
	if i < 0 {
		return nil
	}
	r := &p.rows[i]
	if r.hasRange {
		return fmt.Errorf("the range of row %q is stated twice", p.out.RowNames[i])
	}
	r.span, r.hasRange, r.line = v, true, p.no
	return nil
}

func (p *parser) bound(c card) error {
	j, ok := p.col[c.pairs[0].name]
	if !ok {
		return fmt.Errorf("unknown column %q", c.pairs[0].name)
	}
	b, v := &p.cols[j], c.pairs[0].value
	b.line = p.no
	switch c.kind {
	case "LO", "LI":
		b.lower, b.lowerStated = v, true
		b.integer = b.integer || c.kind == "LI"
	case "UP", "UI":
		b.upper = v
		b.integer = b.integer || c.kind == "UI"
		if !b.lowerStated && (v < 0 || v == 0 && p.sif) {
			b.lower, b.freed = math.Inf(-1), true
		}
	case "FX":
		b.lower, b.upper, b.lowerStated = v, v, true
	case "FR":
		b.lower, b.upper, b.lowerStated = math.Inf(-1), math.Inf(1), true
	case "MI":
		b.lower, b.lowerStated = math.Inf(-1), true
	case "PL":
		b.upper = math.Inf(1)
	case "BV":
		b.lower, b.upper, b.lowerStated, b.integer = 0, 1, true, true
	default:
		return fmt.Errorf("bound of type %q on column %q, want UP, LO, FX, FR, MI, PL, BV, UI or LI", c.kind,
			c.pairs[0].name)
	}
	return nil
}

func (p *parser) quadratic(c card) error {
	i, ok := p.col[c.name]
	if !ok {
		return fmt.Errorf("unknown column %q", c.name)
	}
	if err := p.size.Add(c.n); err != nil {
		return err
	}
	for _, e := range c.pairs[:c.n] {
		j, ok := p.col[e.name]
		if !ok {
			return fmt.Errorf("unknown column %q", e.name)
		}
		if math.IsInf(e.value, 0) {
			return fmt.Errorf("coefficient of columns %q and %q is beyond all numbers", c.name, e.name)
		}
		if p.bothSides {
			p.quad.Put(i, j, e.value, p.no)
		} else {
			p.quad.Put(min(i, j), max(i, j), e.value, p.no)
		}
	}
	return nil
}
