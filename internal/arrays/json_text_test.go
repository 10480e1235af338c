package arrays

import (
	"encoding/json"
	"testing"
)

// FuzzUnquoted: strings of JSON are read as package encoding/json reads them.
func FuzzUnquoted(f *testing.F) {
	for _, s := range []string{
		"", "a b", `\n\t\r\b\f\/\\\"`, `\u00e9é`, `\ud83d\ude00`, `\ud83d`, `\ud83dx`, `\ud83d\u0041`, `\ude00\ud83d`, `\uD83D\uDE00`, "\xff\xfe",
		`\`, `\u12`, `\u12g4`, `\x`, "a\nb", `a"b`, `\u+123`, `\u00_1`, "\x7f\u2028",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		var want string
		err := json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &want)
		if got, ok := unquoted(s); ok != (err == nil) || got != want {
			t.Errorf("%q: %q, %v; want %q, %v", s, got, ok, want, err)
		}
	})
}
