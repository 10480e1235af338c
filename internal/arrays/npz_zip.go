//go:build !lean

package arrays

import (
	"archive/zip"
	"bytes"
	"strings"
)

// OpenNPZ reads the directory of an .npz file.
func OpenNPZ(data []byte) (*Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, wrong("this is no .npz file: %s", strings.TrimPrefix(err.Error(), "zip: "))
	}
	a := &Archive{members: map[string]member{}}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if a.members[name] != nil {
			return nil, wrong("the archive has two arrays %q", name)
		}
		a.Names, a.members[name] = append(a.Names, name), f
	}
	if len(a.Names) == 0 {
		return nil, wrong("the archive holds no arrays")
	}
	return a, nil
}
