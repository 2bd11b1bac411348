package train

import (
	"fmt"
	"math"
)

// Problem is the size of a fit, before there is a map or a feature.
type Problem struct {
	Rows, Features, Outputs int
	// Stored is the number of cells of sparse rows that are the features themselves, under no map or an Identity; 0:
	// features are dense.
	Stored int
	Signed bool // whether the features have signs, see layers.SignatureOf
	// Streamed says that the rows are read in blocks, again in every pass: there are no features of all of them.
	Streamed bool
	Single   bool // whether they are float32
}

// Cost is an estimate of what a fit takes, to be had before it begins: the memory that it holds at a time besides its
// rows and its map, and its multiplications and additions after the map. Memory counts matrices and the largest
// vectors, right to some tenths; the number of iterations, where there are any, is a usual one.
type Cost struct {
	Bytes, Operations float64
	Largest           string // the largest of what is held, in words
	largest           float64
}

// hold adds so many bytes of one thing.
func (c *Cost) hold(bytes float64, format string, args ...any) {
	c.Bytes += bytes
	if bytes > c.largest {
		c.largest, c.Largest = bytes, fmt.Sprintf(format, args...)
	}
}

// number is the size of a feature.
func (p Problem) number() float64 {
	if p.Single {
		return 4
	}
	return 8
}

// solvesDual says whether the n x n system is solved.
func (o RidgeOptions) solvesDual(rows, features int, signed bool) bool {
	return rows < features && !signed && o.ClassWeights == nil
}

// choice is how lambda is chosen, and among how many.
func (o RidgeOptions) choice(p Problem) (how Selection, lambdas float64) {
	if o.Select == SelectNone || o.Select == SelectAuto && !o.choosesAmong(p.Rows, p.Features, p.Signed) {
		return SelectNone, 1
	}
	lambdas = float64(len(o.Lambdas))
	if o.Lambdas == nil {
		g := builtIn(1, 1)
		lambdas = float64(g.hi - g.lo + 1)
	}
	if o.Select == SelectAuto {
		return SelectLOO, lambdas
	}
	return o.Select, lambdas
}

// Cost estimates FitRidge.
func (o RidgeOptions) Cost(p Problem) Cost {
	if p.Streamed || !o.solvesDual(p.Rows, p.Features, p.Signed) {
		return o.costPrimal(p)
	}
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	choice, lambdas := o.choice(p)
	var c Cost
	c.hold(8*d*k, "the %d x %d coefficients", p.Features, p.Outputs)
	if p.Stored > 0 {
		c.hold(12*float64(p.Stored)+48*d, "the sparse rows by columns")
		c.Operations = 2*float64(p.Stored)*math.Ceil(float64(p.Stored)/d) + 2*float64(p.Stored)*k
	} else {
		c.hold(8*n*d, "the %d x %d features", p.Rows, p.Features)
		c.Operations = n*n*d + 2*n*d*k
	}
	copies, solve := 1., n*n*n/3+2*n*n*k
	switch choice {
	case SelectLOO: // the tridiagonal reduction, its rotations, and the matrix
		copies, solve = 3, solve+10./3*n*n*n+lambdas*10*n*n
	case SelectHeldOut:
		copies, solve = 1+2*.8*.8+.8*.2, solve*(1+.5*lambdas)
	}
	c.hold(8*copies*n*n, "%.2g matrices of %d x %d numbers, of the rows", copies, p.Rows, p.Rows)
	c.Operations += solve
	return c
}

// costPrimal is the cost of the D x D system.
func (o RidgeOptions) costPrimal(p Problem) Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	choice, lambdas := o.choice(p)
	var c Cost
	c.hold(8*d*k, "the %d x %d coefficients", p.Features, p.Outputs)
	copies, solve, scored := 1., d*d*d/3, n // scored: rows by which lambda is chosen
	if o.Select == SelectAuto {
		scored = min(n, scoredRows)
	}
	passes := 1.
	switch {
	case choice == SelectHeldOut:
		copies, solve = 2, (1+lambdas)*solve
		c.hold(8*d*min(o.heldShare()*n, scoredRows), "the rows that choose lambda")
	case choice == SelectLOO && !p.Signed:
		solve, passes = 4*solve, 1+2*scored/n
	case choice == SelectLOO:
		solve, passes = lambdas*solve, 1+2*lambdas*scored/n
	}
	if choice == SelectLOO && o.Select == SelectAuto {
		c.hold(8*d*scored, "the rows that choose lambda")
	}
	if p.Signed {
		copies++
	}
	c.hold(8*copies*d*d, "%g matrices of %d x %d numbers, of the features", copies, p.Features, p.Features)
	c.block(p)
	c.Operations = passes*n*d*d + 2*n*d*k + solve
	return c
}

// block is what goes through the map at once.
func (c *Cost) block(p Problem) {
	rows := min(p.Rows, ridgeBlockRows(p.Features))
	c.hold(2*8*float64(rows)*float64(p.Features), "blocks of %d x %d features", rows, p.Features)
}

// Cost estimates FitRidgeCG, for 50 iterations.
func (o CGOptions) Cost(p Problem) Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	rank := float64(min(max(o.Rank, 0), p.Features))
	if o.Rank == 0 {
		rank = float64(min(128, p.Features))
	}
	var c Cost
	c.hold(8*d*(2*rank+5*k), "%d numbers for each feature", int(2*rank+5*k))
	c.block(p)
	c.Operations = 4*n*d*(rank+52*k) + 4*d*rank*rank
	return c
}

// Cost estimates FitSVM, for 30 passes over the rows and each lambda.
func (o SVMOptions) Cost(p Problem) Cost {
	return newtonCost(p, o.CacheBytes, 30*max(1, len(o.Lambdas)))
}

// newtonCost is for a truncated Newton method of so many passes over features that are kept where there is room.
func newtonCost(p Problem, cacheBytes int64, passes int) Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	if cacheBytes == 0 {
		cacheBytes = defaultSVMCache
	}
	var c Cost
	c.hold(8*(3*n*k+6*d*k), "vectors of %d columns", p.Outputs)
	if all := n * d * p.number(); all <= float64(cacheBytes) {
		c.hold(all, "the %d x %d features", p.Rows, p.Features)
	}
	c.block(p)
	c.Operations = float64(passes) * 4 * n * d * k
	return c
}

// Cost estimates Fit.
func (o FitOptions) Cost(p Problem) Cost {
	n, d, k := float64(p.Rows), float64(p.Features), float64(p.Outputs)
	cells, width := n*d, d // of all rows, and of one
	if p.Stored > 0 {
		cells, width = float64(p.Stored), float64(p.Stored)/max(1, n)
	}
	if err := o.fill(); err != nil {
		return Cost{} // of options that Fit refuses
	}
	var c Cost
	c.hold(8*p.number()*d*k, "the %d x %d weights, their gradients and moments", p.Features, p.Outputs)
	if p.Stored == 0 && !p.Streamed && cells*p.number() <= float64(o.CacheBytes) {
		c.hold(cells*p.number(), "the %d x %d features", p.Rows, p.Features)
	}
	c.hold(4*p.number()*float64(o.Batch)*width, "batches of %d rows", o.Batch)
	c.Operations = float64(o.Epochs) * (6*cells*k + math.Ceil(n/float64(o.Batch))*12*d*k)
	return c
}

// Cost estimates CrossValidate for so many maps of such a size, each with the lambdas of the options.
func (o CVOptions) Cost(p Problem, maps int) Cost {
	folds := o.Folds
	if folds == 0 {
		folds = 5
	}
	head := o.Fitter
	if head == nil {
		head = RidgeOptions{}
	}
	lambdas := o.Lambdas
	if lambdas == nil {
		lambdas = head.lambdas(p.Rows).first()
	}
	c := head.costOfFolds(p, folds, lambdas)
	c.Operations *= float64(maps)
	return c
}

// costOfFolds is for any number of rows.
func (o RidgeOptions) costOfFolds(p Problem, folds int, lambdas []float64) Cost {
	d, k := float64(p.Features), float64(p.Outputs)
	copies := folds + 2
	if p.Signed {
		copies++
	}
	var c Cost
	c.hold(8*float64(copies)*d*d, "%d matrices of %d x %d numbers, of the features", copies, p.Features, p.Features)
	c.hold(8*d*float64(min(p.Rows, folds*scoredRows)), "the rows of classes that choose lambda")
	c.block(p)
	c.Operations = float64(p.Rows)*d*d + float64(folds*len(lambdas))*(d*d*d/3+2*d*d*k)
	return c
}

func (o SVMOptions) costOfFolds(p Problem, folds int, lambdas []float64) Cost {
	o.Lambdas = lambdas
	c := o.Cost(p)
	c.Operations *= float64(folds)
	return c
}

func (h MiniBatch) costOfFolds(p Problem, folds int, lambdas []float64) Cost {
	c := h.Cost(p)
	c.Operations *= float64(folds * len(lambdas))
	return c
}
