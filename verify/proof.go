package verify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// header is the first line of a proof file.
type header struct {
	Format    string
	Version   int
	Maximize  bool
	Upper     float64
	Bound     float64
	Variables []struct {
		Name string
		Len  int
	}
	Box   [][2]*float64
	Terms []struct {
		list
		O, A, B int
		P       float64
		N       string // the name of the function, in place of its number O
	}
	Rows []struct {
		list
		Lo, Hi *float64
		T      *[2]int // the row and the variable whose product it is
	}
}

// list is numbers by their places, or an affine function of columns.
type list struct {
	I []int
	V []float64
	C float64
}

// line is a node of the tree, or the last line.
type line struct {
	S      *int
	At     float64
	E      bool
	C      float64
	B      int // the multipliers are for the box so many levels above
	Y, H   *list
	Z, X   *list
	F, G   *list // slopes of minorants, by the first and by the second column
	W      map[int][]float64
	T      [][11]float64 // kind, columns, multiplier, and the intervals of the columns
	Q      []list        // affine functions of variables whose squares are taken away
	SHA256 string
}

// Proved is the outcome of a proof.
type Proved struct {
	// Lower is the bound that the proof shows: no feasible point has a smaller objective,
	// or a larger one of a maximised problem. ±Inf: no point is feasible.
	Lower float64
	// Claimed is the bound that the file states.
	Claimed float64
	Leaves  int
	// unit of the objective, at most 1, by the largest weight that a leaf gives it.
	unit float64
}

// errDamaged says that a file is no whole proof.
var errDamaged = errors.New("the proof file is damaged")

// mostLeaves bounds the leaves of a tree, and the nodes that wait. Source: a limit of time.
const mostLeaves = 20_000_000

// mostNumbers bounds the ends of intervals of nodes under way. Source: a limit of memory, 0.5 GB.
const mostNumbers = 1 << 25

// Proof replays a proof: it returns the bound that follows from the tree, or an error if
// the file is damaged or speaks of another problem. That the bound is as good as the claim
// is for the caller to compare.
func (p *Problem) Proof(ctx context.Context, r io.Reader) (out Proved, err error) {
	text, err := input.New(r)
	if err != nil {
		return out, err
	}
	lines := &digest{text: text, sum: sha256.New()}
	defer func() {
		if err = cmp.Or(safe.Caught(recover()), err); err == errDamaged {
			err = fmt.Errorf("%w at line %d", err, text.Lines())
		}
	}()
	h := header{Upper: math.Inf(1), Bound: math.Inf(1)}
	lines.next(&h)
	check(h.Format == "dcopt proof")
	if h.Version != 4 && h.Version != 6 { // 4 has no functions beyond products
		return out, fmt.Errorf("the proof file has version %d, this program reads versions 4 and 6", h.Version)
	}
	if h.Maximize != p.Maximize {
		return out, errors.New("the proof is of another problem: one minimises, the other maximises")
	}
	f, err := flatten(p, p.box)
	if err != nil {
		return out, err
	}
	cols := p.columns(&h)
	if h.Box != nil {
		if f, err = f.within(p, &h, cols); err != nil {
			return out, err
		}
	}
	m := f.translate(&h, cols)
	out.Claimed = h.Bound
	out.Lower = m.replay(ctx, lines, h.Upper, p.room, &out)
	if p.Maximize {
		out.Lower, out.Claimed = -out.Lower, -out.Claimed
	}
	return out, nil
}

// digest reads lines and adds up their checksum.
type digest struct {
	text *input.Reader
	sum  hash.Hash
}

// next reads a line of JSON, with its end.
func (d *digest) next(v any) {
	text, err := d.text.Line()
	switch {
	case err != nil && err != io.EOF:
		safe.Raise(err)
	case input.Lists(text) != nil:
		safe.Fail("line %d: %w", d.text.Lines(), input.Lists(text))
	}
	check(bytes.HasSuffix(text, []byte("\n")) && json.Unmarshal(text, v) == nil)
	if l, ok := v.(*line); !ok || l.SHA256 == "" {
		d.sum.Write(text)
	}
}

// end: the last line has the checksum of all before, and nothing follows.
func (d *digest) end() {
	want := hex.EncodeToString(d.sum.Sum(nil))
	var l line
	d.next(&l)
	check(strings.EqualFold(l.SHA256, want))
	_, err := d.text.Line()
	check(err == io.EOF)
}

// check is a fault if the file is damaged.
func check(whole bool) {
	if !whole {
		safe.Raise(errDamaged)
	}
}

// ends is an interval; nil: no end.
func ends(lo, hi *float64) safe.Span {
	out := safe.Whole()
	if lo != nil {
		out.Lo = *lo
	}
	if hi != nil {
		out.Hi = *hi
	}
	return out
}

// each calls f for the numbers of a list of places below n.
func (l *list) each(n int, f func(k int, v float64)) {
	if l == nil {
		return
	}
	check(len(l.I) == len(l.V))
	for i, k := range l.I {
		check(k >= 0 && k < n)
		f(k, l.V[i])
	}
}

// How far boxes are narrowed: the box of the root, the boxes of other nodes, and of leaves that
// show less than the file claims, as narrowing may converge slowly. Source: the rounds of the
// search, and half as many again; for the last far more, to the rounding errors of the breadth.
const (
	firstRounds, laterRounds, progress = 75, 8, 1e-6
	lastRounds, lastProgress           = 300, 1e-11
)

// shows is the bound that a leaf shows over a box, +Inf where it has no point.
func (t *translation) shows(lf *leaf, empty bool, box []safe.Span) float64 {
	b := math.Inf(-1)
	if !empty {
		b = t.bound(lf, box)
	}
	switch f, _ := math.Frexp(lf.cost); {
	case lf.cost == 0 && b > 0:
		return math.Inf(1)
	case lf.cost == 0:
		return math.Inf(-1)
	case f == 0.5 && math.Abs(b) > lf.cost*0x1p-1000: // exact, or too large
		return min(b/lf.cost, math.MaxFloat64)
	}
	return safe.Just(b).Over(safe.Just(lf.cost)).Lo
}

// region is a node of the tree: its box, nil where nothing is left in it.
type region struct {
	box   []safe.Span
	above *region
	depth int
}

func (r *region) below() *region { return &region{slices.Clone(r.box), r, r.depth + 1} }

// replay goes through the tree, with room for so many ends of intervals, and returns the least
// bound of its leaves, at most cutoff.
func (t *translation) replay(ctx context.Context, lines *digest, cutoff float64, room int, out *Proved) float64 {
	lower := cutoff
	out.unit = 1
	root := &region{box: append([]safe.Span(nil), t.box...)}
	if !t.narrow(root.box, cutoff, firstRounds, progress) {
		root.box = nil
	}
	for stack := []*region{root}; len(stack) > 0; {
		if err := ctx.Err(); err != nil {
			safe.Raise(err)
		}
		now := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if now.box != nil && !t.narrow(now.box, cutoff, laterRounds, progress) {
			now.box = nil
		}
		var l line
		lines.next(&l)
		if check(l.SHA256 == ""); l.S != nil {
			k := *l.S
			check(k >= 0 && k < len(t.cols) && len(stack) <= mostLeaves)
			left, right := now, now // of nothing
			if now.box != nil {
				if now.depth*(len(now.box)+4) > room/2 {
					safe.Fail("line %d: the tree has more than %d levels", lines.text.Lines(), now.depth)
				}
				left, right = now.below(), now.below()
				if j := t.cols[k]; j >= 0 { // else a function that the problem does not have: both halves are the whole
					left.box[j].Hi, right.box[j].Lo = min(left.box[j].Hi, l.At), max(right.box[j].Lo, l.At)
				}
			}
			stack = append(stack, right, left)
			continue
		}
		out.Leaves++
		if check(out.Leaves <= mostLeaves && l.B >= 0); now.box == nil {
			continue
		}
		for ; l.B > 0 && now.above != nil; l.B-- {
			now = now.above
		}
		lf := t.leaf(&l)
		if lf.cost > 0 {
			out.unit = min(out.unit, 1/lf.cost)
		}
		b := t.shows(lf, l.E, now.box)
		if b < out.Claimed {
			if box := slices.Clone(now.box); t.narrow(box, cutoff, lastRounds, lastProgress) {
				b = max(b, t.shows(lf, l.E, box))
			} else {
				b = math.Inf(1)
			}
		}
		lower = min(lower, b)
	}
	lines.end()
	return lower
}
