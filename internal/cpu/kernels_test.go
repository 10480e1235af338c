//go:build !purego

package cpu

const generic = false
