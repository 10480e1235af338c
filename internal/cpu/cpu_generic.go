//go:build !amd64 || purego

package cpu

func wide() bool { return false }

func wider() bool { return false }
