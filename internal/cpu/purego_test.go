//go:build purego

package cpu

const generic = true
