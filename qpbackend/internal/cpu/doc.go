// Package cpu says which kernels of the linear algebra this processor runs. With
// the build tag purego it runs none of them.
package cpu
