package arrays

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
)

// partBytes is the least text that is worth a part of its own.
// Source: some 0.1 ms of reading, many times the cost of a goroutine.
const partBytes = 1 << 16

// whole is value at depth 0. A long array is read in parts at the same time; where one
// of them fails, the text is read again from its beginning, for the place of the first
// mistake.
func (p *jsonParser) whole() error {
	p.blanks()
	text, depth := p.arrayText()
	count := min(runtime.GOMAXPROCS(0), len(text)/partBytes)
	if count < 2 || depth > p.lim.Dimensions {
		return p.value(0)
	}
	parts := make([]*jsonParser, 0, count)
	for from := depthOne(text); from < len(text); {
		to := len(text)
		if len(parts) < count-1 {
			to = from + boundary(text[from:], len(text)/count, depth-1)
		}
		parts = append(parts, &jsonParser{s: text[from:to], lim: p.lim, leaf: -1, shape: []int{-1}})
		from = to + len(",")
	}
	var all sync.WaitGroup
	for _, q := range parts {
		all.Go(q.list)
	}
	all.Wait()
	lengths, total := 0, 0
	for _, q := range parts {
		if q.failed || !slices.Equal(q.shape[1:], parts[0].shape[1:]) {
			return p.value(0)
		}
		lengths, total = lengths+q.shape[0], total+len(q.num)
	}
	if total > p.lim.Numbers {
		return p.value(0)
	}
	p.shape, p.num = parts[0].shape, make([]float64, 0, total)
	p.shape[0] = lengths
	for _, q := range parts {
		p.num = append(p.num, q.num...)
	}
	p.at += len(text) + len("]")
	return nil
}

// arrayText is the text of an array that comes next, without the last bracket, as far as
// no string, key or object is in it, and how many brackets begin it.
func (p *jsonParser) arrayText() (text []byte, depth int) {
	text = p.s[p.at:]
	for _, end := range []byte("\"}") {
		if k := bytes.IndexByte(text, end); k >= 0 {
			text = text[:k]
		}
	}
	text = text[:max(0, bytes.LastIndexByte(text, ']'))]
	for k := range text {
		switch text[k] {
		case '[':
			depth++
		case ' ', '\t', '\r', '\n':
		default:
			return text, depth
		}
	}
	return nil, 0
}

// depthOne is the place behind the first bracket.
func depthOne(text []byte) int { return bytes.IndexByte(text, '[') + 1 }

// boundary is the place of the first comma behind a place that ends so many arrays, one
// inside the other, or the end.
func boundary(text []byte, from, brackets int) int {
	for k := from; k < len(text); k++ {
		next := bytes.IndexByte(text[k:], ',')
		if next < 0 {
			break
		}
		k += next
		found, at := 0, k-1
		for ; at >= 0 && found < brackets && (text[at] == ']' || text[at] <= ' '); at-- {
			if text[at] == ']' {
				found++
			}
		}
		if found == brackets {
			return k
		}
	}
	return len(text)
}

// list reads the text as the elements of an array at depth 1.
func (p *jsonParser) list() {
	length := 0
	for more := true; more; length++ {
		if p.failed = p.value(1) != nil; p.failed {
			return
		}
		more = p.accept(',')
	}
	p.blanks()
	p.failed = p.at < len(p.s)
	p.shape[0] = length
}
