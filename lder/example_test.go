package lder_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// A table is read, a regressor trained, kept as a model file, and applied to
// new rows whose columns stand in another order.
func Example() {
	table, err := dataset.Read(strings.NewReader("km,age,price\n0,0,9\n1,1,8\n2,0,7\n3,1,6\n4,0,5\n5,1,5\n6,0,5\n7,1,5\n"), "cars.csv", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := table.Supervised("price", dataset.DefaultSelection())
	if err != nil {
		fmt.Println(err)
		return
	}
	set := lder.MethodSettings(lder.CCP)
	set.Pieces = [2]int{2, 1}
	r := lder.NewRegressor(set)
	r.Features, r.Target = data.Features, data.Target
	if err := r.Fit(context.Background(), data.X, data.Y); err != nil {
		fmt.Println(err)
		return
	}

	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	r, err = lder.Read(&file, "model.json")
	if err != nil {
		fmt.Println(err)
		return
	}

	table, err = dataset.Read(strings.NewReader("age,colour,km\n0,red,2.5\n1,blue,6.5\n"), "new.csv", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := table.Matrix(r.Features)
	if err != nil {
		fmt.Println(err)
		return
	}
	prices, err := r.Predict(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range prices {
		fmt.Printf("%s %.2f\n", r.Target, p)
	}
	// Output:
	// price 6.50
	// price 5.00
}

func ExampleModel_Predict() {
	// |x| − max(x, 1)
	m := lder.NewModel(2, 2, 1)
	m.W[0][0], m.W[1][0] = 1, -1
	m.M[0][0], m.B[1] = 1, 1
	for _, x := range []float64{-2, 0, 3} {
		fmt.Println(m.Predict([]float64{x}))
	}
	// Output:
	// 1
	// -1
	// 0
}

// Labels are learnt as they stand; of two classes the sign of τ decides.
func ExampleClassifier() {
	var x [][]float64
	var labels []string
	for i := range 40 { // inside or outside of a band
		v := float64(i)/10 - 2
		x = append(x, []float64{v})
		if v > -1 && v < 1 {
			labels = append(labels, "inside")
		} else {
			labels = append(labels, "outside")
		}
	}
	c := lder.NewClassifier(lder.DefaultSettings())
	if err := c.Fit(context.Background(), x, labels); err != nil {
		fmt.Println(err)
		return
	}
	p, err := c.Predict([][]float64{{-3}, {.2}, {1.8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Classes, p)
	// Output:
	// [inside outside] [outside inside outside]
}

// A model may be fitted with weights, told to choose its size by itself, and
// printed as a formula in the data's own units by package export.
func ExampleRegressor_FitWeighted() {
	var x [][]float64
	var y, w []float64
	for i := range 60 {
		v := float64(i%20) / 2
		x, y, w = append(x, []float64{v}), append(y, max(3, v)), append(w, 1)
	}
	y[7], w[7] = 1000, 0 // known to be wrong
	set := lder.MethodSettings(lder.Refit)
	set.Pieces, set.Ridge = [2]int{2, 1}, 1e-6
	r := lder.NewRegressor(set)
	if err := r.FitWeighted(context.Background(), x, y, w); err != nil {
		fmt.Println(err)
		return
	}
	p, err := r.Predict([][]float64{{1}, {4}, {8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f %.2f %.2f\n", p[0], p[1], p[2])
	// Output:
	// 3.00 4.00 8.00
}
