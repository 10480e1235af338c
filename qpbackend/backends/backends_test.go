package backends

import (
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
)

func TestByName(t *testing.T) {
	all := All()
	if len(all) < 2 || all[0].Name() != "ipm" || all[1].Name() != "admm" {
		t.Fatalf("all backends: %v, want ipm first, then admm", all)
	}
	for _, b := range all {
		if got, err := ByName(b.Name()); err != nil || got != b {
			t.Errorf("ByName(%q) = %v, %v", b.Name(), got, err)
		}
		if err := b.DefaultSettings().Validate(); err != nil {
			t.Errorf("%s: %v", b.Name(), err)
		}
	}
	for _, name := range []string{"", "IPM", "simplex"} {
		b, err := ByName(name)
		if b != nil || err == nil {
			t.Errorf("ByName(%q) = %v, %v", name, b, err)
			continue
		}
		for _, have := range all {
			if !strings.Contains(err.Error(), have.Name()) {
				t.Errorf("ByName(%q): %v does not list %s", name, err, have.Name())
			}
		}
	}
}

func TestKnown(t *testing.T) {
	available := 0
	for _, k := range Known() {
		b, err := ByName(k.Name)
		if k.Available != (err == nil) || k.About == "" || strings.Contains(k.About, "\n") {
			t.Errorf("%+v, but ByName says %v", k, err)
		}
		if err != nil {
			// The error and the listing say how to get it.
			if k.Get == "" || !strings.Contains(err.Error(), k.Get) {
				t.Errorf("%v does not say %q", err, k.Get)
			}
			continue
		}
		if available >= len(All()) || All()[available] != b || k.Name != b.Name() {
			t.Errorf("%s stands elsewhere in All", k.Name)
		}
		available++
		for _, c := range k.Cones {
			if !b.Supports(c) {
				t.Errorf("%s: %v is listed but not supported", k.Name, c)
			}
		}
	}
	if available != len(All()) {
		t.Errorf("%d backends are known, %d in All", available, len(All()))
	}
}

// TestEveryCone: the listing goes through all kinds, and none lies beyond.
func TestEveryCone(t *testing.T) {
	if k := qpbackend.Semidefinite + 1; !strings.HasPrefix(k.String(), "ConeKind(") {
		t.Errorf("Known does not ask for the %v cone", k)
	}
}
