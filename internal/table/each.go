package table

import (
	"bytes"
	"io"
	"sync"
)

// Each cuts the table into blocks, reads them and calls work for each, on so many
// goroutines, and then done for each, one at a time and in order. The first error
// ends it. A block and its contents are used again after done, but for fields
// that work or done set to nil.
func (t *Reader) Each(workers int, work, done func(*Block) error) error {
	workers = max(1, workers)
	jobs := make(chan *Block)
	order := make(chan *Block, 2*workers)
	quit := make(chan struct{})
	free := make(chan *Block, 4*workers)
	var idle sync.WaitGroup
	defer idle.Wait()
	defer close(quit)
	for range workers {
		idle.Go(func() {
			for b := range jobs {
				if b.err == nil {
					b.err = b.parse(t)
				}
				if b.err == nil && work != nil {
					b.err = work(b)
				}
				close(b.done)
			}
		})
	}
	idle.Go(func() {
		defer close(order)
		defer close(jobs)
		for t.send(free, order, jobs, quit) {
		}
	})
	for b := range order {
		<-b.done
		if b.err != nil {
			return b.err
		}
		if err := done(b); err != nil {
			return err
		}
		select {
		case free <- b:
		default:
		}
	}
	return nil
}

// send cuts a block off and hands it on. It reports false at the end, and after
// quit is closed.
func (t *Reader) send(free <-chan *Block, order, jobs chan<- *Block, quit <-chan struct{}) bool {
	var b *Block
	select {
	case b = <-free:
	default:
		b = &Block{}
	}
	if !t.next(b) {
		return false
	}
	select {
	case order <- b:
	case <-quit:
		return false
	}
	select {
	case jobs <- b:
		return true
	case <-quit:
		close(b.done)
		return false
	}
}

// next cuts a block off, with its error in it. It reports false at the end.
func (t *Reader) next(b *Block) bool {
	b.Rows, b.Values, b.Texts, b.Lines, b.raw = 0, b.Values[:0], b.Texts[:0], b.Lines[:0], b.raw[:0]
	b.err, b.done = nil, make(chan struct{})
	for !t.eof && len(t.rest) < blockBytes && b.err == nil {
		b.err = t.fill()
	}
	end := 0
	if b.err == nil {
		end, b.err = t.rowsEnd(false)
	}
	if b.err != nil {
		t.eof, t.rest = true, nil
		return b.err != io.EOF
	}
	b.raw, b.line = append(b.raw, t.rest[:end]...), t.line
	t.line += bytes.Count(b.raw, []byte{'\n'})
	t.rest = t.rest[end:]
	return end > 0
}
