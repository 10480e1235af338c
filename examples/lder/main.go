package main

import (
	"context"
	"fmt"
	"log"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

func main() {
	table, err := dataset.ReadFile("examples/data/houses.csv", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	data, err := table.Supervised("price", dataset.DefaultSelection())
	if err != nil {
		log.Fatal(err)
	}
	n := len(data.Y) * 4 / 5 // the last fifth is kept for the test

	reg := lder.NewRegressor(lder.DefaultSettings())
	reg.Features, reg.Target = data.Features, data.Target
	if err := reg.Fit(context.Background(), data.X[:n], data.Y[:n]); err != nil {
		log.Fatal(err)
	}
	pred, err := reg.Predict(data.X[n:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v after %d iterations\n", reg.Training.Status, reg.Training.Iterations)
	fmt.Printf("unexplained variance: training %.2f, test %.2f\n", reg.Training.FVU, dataset.FVU(data.Y[n:], pred))
}
