package playground

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// files are data files in memory, by the names that problems use. A name that is
// not there is looked for without its folders: csv("data/r.csv") finds an r.csv.
type files map[string][]byte

// Open finds a file; fs.ErrNotExist says that there is none.
func (f files) Open(name string) (fs.File, error) {
	data, ok := f[name]
	if !ok {
		data, ok = f[path.Base(name)]
	}
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{Reader: bytes.NewReader(data), name: path.Base(name)}, nil
}

// file is an open one; it is its own fs.FileInfo.
type file struct {
	*bytes.Reader
	name string
}

var _ io.ReaderAt = (*file)(nil)

func (f *file) Stat() (fs.FileInfo, error) { return info{f.name, f.Reader.Size()}, nil }
func (f *file) Close() error               { return nil }

// info is of a plain file that is only read.
type info struct {
	name string
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
