package prooffile

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/dcopt/dcopt/ccp/global"
)

// Write writes a proof: its lines and one with their SHA-256, compressed by gzip.
func Write(w io.Writer, p *global.Proof) error {
	zip, sum := gzip.NewWriter(w), sha256.New()
	err := p.Lines(io.MultiWriter(zip, sum))
	if err == nil {
		_, err = fmt.Fprintf(zip, "{\"sha256\":\"%x\"}\n", sum.Sum(nil))
	}
	if end := zip.Close(); err == nil {
		err = end
	}
	return err
}
