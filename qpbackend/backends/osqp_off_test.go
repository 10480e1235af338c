//go:build !osqp

package backends

import (
	"strings"
	"testing"
)

func TestHowToGetOSQP(t *testing.T) {
	_, err := ByName("osqp")
	if err == nil || !strings.Contains(err.Error(), "-tags osqp") || !strings.Contains(err.Error(), "make osqp") {
		t.Errorf("ByName(osqp): %v", err)
	}
}
