package problem

import (
	"context"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/qpbackend/backends"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// ReadQP tells a file that cannot be read from one that is wrong.
func ReadQP(ctx context.Context, s *session.Session, path string) (*formats.File, error) {
	r, err := s.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := session.Within(ctx, func() (*formats.File, error) { return formats.ReadNamed(r, path) })
	return f, exit.Data(err)
}

// Backends lists the backends that can solve the convex problem.
func Backends(s *ccp.Summary) []string {
	var names []string
	for _, b := range backends.All() {
		if s.Supported(b) {
			names = append(names, b.Name())
		}
	}
	return names
}
