//go:build osqp

package backends

import "testing"

func TestOSQPIsThere(t *testing.T) {
	if b, err := ByName("osqp"); err != nil || b.Name() != "osqp" || len(All()) != len(Known()) {
		t.Errorf("ByName(osqp) = %v, %v; %d of %d backends", b, err, len(All()), len(Known()))
	}
}
