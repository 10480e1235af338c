// Package cpu says which kernels of this module this processor runs. With
// the build tag purego it runs none of them.
package cpu
