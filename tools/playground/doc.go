// Package playground is the engine behind the playground's page: it checks, lays out and
// solves a problem whose text and data files are in memory, and answers in JSON. Package
// wasm gives it to a browser; nothing here needs one.
package playground
