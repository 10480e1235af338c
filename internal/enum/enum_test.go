package enum_test

import (
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/export"
	"github.com/dcopt/dcopt/qpbackend"
)

// round takes every value of an enumeration to its name and back.
func round[E interface {
	~uint8
	String() string
}](t *testing.T, kind string, parse func(string) (E, error), count int) {
	t.Helper()
	for v := range E(count) {
		name := v.String()
		got, err := parse(name)
		if err != nil || got != v || name == "" {
			t.Errorf("%s(%d) is %q, which is read as %v, %v", kind, uint8(v), name, got, err)
		}
	}
	if s := E(count).String(); !strings.HasPrefix(s, kind+"(") {
		t.Errorf("a value without name, %d, is %q", count, s)
	}
	if s := E(255).String(); s != kind+"(255)" {
		t.Errorf("value 255 is %q", s)
	}
	first := E(0).String()
	_, err := parse(first + "x")
	if err == nil || !strings.Contains(err.Error(), `did you mean "`+first+`"?; want one of `+first+", ") {
		t.Errorf("%s %q: error %v", kind, first+"x", err)
	}
}

func TestNamesAndBack(t *testing.T) {
	round(t, "Status", ccp.ParseStatus, 9)
	round(t, "Status", qpbackend.ParseStatus, 9)
	round(t, "ConeKind", qpbackend.ParseConeKind, 4)
	round(t, "ConeKind", convex.ParseConeKind, 4)
	round(t, "StartKind", program.ParseStartKind, 4)
	round(t, "Curvature", lang.ParseCurvature, 5)
	round(t, "Severity", lang.ParseSeverity, 2)
	round(t, "Method", lder.ParseMethod, len(lder.Methods()))
	round(t, "Format", export.ParseFormat, 5)
	round(t, "Coding", dataset.ParseCoding, 2)
	round(t, "Strategy", dataset.ParseStrategy, 4)
	round(t, "Kind", wire.ParseKind, 4)
}
