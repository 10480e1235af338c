package lang

import (
	"strings"
	"testing"
)

// TestSetOfOptions: a setting that is no param is refused, and an option is called one.
func TestSetOfOptions(t *testing.T) {
	f, err := Parse("p.dc", []byte("param n = 3\nvar x >= n\nminimize x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"seed": "it is an option", "nn": `did you mean "n"?`} {
		if _, err := Compile(t.Context(), f, Options{Set: map[string]string{name: "1"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("set %s: %v, want %q", name, err, want)
		}
	}
}
