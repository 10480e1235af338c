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

// FrameError says that bytes are no frame: where the next one begins is not
// known.
type FrameError struct{ Text string }

func (e *FrameError) Error() string { return e.Text }

// TooLargeError says that a frame exceeds a limit. Its bytes have been skipped.
type TooLargeError struct {
	What      string
	Size, Max uint64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the %s has %d bytes, more than the limit of %d", e.What, e.Size, e.Max)
}

// VersionError says that a frame is one of another version of the protocol.
type VersionError struct{ Got byte }

func (e *VersionError) Error() string {
	return fmt.Sprintf("a frame of version %d of the protocol; this is version %d", e.Got, Version)
}

// ReadFrame reads the next frame, of at most maxBody bytes in its body. reserve is
// called with the bytes of the frame before they are read; nil: nobody is. Before
// a frame begins, the end of r is io.EOF; within one it is a *FrameError.
func ReadFrame(r io.Reader, maxBody uint64, reserve func(size uint64)) (Frame, error) {
	var p [preludeLen]byte
	if _, err := io.ReadFull(r, p[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			return Frame{}, &FrameError{"the input ends within the prelude of a frame"}
		}
		return Frame{}, err
	}
	switch {
	case string(p[:3]) != magic[:3]:
		return Frame{}, &FrameError{fmt.Sprintf("a frame begins with %q, not with %q", p[:4], magic)}
	case p[3] != Version:
		return Frame{}, &VersionError{p[3]}
	}
	header, body := uint64(binary.LittleEndian.Uint32(p[4:])), binary.LittleEndian.Uint64(p[8:])
	switch {
	case header%align != 0 || body%align != 0:
		return Frame{}, &FrameError{fmt.Sprintf("a frame with a header of %d bytes and a body of %d; both must be "+
			"multiples of %d", header, body, align)}
	case header > MaxHeader:
		return Frame{}, &FrameError{(&TooLargeError{"header", header, MaxHeader}).Error()}
	case body > math.MaxInt64-header:
		return Frame{}, &FrameError{(&TooLargeError{"body", body, maxBody}).Error()}
	}
	if reserve != nil && body <= maxBody {
		reserve(header + body)
	}
	var f Frame
	var err error
	if f.Header, err = readBytes(r, header); err != nil {
		return Frame{}, err
	}
	if body > maxBody {
		if _, err := io.CopyN(io.Discard, r, int64(body)); err != nil {
			return Frame{}, truncated(err)
		}
		return f, &TooLargeError{"body", body, maxBody}
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
		return &FrameError{"the input ends within a frame"}
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
		return &TooLargeError{"header", uint64(len(p) - preludeLen), MaxHeader}
	}
	binary.LittleEndian.PutUint32(p[4:], uint32(len(p)-preludeLen))
	if body == nil {
		body = &Body{}
	}
	body.pad()
	binary.LittleEndian.PutUint64(p[8:], uint64(len(body.data)))
	if len(body.data) <= step { // one write, one wake-up of the reader
		_, err := w.Write(append(p, body.data...))
		return err
	}
	if _, err := w.Write(p); err != nil {
		return err
	}
	_, err := w.Write(body.data)
	return err
}
