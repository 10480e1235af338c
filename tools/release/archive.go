package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // with slashes
	data []byte
	mode fs.FileMode
}

// sorted are entries by name.
func sorted(list []entry) []entry {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out
}

// tarred is a .tar.gz with all entries below a folder, without owners.
func tarred(folder string, list []entry, at time.Time) ([]byte, error) {
	var buf bytes.Buffer
	z, err := newGzip(&buf)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range sorted(list) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, e.name), Size: int64(len(e.data)),
			Mode: int64(e.mode), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// newGzip compresses best, without a name and a time.
func newGzip(w io.Writer) (*gzip.Writer, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) }

// zipped is a .zip with all entries below a folder.
func zipped(folder string, list []entry, at time.Time) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range sorted(list) {
		h := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
