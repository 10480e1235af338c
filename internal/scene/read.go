package scene

import (
	"encoding/json"
	"math"
)

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Values) UnmarshalJSON(text []byte) error {
	var list []*float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*v = make(Values, len(list))
	for k, x := range list {
		if (*v)[k] = math.NaN(); x != nil {
			(*v)[k] = *x
		}
	}
	return nil
}
