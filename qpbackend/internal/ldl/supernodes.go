//go:build !lean

package ldl

// supernodes says that whole supernodes, and leading columns, are computed where that pays.
const supernodes = true
