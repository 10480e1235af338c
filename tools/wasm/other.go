//go:build !(js && wasm)

package main

import "os"

// main fails: the command is for GOOS=js and GOARCH=wasm.
func main() { os.Exit(2) }
