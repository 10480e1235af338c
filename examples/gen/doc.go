// Command gen writes the data files of the examples, always the same ones:
//
//	go run ./examples/gen examples/data
package main
