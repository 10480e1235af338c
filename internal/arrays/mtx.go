package arrays

import (
	"bytes"
	"strings"

	"github.com/dcopt/dcopt/internal/table"
)

// ReadMTX reads a Matrix Market file of real or whole numbers or of a pattern, whose
// entries are 1. Of coordinates it makes a sparse matrix, those with one place added,
// of an array a dense one; the other result is nil. The upper triangle of a symmetric
// or skew-symmetric matrix is that below the diagonal, mirrored.
func ReadMTX(text []byte, lim Limits) (*Sparse, *Dense, error) {
	p := &mtxParser{s: text, line: 1, lim: lim}
	if err := p.banner(); err != nil {
		return nil, nil, err
	}
	if p.array {
		d, err := p.dense()
		return nil, d, err
	}
	m, err := p.coordinates()
	return m, nil, err
}

// mtxParser reads a Matrix Market file line by line.
type mtxParser struct {
	s    []byte
	at   int
	from int // of the current line
	line int
	lim  Limits

	array, pattern, whole bool
	mirror                float64 // of an entry on the other side of the diagonal; 0: none
}

// wrong is an error at the current place.
func (p *mtxParser) wrong(format string, args ...any) error {
	if p.at == len(p.s) {
		return wrong("the file ends too early")
	}
	e := wrong(format, args...).(*Error)
	e.Line, e.Col = p.line, p.at-p.from+1
	return e
}

// words are the forms that a word of the banner may have.
func (p *mtxParser) word(field, kind string, forms ...string) error {
	for _, f := range forms {
		if strings.EqualFold(field, f) {
			return nil
		}
	}
	if strings.EqualFold(field, "complex") || strings.EqualFold(field, "hermitian") {
		const msg = "the matrix is complex; write its real and its imaginary part to files of their own"
		return &Error{Line: 1, Msg: msg}
	}
	return &Error{Line: 1, Msg: "the " + kind + " " + field + " is not known; want " + strings.Join(forms, ", ")}
}

// banner reads the first line: %%MatrixMarket matrix format field symmetry.
func (p *mtxParser) banner() error {
	first, _, _ := bytes.Cut(p.s[:min(len(p.s), 1<<10)], []byte{'\n'})
	f := strings.Fields(string(first))
	if len(f) == 0 || !strings.EqualFold(f[0], "%%MatrixMarket") {
		return &Error{Line: 1, Msg: "this is no Matrix Market file: it does not begin with %%MatrixMarket"}
	}
	if len(f) != 5 {
		return &Error{Line: 1, Msg: "want %%MatrixMarket matrix, a format, a field and a symmetry"}
	}
	for _, err := range []error{
		p.word(f[1], "object", "matrix"), p.word(f[2], "format", "coordinate", "array"),
		p.word(f[3], "field", "real", "double", "integer", "pattern"),
		p.word(f[4], "symmetry", "general", "symmetric", "skew-symmetric"),
	} {
		if err != nil {
			return err
		}
	}
	p.array, p.pattern, p.whole = strings.EqualFold(f[2], "array"), strings.EqualFold(f[3], "pattern"),
		strings.EqualFold(f[3], "integer")
	switch strings.ToLower(f[4])[1] {
	case 'y':
		p.mirror = 1
	case 'k':
		p.mirror = -1
	}
	if p.pattern && (p.array || p.mirror < 0) {
		return &Error{Line: 1, Msg: "a pattern is neither an array nor skew-symmetric"}
	}
	p.at = len(first)
	return nil
}

// next goes to the next line that is neither blank nor a comment.
func (p *mtxParser) next() {
	for {
		p.blanks()
		if p.at == len(p.s) || p.s[p.at] != '\n' && (p.s[p.at] != '%' || p.at > p.from) {
			return
		}
		k := bytes.IndexByte(p.s[p.at:], '\n')
		if k < 0 {
			p.at = len(p.s)
			return
		}
		p.at += k + 1
		p.line, p.from = p.line+1, p.at
	}
}

func (p *mtxParser) blanks() {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\t' || p.s[p.at] == '\r') {
		p.at++
	}
}

// endOfLine refuses more on the line.
func (p *mtxParser) endOfLine() error {
	if p.blanks(); p.at < len(p.s) && p.s[p.at] != '\n' {
		return p.wrong("the line goes on behind its last number")
	}
	return nil
}

// integer reads a whole number from least to most.
func (p *mtxParser) integer(name string, least, most int) (int, error) {
	p.blanks()
	at, n := p.at, 0
	for p.at < len(p.s) && p.s[p.at]-'0' < 10 && n <= most {
		n = 10*n + int(p.s[p.at]-'0')
		p.at++
	}
	if p.at == at || n < least || n > most || !p.atBlank() {
		if p.at = at; n > most && least > 0 {
			return 0, p.wrong("%s is outside %d..%d", name, least, most)
		} else if n > most {
			return 0, p.wrong("%s is larger than %d", name, most)
		}
		return 0, p.wrong("want %s, a whole number from %d on", name, least)
	}
	return n, nil
}

func (p *mtxParser) atBlank() bool {
	return p.at == len(p.s) || p.s[p.at] == ' ' || p.s[p.at] == '\t' || p.s[p.at] == '\r' || p.s[p.at] == '\n'
}

// number reads the value of an entry.
func (p *mtxParser) number() (float64, error) {
	p.blanks()
	at := p.at
	v, n, ok := table.Prefix(p.s[at:])
	p.at += n
	switch {
	case !ok || !p.atBlank():
		p.at = at
		return 0, p.wrong("want a number")
	case v-v != 0:
		p.at = at
		return 0, p.wrong("%s is too large for a number", p.s[at:at+n])
	case p.whole && v != float64(int64(v)):
		p.at = at
		return 0, p.wrong("want a whole number, as the first line says")
	}
	return v, nil
}

// size reads the numbers of rows and columns.
func (p *mtxParser) size() (rows, cols int, err error) {
	if p.next(); p.at == len(p.s) {
		return 0, 0, wrong("the file ends too early")
	}
	if rows, err = p.integer("the number of rows", 0, p.lim.Side); err == nil {
		cols, err = p.integer("the number of columns", 0, p.lim.Side)
	}
	if err == nil && p.mirror != 0 && rows != cols {
		err = p.wrong("a symmetric matrix must be square, this one is %d x %d", rows, cols)
	}
	return rows, cols, err
}

// finish refuses more lines.
func (p *mtxParser) finish() error {
	if p.next(); p.at < len(p.s) {
		return p.wrong("the file goes on behind its last entry")
	}
	return nil
}

// dense reads the columns of a matrix, from the diagonal on if it is symmetric.
func (p *mtxParser) dense() (*Dense, error) {
	rows, cols, err := p.size()
	if err != nil {
		return nil, err
	}
	if err := p.endOfLine(); err != nil {
		return nil, err
	}
	n, err := sizeOf([]int{rows, cols}, p.lim)
	if err != nil {
		return nil, p.wrong("%v", err)
	}
	if n/4 > len(p.s) { // an entry takes two bytes, one of a triangle stands for two
		return nil, wrong("the file ends too early")
	}
	out := make([]float64, n)
	for j := range cols {
		first := 0
		if p.mirror != 0 {
			first = j
		}
		if p.mirror < 0 {
			first++
		}
		for i := first; i < rows; i++ {
			p.next()
			v, err := p.number()
			if err != nil {
				return nil, err
			}
			if err := p.endOfLine(); err != nil {
				return nil, err
			}
			if p.mirror != 0 {
				out[j*cols+i] = p.mirror * v
			}
			out[i*cols+j] = v
		}
	}
	return &Dense{[]int{rows, cols}, out}, p.finish()
}

// coordinates reads a line per entry: row, column and, but for a pattern, value.
func (p *mtxParser) coordinates() (*Sparse, error) {
	rows, cols, err := p.size()
	if err != nil {
		return nil, err
	}
	entries, err := p.integer("the number of entries", 0, p.lim.sparse().Numbers)
	if err != nil {
		return nil, err
	}
	if err := p.endOfLine(); err != nil {
		return nil, err
	}
	room := min(entries, len(p.s)/4) // an entry takes four bytes
	if p.mirror != 0 {
		room *= 2
	}
	t := triplets{make([]int, 0, room), make([]int, 0, room), make([]float64, 0, room)}
	for range entries {
		p.next()
		at := p.at
		i, err := p.integer("the row", 1, rows)
		if err != nil {
			return nil, err
		}
		j, err := p.integer("the column", 1, cols)
		if err != nil {
			return nil, err
		}
		v := 1.0
		if !p.pattern {
			if v, err = p.number(); err != nil {
				return nil, err
			}
		}
		if err := p.endOfLine(); err != nil {
			return nil, err
		}
		if p.mirror != 0 && (j > i || j == i && p.mirror < 0) {
			p.at = at
			return nil, p.wrong("the entry [%d,%d] does not lie in the triangle that a symmetric file has: below "+
				"the diagonal, or on it", i, j)
		}
		t.add(i-1, j-1, v)
		if p.mirror != 0 && i != j {
			t.add(j-1, i-1, p.mirror*v)
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return t.compressed(rows, cols), nil
}
