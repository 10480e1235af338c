package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// The sizes of frames.
const (
	// maxBody bounds a message: a problem file has at most 64 MB.
	// Source: a limit of memory, twice the largest problem file for its escapes.
	maxBody = 128 << 20
	// maxHeader bounds a line of a header.
	// Source: a limit of memory; the lines of editors have some 30 bytes.
	maxHeader = 4 << 10
	// maxHeaderLines bounds the lines of a header.
	// Source: a limit of time; editors send one or two.
	maxHeaderLines = 64
)

// errTooLarge says that a frame was skipped for its size.
var errTooLarge = errors.New("lsp: the message is too large")

// errHeader says that there was no header where one was due.
var errHeader = errors.New("lsp: no header with a Content-Length")

// frames reads messages, each behind a header of lines, as HTTP has.
type frames struct {
	r    *bufio.Reader
	most int64
}

// next returns the body of the next frame. After errTooLarge and errHeader the one
// after it can be read; other errors come from the stream.
func (f *frames) next() ([]byte, error) {
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > f.most {
		if _, err := io.CopyN(io.Discard, f.r, length); err != nil {
			return nil, err
		}
		return nil, errTooLarge
	}
	// The buffer grows with the bytes that arrive: a length alone takes no memory.
	var body strings.Builder
	if n, err := io.CopyN(&body, f.r, length); err != nil {
		if err == io.EOF && n < length {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return []byte(body.String()), nil
}

// header reads lines up to an empty one and returns the length that they state.
func (f *frames) header() (int64, error) {
	length, bad := int64(-1), false
	for lines := 0; ; lines++ {
		line, err := f.line()
		switch {
		case err == bufio.ErrBufferFull || lines >= maxHeaderLines:
			return 0, errHeader
		case err != nil:
			return 0, err
		case line == "" && lines == 0:
			lines-- // between frames some clients leave empty lines
			continue
		case line == "" && (bad || length < 0):
			return 0, errHeader
		case line == "":
			return length, nil
		}
		name, value, ok := strings.Cut(line, ":")
		switch {
		case !ok:
			bad = true
		case strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 62)
			bad, length = err != nil, int64(n)
		}
	}
}

// line is the next line without its end; of a longer one than maxHeader it is skipped,
// with bufio.ErrBufferFull.
func (f *frames) line() (string, error) {
	raw, err := f.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		for err == bufio.ErrBufferFull {
			_, err = f.r.ReadSlice('\n')
		}
		if err == nil {
			err = bufio.ErrBufferFull
		}
	}
	return strings.TrimRight(string(raw), "\r\n"), err
}

// frameWriter writes messages. It may be used by several goroutines.
type frameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first one; nothing is written after it
}

func (f *frameWriter) write(body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return
	}
	frame := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	_, f.err = f.w.Write(frame)
}

func (f *frameWriter) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
