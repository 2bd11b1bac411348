package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// shares are the penalties of the group lasso, relative to the least that leaves no bin.
var shares = []float64{0, .003, .01, .03, .1, .3}

// lassoRounds is the number of ridge regressions of a group lasso.
const lassoRounds = 30

// keptBins prints how many bins the group lasso keeps of an additive map, and the accuracy of ridge regression on these
// bins, with a λ of its own.
func (e *experiment) keptBins(ctx context.Context) {
	m := methodOf(e.bins)
	spec := m.spec(m.forms()[0], e.dtype)
	spec.Dims = e.X.Shape()[1]
	z := try.Get(layers.Transform(try.Get(spec.Fit(e.X)), nil, e.X))
	lasso := newGroupLasso(z, e.X.Shape()[1], e.Y)
	fmt.Print(frame.TableHead("penalty", "bins", "λ", "accuracy, %"))
	for i, share := range shares {
		e.progress.Step(i, len(shares), fmt.Sprint("penalty ", share))
		kept := lasso.kept(ctx, share)
		part := *e
		part.X, part.XTest, spec.Dims = columns(e.X, kept), columns(e.XTest, kept), len(kept)
		exact := part.gram(spec)
		r := result{lambda: part.leaveOneOut(exact).Lambda}
		part.draws(ctx, &r, spec, exact)
		e.progress.Close()
		fmt.Printf("| %g | %d | %.0e | %.1f |\n", share, len(kept), r.lambda, r.accuracy().Mean)
	}
}

// groupLasso is the problem
//
//	min ‖Zc W - Yc‖² + 2μ Σ_g ‖W_g‖
//
// of features z, of which each bin g has as many.
type groupLasso struct {
	z           *mat.Dense
	y           *mat.Dense
	bins, width int
	variance    []float64 // of the features
	most        float64   // the least μ at which all W_g are 0
}

func newGroupLasso(z *tensor.Dense, bins int, y *mat.Dense) *groupLasso {
	n, cols := z.Shape()[0], z.Shape()[1]
	l := &groupLasso{mat.NewDense(n, cols, ops.Float64s(z)), y, bins, cols / bins, make([]float64, cols), 0}
	for j := range l.variance {
		_, l.variance[j] = stat.PopMeanVariance(mat.Col(nil, j, l.z), nil)
	}
	centred := mat.DenseCopyOf(y)
	for k := range centred.RawMatrix().Cols {
		column := mat.Col(nil, k, y)
		floats.AddConst(-stat.Mean(column, nil), column)
		centred.SetCol(k, column)
	}
	var slopes mat.Dense
	slopes.Mul(l.z.T(), centred)
	l.most = floats.Max(l.lengths(&slopes, slices.Repeat([]float64{1}, bins)))
	return l
}

// lengths are factor_g ‖w_g‖.
func (l *groupLasso) lengths(w mat.Matrix, factor []float64) []float64 {
	out := make([]float64, l.bins)
	for g := range out {
		for j := g * l.width; j < (g+1)*l.width; j++ {
			out[g] = math.Hypot(out[g], factor[g]*floats.Norm(mat.Row(nil, j, w), 2))
		}
	}
	return out
}

// kept returns the bins whose W_g is not 0, where μ is a share of the least that leaves none. Each round is a ridge
// regression with the penalty μ Σ ‖W_g‖²/η_g of the lengths η_g = ‖W_g‖ of the round before, on features that √η_g
// multiplies.
func (l *groupLasso) kept(ctx context.Context, share float64) (kept []int) {
	n, cols := l.z.Dims()
	eta, scaled := slices.Repeat([]float64{1}, l.bins), tensor.New(tensor.WithShape(n, cols), tensor.Of(tensor.Float64))
	for round := 0; round < lassoRounds && share > 0; round++ {
		s, roots := 0., make([]float64, l.bins)
		for g, v := range eta {
			roots[g] = math.Sqrt(v)
		}
		for j, v := range l.variance {
			s += eta[j/l.width] * v
		}
		for i := range n {
			row := scaled.Float64s()[i*cols:]
			for j, v := range l.z.RawRowView(i) {
				row[j] = v * roots[j/l.width]
			}
		}
		o := linear.RidgeOptions{Lambdas: []float64{share * l.most / s}}
		eta = l.lengths(try.Get(linear.FitRidge(ctx, nil, data.Pairs{X: scaled, Y: l.y}, o)).W, roots)
	}
	for g, v := range eta {
		if v > 1e-4*floats.Max(eta) {
			kept = append(kept, g)
		}
	}
	return kept
}

// columns are some columns of x.
func columns(x *tensor.Dense, kept []int) *tensor.Dense {
	out := tensor.New(tensor.WithShape(x.Shape()[0], len(kept)), tensor.Of(x.Dtype()))
	for to, from := range kept {
		try.Do(ops.ColumnsInto(out, to, x, from, from+1, 1))
	}
	return out
}
