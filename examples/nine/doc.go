// Package nine states the nine example problems of DCCP through the Go API, on
// data drawn from a seed: one runnable example a file.
package nine
