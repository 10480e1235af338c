package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/qpbackend/cbf"
	"github.com/dcopt/dcopt/qpbackend/npz"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/qps"
	"github.com/dcopt/dcopt/qpbackend/sdpa"
)

// File is the contents of a file.
type File = problemfile.File

// Error is a complaint about a line of a file.
type Error = problemfile.Error

// format is a kind of files: the endings of their names in lower case, and the function that reads
// one, plain or compressed by gzip.
type format struct {
	endings []string
	read    func(r io.Reader) (*File, error)
}

// all are the formats in the order of Endings.
func all() []format {
	qpsFile := func(opt qps.Options) func(r io.Reader) (*File, error) {
		return func(r io.Reader) (*File, error) { return qps.Read(r, opt) }
	}
	return []format{
		{[]string{".qps", ".mps"}, qpsFile(qps.Options{})}, {[]string{".sif"}, qpsFile(qps.Options{SIF: true})},
		{[]string{".cbf"}, cbf.Read}, {[]string{".dat-s"}, sdpa.Read}, {[]string{".npz"}, npz.Read},
	}
}

// Endings of the names that are read, such as ".qps"; .gz may be behind each.
func Endings() (list []string) {
	for _, f := range all() {
		list = append(list, f.endings...)
	}
	return list
}

// Is reports whether the name of a file ends as those that ReadFile reads.
func Is(path string) bool { return of(path) != nil }

// of is the format of a file by the end of its name, in either case, nil for none.
func of(path string) *format {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz"))
	for _, f := range all() {
		if slices.Contains(f.endings, ext) {
			return &f
		}
	}
	return nil
}

// ReadFile reads the file at path; see ReadNamed.
func ReadFile(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return ReadNamed(r, path)
}

// ReadNamed reads a file by the ending of its name. Errors begin with that.
func ReadNamed(r io.Reader, path string) (*File, error) {
	f := of(path)
	if f == nil {
		return nil, fmt.Errorf("%s: want a name that ends in one of %s, or one of these and .gz", path,
			strings.Join(Endings(), ", "))
	}
	file, err := f.read(r)
	var e *Error
	switch {
	case errors.As(err, &e):
		e.File = path
		return nil, e
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}
