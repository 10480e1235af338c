package enum

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// String is the name of v, or kind(v), such as Status(9), where it has none.
func String[E ~uint8](v E, kind string, names []string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}

// Parse is the value with the given name. want says in an error which names are
// meant, such as "lder: no method".
func Parse[E ~uint8](name, want string, names []string) (E, error) {
	for k, n := range names {
		if n == name {
			return E(k), nil
		}
	}
	return 0, fmt.Errorf("%s %q%s; want one of %s", want, name, suggest.DidYouMean(name, names),
		strings.Join(names, ", "))
}
