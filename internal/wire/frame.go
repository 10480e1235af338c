package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Version of the protocol, the last byte of a frame's magic number.
const Version = 1

// The layout of a frame.
// Source: docs/protocol.md.
const (
	magic      = "DCO\x01"
	preludeLen = 16
	align      = 8
)

// MaxHeader bounds a header, in bytes.
const MaxHeader = 64 << 20

// step is how much memory a frame gets at a time while its bytes arrive.
const step = 1 << 20

// Frame is a header and a body. The header is one JSON object.
type Frame struct {
	Header []byte
	Body   []byte
}

// noFrame says that bytes are no frame: where the next one begins is not known.
func noFrame(format string, args ...any) error { return Errorf(ErrFrame, format, args...) }

// tooLarge is the text about a part of a frame that exceeds a limit.
func tooLarge(what string, size, most uint64) string {
	return fmt.Sprintf("the %s has %d bytes, more than the limit of %d", what, size, most)
}

// ReadFrame reads the next frame, of at most maxBody bytes in its body. reserve is
// called with the bytes of the frame before they are read; nil: nobody is. Before
// a frame begins, the end of r is io.EOF; bytes that are no frame are an *Error of kind ErrFrame or
// ErrVersion. One of kind ErrLimit says that the body is too large; then it has been skipped.
func ReadFrame(r io.Reader, maxBody uint64, reserve func(size uint64)) (f Frame, err error) {
	var p [preludeLen]byte
	if _, err := io.ReadFull(r, p[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = noFrame("the input ends within the prelude of a frame")
		}
		return f, err
	}
	header, body := uint64(binary.LittleEndian.Uint32(p[4:])), binary.LittleEndian.Uint64(p[8:])
	switch {
	case string(p[:3]) != magic[:3]:
		return f, noFrame("a frame begins with %q, not with %q", p[:4], magic)
	case p[3] != Version:
		return f, Errorf(ErrVersion, "a frame of version %d of the protocol; this is version %d", p[3], Version)
	case header%align != 0 || body%align != 0:
		return f, noFrame("a frame with a header of %d bytes and a body of %d; both must be multiples of %d", header,
			body, align)
	case header > MaxHeader:
		return f, noFrame("%s", tooLarge("header", header, MaxHeader))
	case body > math.MaxInt64-header:
		return f, noFrame("%s", tooLarge("body", body, maxBody))
	}
	if reserve != nil && body <= maxBody {
		reserve(header + body)
	}
	if f.Header, err = readBytes(r, header); err != nil {
		return Frame{}, err
	}
	if body > maxBody {
		if _, err := io.CopyN(io.Discard, r, int64(body)); err != nil {
			return Frame{}, truncated(err)
		}
		return f, Errorf(ErrLimit, "%s", tooLarge("body", body, maxBody))
	}
	if f.Body, err = readBytes(r, body); err != nil {
		return Frame{}, err
	}
	return f, nil
}

// readBytes reads n bytes into memory that grows as they arrive.
func readBytes(r io.Reader, n uint64) ([]byte, error) {
	buf := make([]byte, 0, min(n, step))
	for uint64(len(buf)) < n {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(n, 4*uint64(cap(buf))))
			copy(grown, buf)
			buf = grown
		}
		at := len(buf)
		buf = buf[:cap(buf)]
		if _, err := io.ReadFull(r, buf[at:]); err != nil {
			return nil, truncated(err)
		}
	}
	return buf, nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return noFrame("the input ends within a frame")
	}
	return err
}

// WriteFrame writes a frame with the given header, which becomes JSON, and the
// buffers that body has collected. The header's member for buffers is the caller's.
func WriteFrame(w io.Writer, header any, body *Body) error {
	var buf bytes.Buffer
	buf.Write(make([]byte, preludeLen))
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header); err != nil {
		return err
	}
	buf.Truncate(buf.Len() - 1) // a newline
	for buf.Len()%align != 0 {
		buf.WriteByte(' ')
	}
	p := buf.Bytes()
	copy(p, magic)
	if len(p)-preludeLen > MaxHeader {
		return Errorf(ErrLimit, "%s", tooLarge("header", uint64(len(p)-preludeLen), MaxHeader))
	}
	binary.LittleEndian.PutUint32(p[4:], uint32(len(p)-preludeLen))
	if body == nil {
		body = &Body{}
	}
	data := body.Bytes()
	binary.LittleEndian.PutUint64(p[8:], uint64(len(data)))
	if len(data) <= step { // one write, one wake-up of the reader
		p, data = append(p, data...), nil
	}
	_, err := w.Write(p)
	if err == nil && data != nil {
		_, err = w.Write(data)
	}
	return err
}
