package shards

// FoldOf is the fold of a row of a part.
func FoldOf(folds int, seed uint64, part, line int) int {
	r := &Round{Folds: folds, Seed: seed}
	return r.foldOf(r.key(part, line))
}

// Drawn is how often a row of a part is in a bag.
func Drawn(seed uint64, part, line, bag int) int {
	return drawn((&Round{Seed: seed}).key(part, line), bag)
}

// SampleOf says how many rows the sample of a fit has.
func SampleOf(f *Reduction, rows int) {
	f.most = rows
	f.survey()
	f.number--
	f.round.Number--
}
