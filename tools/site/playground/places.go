package playground

import (
	"bytes"
	"encoding/binary"
)

// The table of functions of Go's runtime, as cmd/link/internal/ld/pcln.go writes it since Go 1.20:
// its head, the names, files, tables by program counters, and the functions in their order.
const (
	headFunctions = 8  // from here on numbers of 8 bytes: of functions
	headUnits     = 40 // where the files of units begin, and after them the names of files
	headCounters  = 56 // where the tables by program counters begin
	headTable     = 64 // where the functions begin: two numbers of 4 bytes each, the second its place from here
	headSize      = 72

	// Members of a function, of 4 bytes each: places in the tables by program counters, and others.
	funcStack  = 16
	funcFile   = 20
	funcLine   = 24
	funcTables = 28 // how many more tables it has, whose places follow the members
	funcUnit   = 32
	funcStart  = 36
	funcSize   = 44
)

// magic begins the table where integers have 8 bytes and instructions 1.
var magic = []byte("\xf1\xff\xff\xff\x00\x00\x01\x08")

// forgetPlaces clears, in the memory of a program of Go, the files and lines that its functions
// come from: a twentieth of an engine, compressed. Only the trace of a panic tells them, as it does
// where a program has none of them, by "?:0"; names of functions stay. Where the table of functions
// is not as expected nothing changes.
func forgetPlaces(memory []byte) {
	start := bytes.Index(memory, magic)
	if start < 0 || start+headSize > len(memory) {
		return
	}
	t := memory[start:]
	long := func(at int) int { return int(binary.LittleEndian.Uint64(t[at:])) }
	short := func(at int) int { return int(binary.LittleEndian.Uint32(t[at:])) }
	units, counters, table := long(headUnits), long(headCounters), long(headTable)
	if units < headSize || counters < units || table < counters || table > len(t) {
		return
	}
	// Functions share tables: a table that one function needs stays.
	needed := make([]bool, table-counters)
	need := func(at int) {
		if at == 0 { // a function has no such table
			return
		}
		for k := range counterTable(t[counters+at : table]) {
			needed[at+k] = true
		}
	}
	for k := range long(headFunctions) {
		f := table + short(table+8*k+4)
		need(short(f + funcStack))
		for e := range short(f + funcTables) {
			need(short(f + funcSize + 4*e))
		}
		for _, member := range []int{funcFile, funcLine, funcUnit, funcStart} {
			clear(t[f+member:][:4])
		}
	}
	for k, keep := range needed {
		if !keep {
			t[counters+k] = 0
		}
	}
	clear(t[units:counters])
}

// counterTable is the length of a table by program counters at the begin of t: pairs of numbers of
// a variable length up to a first number, but the very first, that is 0, or to the end of t.
func counterTable(t []byte) int {
	for at := 0; ; {
		value, n := binary.Uvarint(t[at:])
		if n <= 0 || value == 0 && at > 0 {
			return at + max(n, 0)
		}
		at += n
		_, n = binary.Uvarint(t[at:])
		at += max(n, 0)
	}
}
