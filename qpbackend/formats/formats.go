package formats

import (
	"fmt"
	"io"
	"os"
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

// all are the formats in the order of Endings.
func all() []problemfile.Format {
	return []problemfile.Format{qps.Files(), cbf.Format(), sdpa.Format(), npz.Format()}
}

// Endings of the names that are read, such as ".qps"; .gz may be behind each.
func Endings() (list []string) {
	for _, f := range all() {
		list = append(list, f.Endings...)
	}
	return list
}

// Is reports whether the name of a file ends as those that ReadFile reads.
func Is(path string) bool {
	_, ok := of(path)
	return ok
}

func of(path string) (problemfile.Format, bool) {
	for _, f := range all() {
		if f.Ending(path) != "" {
			return f, true
		}
	}
	return problemfile.Format{}, false
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
	f, ok := of(path)
	if !ok {
		return nil, fmt.Errorf("%s: want a name that ends in one of %s, or one of these and .gz", path,
			strings.Join(Endings(), ", "))
	}
	return f.ReadNamed(r, path)
}
