//go:build amd64 && !purego

package cpu

func wide() bool

// wider may be asked where wide holds.
func wider() bool
