//go:build !lean

package ldl

// supernodes says that whole supernodes are computed where that pays.
const supernodes = true
