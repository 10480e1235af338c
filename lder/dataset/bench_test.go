package dataset_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/lder/dataset"
)

// table is a CSV file of ten features and some words; quoted cells where asked.
func table(quotes bool) ([]byte, []string) {
	rng := rand.New(rand.NewPCG(3, 4))
	var data []byte
	var names []string
	for j := range 10 {
		names = append(names, "x"+strconv.Itoa(j))
		data = append(append(data, names[j]...), ',')
	}
	data = append(data, "town\n"...)
	for i := range 100_000 {
		for range 10 {
			data = append(strconv.AppendFloat(data, rng.NormFloat64(), 'g', 6+11*(i%2), 64), ',')
		}
		town := "Ulm\n"
		if quotes {
			town = "\"Ulm\"\n"
		}
		data = append(data, town...)
	}
	return data, names
}

func BenchmarkRead(b *testing.B) {
	for name, quotes := range map[string]bool{"plain": false, "quotes": true} {
		data, _ := table(quotes)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := dataset.Read(bytes.NewReader(data), "t.csv", dataset.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	for name, quotes := range map[string]bool{"plain": false, "quotes": true} {
		data, names := table(quotes)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				s, err := dataset.OpenStream(bytes.NewReader(data), "t.csv", dataset.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Select(names, nil); err != nil {
					b.Fatal(err)
				}
				nothing := func(*dataset.Block) error { return nil }
				if err := s.Each(runtime.GOMAXPROCS(0), nothing, nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
