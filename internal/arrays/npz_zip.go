package arrays

import (
	"archive/zip"
	"bytes"
	"strings"
)

// mostMembers bounds the files of an archive.
// Source: a limit of memory; formats before ZIP64 have as many.
const mostMembers = 1 << 16

// OpenNPZ reads the directory of an .npz file.
func OpenNPZ(data []byte) (*Archive, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > mostMembers {
		return nil, wrong("the archive has more than %d files", mostMembers)
	}
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
