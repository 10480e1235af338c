package srbench

import (
	"math"

	"github.com/dcopt/dcopt/lder/dataset"
)

// Seeds of the ten trials.
func Seeds() []uint32 {
	return []uint32{23654, 15795, 860, 5390, 16850, 29910, 4426, 21962, 14423, 28020}
}

// mostTrainRows is the number of training rows that a trial uses at most.
const mostTrainRows = 10000

// Split deals the rows 0..n-1 of a table into those that a trial trains on, at most
// 10,000, and those that it is scored on: scikit-learn's train_test_split with
// train_size=.75, test_size=.25 and this seed; of more than 10,000 training rows
// numpy's choice without replacement after seeding with it.
func Split(n int, seed uint32) (train, test []int) {
	rows := dataset.Permutation(n, seed)
	tests := int(math.Ceil(.25 * float64(n)))
	train, test = rows[tests:], rows[:tests]
	train = train[:int(math.Floor(.75*float64(n)))]
	if len(train) > mostTrainRows {
		picked := make([]int, mostTrainRows)
		for k, i := range dataset.Permutation(len(train), seed)[:mostTrainRows] {
			picked[k] = train[i]
		}
		train = picked
	}
	return train, test
}
