package plan

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/lder/shards"
)

// File is a file that shards read. Its content is in the plan or stays in a file of the same
// content.
type File struct {
	Name   string `json:"name"` // as the problem or the study names it
	Path   string `json:"path"` // where it was when the plan was made
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // of the content, 64 hexadecimal digits; of a part of a table there is none
	// CRC are the sums of the content of a part of a table, by the polynomial of Castagnoli 1993
	// and by the one of IEEE 802.3, 8 hexadecimal digits each. Workers take them as they read the
	// rows: a SHA-256 takes as long as the sums.
	CRC string `json:"crc,omitempty"`
	// Gzip is the content, compressed; nil: it stays where it is.
	Gzip []byte `json:"gzip,omitempty"`
}

// Keep is the size in bytes of all files together up to which a plan holds their content
// unless it is said otherwise.
// Source: a limit of memory: all workers read the plan.
const Keep = 64 << 20

// NewFile describes the file at a path, which is read whole, with its content.
func NewFile(name, at string) (File, []byte, error) {
	abs, err := filepath.Abs(at)
	if err != nil {
		return File{}, nil, err
	}
	b, err := os.ReadFile(at)
	if err != nil {
		return File{}, nil, err
	}
	sum := sha256.Sum256(b)
	return File{Name: name, Path: filepath.ToSlash(abs), Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}, b,
		nil
}

// hold puts the content into the plan.
func (f *File) hold(content []byte) error {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	f.Gzip = buf.Bytes()
	return nil
}

// check refuses a file without a name or with a hash that is none. A part of a table is read row by
// row, so it may be large.
func (f *File) check(part bool) error {
	text, kind, size := f.SHA256, "SHA-256", sha256.Size
	if part {
		text, kind, size = f.CRC, "CRC of 16 digits", 2*crc32.Size
	}
	sum, err := hex.DecodeString(text)
	switch {
	case f.Name == "":
		return errors.New("a file without a name")
	case err != nil || len(sum) != size:
		return fmt.Errorf("file %s: %q is no %s", f.Name, text, kind)
	case f.Bytes < 0 || f.Bytes > input.MostFile && !part:
		return fmt.Errorf("file %s: %d bytes, want from 0 to %d", f.Name, f.Bytes, int64(input.MostFile))
	}
	return nil
}

// content of the file: from the plan, else from the first of the file of its name
// in dir (unless dir is empty) and the one at its path that has the same content.
func (f *File) content(dir string) ([]byte, error) {
	if f.Gzip != nil {
		b, err := input.Text(bytes.NewReader(f.Gzip))
		if err != nil {
			return nil, fmt.Errorf("file %s in the plan: %w", f.Name, err)
		}
		return b, f.same(b, "the plan")
	}
	var b []byte
	_, err := f.find(dir, func(at string) (err error) {
		if b, err = os.ReadFile(at); err == nil {
			err = f.same(b, at)
		}
		return err
	})
	return b, err
}

// find is the first of the file of its name in dir (unless dir is empty) and the one at its path
// with which try agrees.
func (f *File) find(dir string, try func(at string) error) (string, error) {
	places := []string{filepath.FromSlash(f.Path)}
	if dir != "" {
		places = append([]string{filepath.Join(dir, path.Base(f.Path))}, places...)
	}
	var first error
	for _, at := range places {
		err := try(at)
		if err == nil {
			return at, nil
		}
		if first == nil || errors.Is(first, fs.ErrNotExist) {
			first = err
		}
	}
	// Not wrapped: where the file is missing, the reader of problems would say no more.
	return "", fmt.Errorf("file %s of the plan: %v; --data names the folder where it is", f.Name, first)
}

// checks are the CRCs of what is written.
type checks struct{ castagnoli, ieee hash.Hash32 }

func newChecks() checks {
	return checks{crc32.New(crc32.MakeTable(crc32.Castagnoli)), crc32.NewIEEE()}
}

func (c checks) Write(b []byte) (int, error) {
	c.castagnoli.Write(b)
	return c.ieee.Write(b)
}

// text is as in File.
func (c checks) text() string { return fmt.Sprintf("%08x%08x", c.castagnoli.Sum32(), c.ieee.Sum32()) }

// describe is a part of a table.
func describe(name, at string) (File, error) {
	abs, err := filepath.Abs(at)
	if err != nil {
		return File{}, err
	}
	in, err := os.Open(at)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	sums := newChecks()
	n, err := io.Copy(sums, in)
	return File{Name: name, Path: filepath.ToSlash(abs), Bytes: n, CRC: sums.text()}, err
}

// Sources are the files of fits. They keep which of them were compared with their CRCs, which are
// taken as the rows are read: once for each file, as long as its size and time stay, by all runners
// that share Sources.
type Sources struct {
	Open shards.Format // finds the tables in parts; nil: shards.Open

	mu    sync.Mutex
	known map[string]knownFile // by path
}

// knownFile is a file as it was when its CRCs were taken.
type knownFile struct {
	size int64
	time time.Time
	sum  string
}

// look is the path of the file in dir or where it was: of the first that has the content that it
// had, or may have it. Its watch is nil where the content is known.
func (s *Sources) look(f *File, dir string) (at string, w shards.Watch, err error) {
	at, err = f.find(dir, func(at string) error {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		s.mu.Lock()
		is := s.known[at]
		s.mu.Unlock()
		switch {
		case info.Size() != f.Bytes:
		case is.sum == "" || !is.same(info):
			w = &reading{s: s, f: f, at: at, info: info, checks: newChecks()}
			return nil
		case is.sum == f.CRC:
			w = nil
			return nil
		}
		return &otherError{at}
	})
	return at, w, err
}

// same reports whether a file is as it was.
func (k *knownFile) same(info fs.FileInfo) bool {
	return k.size == info.Size() && k.time.Equal(info.ModTime())
}

// reading takes the CRCs of a file that is read.
type reading struct {
	s    *Sources
	f    *File
	at   string
	info fs.FileInfo
	checks
}

// End compares it.
func (r *reading) End() error {
	s, is := r.s, knownFile{r.info.Size(), r.info.ModTime(), r.text()}
	if info, err := os.Stat(r.at); err == nil && is.same(info) {
		s.mu.Lock()
		if s.known == nil || len(s.known) >= mostKnown {
			s.known = map[string]knownFile{}
		}
		s.known[r.at] = is
		s.mu.Unlock()
	}
	if is.sum != r.f.CRC {
		return &otherError{r.at}
	}
	return nil
}

// otherError is of a file with another content than the plan has.
type otherError struct{ path string }

func (e *otherError) Error() string { return e.path + " is another file than when the plan was made" }

// mostKnown bounds the files that Sources know.
// Source: a limit of memory.
const mostKnown = 1 << 16

// same refuses content that differs from the file.
func (f *File) same(b []byte, at string) error {
	if sum := sha256.Sum256(b); int64(len(b)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
		return &otherError{at}
	}
	return nil
}

// files of a plan as a file system, by the names of the problem.
type files struct {
	plan *Plan
	dir  string
}

// Open opens a file of the plan.
func (f files) Open(name string) (fs.File, error) {
	for k := range f.plan.Files {
		if file := &f.plan.Files[k]; path.Clean(file.Name) == name {
			b, err := file.content(f.dir)
			if err != nil {
				return nil, err
			}
			return &memory{Reader: bytes.NewReader(b), name: file.Name, size: int64(len(b))}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// memory is an open file whose content is in memory.
type memory struct {
	*bytes.Reader
	name string
	size int64
}

func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Close() error               { return nil }
func (m *memory) Name() string               { return path.Base(m.name) }
func (m *memory) Size() int64                { return m.size }
func (m *memory) Mode() fs.FileMode          { return 0o444 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }
