// Command wasm is the engine of dcopt for a browser: GOOS=js GOARCH=wasm go build ./tools/wasm. It
// sets the global object dcopt, whose functions docs/playground.md lists, and calls the
// global function dcoptReady if there is one. It loads nothing and sends nothing.
package main
