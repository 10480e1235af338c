package arrays

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the characters that a backslash and a letter stand for.
var escapes = map[byte]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unquoted is the text of a JSON string without its quotes; ok is false where it is none.
// As package encoding/json does, it reads bytes that are no UTF-8, and halves of surrogate
// pairs, as U+FFFD. That package would be the tenth part of an engine for browsers.
func unquoted(s []byte) (text string, ok bool) {
	var b strings.Builder
	for k := 0; k < len(s); {
		switch c := s[k]; {
		case c < ' ' || c == '"':
			return "", false
		case c != '\\':
			r, n := utf8.DecodeRune(s[k:])
			b.WriteRune(r)
			k += n
		case k+1 < len(s) && s[k+1] == 'u':
			r, isHex := unit(s[k:])
			if !isHex {
				return "", false
			}
			k += len(`\u0000`)
			if utf16.IsSurrogate(r) {
				if low, isHex := unit(s[k:]); isHex && utf16.DecodeRune(r, low) != utf8.RuneError {
					r = utf16.DecodeRune(r, low)
					k += len(`\u0000`)
				} else {
					r = utf8.RuneError
				}
			}
			b.WriteRune(r)
		default:
			if k+1 == len(s) {
				return "", false
			}
			r, known := escapes[s[k+1]]
			if !known {
				return "", false
			}
			b.WriteRune(r)
			k += 2
		}
	}
	return b.String(), true
}

// unit is the UTF-16 unit that s begins with, written as \u0000.
func unit(s []byte) (r rune, ok bool) {
	if len(s) < len(`\u0000`) || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		if c-'0' > 9 && c|' '-'a' > 5 {
			return 0, false
		}
	}
	v, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(v), err == nil
}
