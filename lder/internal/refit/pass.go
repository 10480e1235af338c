package refit

// nowhere marks a row that belongs to no region.
const nowhere = -1

// Rows are cut into blocks of at least blockRows, and at most mostBlocks of
// them, whatever the number of processors.
// Source: a limit of parallel work; sums are in blocks of this size on any number of
// processors.
const (
	blockRows  = 4096
	mostBlocks = 64
)

// pass is the memory and the arguments of one pass over all rows.
type pass struct {
	panels
	region  []int32 // of each row: i·R2 + j for the pieces i and j
	blocks  []block
	scratch []scratch // one per goroutine
	step    float64   // step length along the direction of the fit
	margin  bool      // rows beyond their margin are to be nowhere
}

// block is a run of rows with sums of its own.
type block struct {
	lo, hi  int
	loss    [len(steps)]float64
	changes grams // where there are several blocks
}

// split cuts the rows of d.
func (p *pass) split(d *Data, pieces int) {
	size := max(blockRows, (d.M+mostBlocks-1)/mostBlocks)
	count := max(1, (d.M+size-1)/size)
	if cap(p.blocks) < count {
		p.blocks = append(p.blocks[:cap(p.blocks)], make([]block, count-cap(p.blocks))...)
	}
	p.blocks = p.blocks[:count]
	for k := range p.blocks {
		p.blocks[k].lo, p.blocks[k].hi = min(k*size, d.M), min((k+1)*size, d.M)
	}
	p.panels.set(d, pieces, size)
}

// each runs work on all blocks.
func (f *Fitter) each(work func(*Fitter, *block, *scratch)) {
	workers := max(1, min(f.opt.Workers, len(f.blocks)))
	for len(f.scratch) < workers {
		f.scratch = append(f.scratch, scratch{})
	}
	inParallel(workers, len(f.blocks), func(worker, k int) { work(f, &f.blocks[k], &f.scratch[worker]) })
}

// place takes the argmaxes at θ, brings the regions up to date and returns the
// weighted mean of the squared errors. θ is where the last place was plus step
// times dir, or anything if step is 0.
func (f *Fitter) place(step float64, margin bool) float64 {
	f.step, f.margin = step, margin
	f.each((*Fitter).placeBlock)
	sum := 0.0
	for k := range f.blocks {
		b := &f.blocks[k]
		sum += b.loss[0]
		if len(f.blocks) > 1 {
			f.grams.addAll(&b.changes)
		}
	}
	return sum
}

// sumsOf is where a block adds its Gram matrices.
func (f *Fitter) sumsOf(b *block) *grams {
	if len(f.blocks) == 1 {
		return &f.grams
	}
	b.changes.reset(f.d.N, f.opt.R1*f.opt.R2)
	return &b.changes
}

func (f *Fitter) placeBlock(b *block, s *scratch) {
	sums := f.sumsOf(b)
	sum := 0.0
	for lo := b.lo; lo < b.hi; lo += f.width {
		p := f.panel(s, lo, min(lo+f.width, b.hi))
		if f.step != 0 && f.kept {
			sum += f.regions(&p, f.step, f.opt.R1, f.margin)
		} else {
			f.products(p.v, f.θ, &p)
			p.c = p.v // times 0
			sum += f.regions(&p, 0, f.opt.R1, f.margin)
		}
		f.moves(sums, f.region[lo:], &p, f.d.X[lo*f.d.N:])
	}
	b.loss[0] = sum
}

// lossesAlong returns the weighted mean of the squared errors at each step along dir.
func (f *Fitter) lossesAlong() (loss [len(steps)]float64) {
	f.each((*Fitter).probeBlock)
	for k := range f.blocks {
		for s, v := range f.blocks[k].loss {
			loss[s] += v
		}
	}
	return loss
}

func (f *Fitter) probeBlock(b *block, s *scratch) {
	clear(b.loss[:])
	var loss [len(steps)]float64
	for lo := b.lo; lo < b.hi; lo += f.width {
		p := f.panel(s, lo, min(lo+f.width, b.hi))
		if !f.kept {
			f.products(p.v, f.θ, &p)
		}
		f.products(p.c, f.dir, &p)
		f.kernels.lossesAlong(&p, f.opt.R1, f.opt.Hinge, &loss)
		for k, v := range loss {
			b.loss[k] += v
		}
	}
}
