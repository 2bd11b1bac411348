package main

import (
	"context"
	"fmt"
	"math"
	"slices"

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
func (e *experiment) keptBins(ctx context.Context) error {
	m := methodOf(e.bins)
	spec, err := m.spec(m.forms()[0], e.dtype)
	if err != nil {
		return err
	}
	spec.Dims = e.X.Shape()[1]
	l, err := spec.Fit(e.X)
	if err != nil {
		return err
	}
	z, err := layers.Transform(l, nil, e.X)
	if err != nil {
		return err
	}
	features := mat.NewDense(z.Shape()[0], z.Shape()[1], ops.Float64s(z))
	fmt.Print(frame.TableHead("penalty", "bins", "λ", "accuracy, %"))
	for i, share := range shares {
		e.progress.Step(i, len(shares), fmt.Sprint("penalty ", share))
		kept, err := e.lasso(ctx, features, share)
		if err != nil {
			return err
		}
		part, r := *e, result{}
		part.X, part.XTest, spec.Dims = columns(e.X, kept), columns(e.XTest, kept), len(kept)
		exact, err := part.gram(spec)
		if err != nil {
			return err
		}
		c, err := part.leaveOneOut(exact)
		if err != nil {
			return err
		}
		r.lambda = c.lambda
		if err := part.draws(ctx, &r, spec, exact); err != nil {
			return err
		}
		e.progress.Close()
		fmt.Printf("| %g | %d | %.0e | %.1f |\n", share, len(kept), r.lambda, r.accuracy().Mean)
	}
	return nil
}

// lasso returns the bins whose weights W_g are not 0 in the group lasso
//
//	min ‖Zc W - Yc‖² + 2μ Σ_g ‖W_g‖,
//
// where μ is a share of the one at which all are 0. Each round is a ridge regression with the penalty μ Σ ‖W_g‖²/η_g of
// the lengths η_g = ‖W_g‖ of the round before, on features that √η_g multiplies.
func (e *experiment) lasso(ctx context.Context, z *mat.Dense, share float64) (kept []int, err error) {
	n, cols := z.Dims()
	bins := e.X.Shape()[1]
	width, variance := cols/bins, make([]float64, cols)
	centred := mat.DenseCopyOf(e.Y)
	for k := range centred.RawMatrix().Cols {
		y := mat.Col(nil, k, e.Y)
		floats.AddConst(-stat.Mean(y, nil), y)
		centred.SetCol(k, y)
	}
	var slopes mat.Dense
	slopes.Mul(z.T(), centred)
	for j := range variance {
		_, variance[j] = stat.PopMeanVariance(mat.Col(nil, j, z), nil)
	}
	lengths := func(w mat.Matrix, factor []float64) []float64 {
		out := make([]float64, bins)
		for g := range out {
			for j := g * width; j < (g+1)*width; j++ {
				out[g] = math.Hypot(out[g], factor[g]*floats.Norm(mat.Row(nil, j, w), 2))
			}
		}
		return out
	}
	eta := slices.Repeat([]float64{1}, bins)
	mu := share * floats.Max(lengths(&slopes, eta))
	scaled := tensor.New(tensor.WithShape(n, cols), tensor.Of(tensor.Float64))
	for range lassoRounds {
		if mu == 0 {
			break
		}
		s := 0.
		for j, v := range variance {
			s += eta[j/width] * v
		}
		for i := range n {
			for j, v := range z.RawRowView(i) {
				scaled.Float64s()[i*cols+j] = v * math.Sqrt(eta[j/width])
			}
		}
		fit, err := linear.FitRidge(ctx, nil, data.Pairs{X: scaled, Y: e.Y}, linear.RidgeOptions{Lambdas: []float64{mu / s}})
		if err != nil {
			return nil, err
		}
		roots := make([]float64, bins)
		for g, v := range eta {
			roots[g] = math.Sqrt(v)
		}
		eta = lengths(fit.W, roots)
	}
	for g, v := range eta {
		if v > 1e-4*floats.Max(eta) {
			kept = append(kept, g)
		}
	}
	return kept, nil
}

// columns are some columns of x.
func columns(x *tensor.Dense, kept []int) *tensor.Dense {
	out := tensor.New(tensor.WithShape(x.Shape()[0], len(kept)), tensor.Of(x.Dtype()))
	for to, from := range kept {
		if err := ops.ColumnsInto(out, to, x, from, from+1, 1); err != nil {
			panic(err) // of columns that are there
		}
	}
	return out
}
