package linear

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// naive is the definition, obvious and slow: the normal equations of [z 1] for rows of some weights, with the penalty
// effective times the signs on all coefficients but the last, without the row leave (-1: with all).
func naive(z, y *mat.Dense, weights, signs []float64, effective float64, leave int) *Fit {
	n, d := z.Dims()
	_, k := y.Dims()
	a, r := mat.NewDense(d+1, d+1, nil), mat.NewDense(d+1, k, nil)
	for i := range n {
		if i == leave {
			continue
		}
		row := mat.NewVecDense(d+1, append(slices.Clone(z.RawRowView(i)), 1))
		a.RankOne(a, weightAt(weights, i), row, row)
		r.RankOne(r, weightAt(weights, i), row, mat.NewVecDense(k, slices.Clone(y.RawRowView(i))))
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+effective*weightAt(signs, j))
	}
	var c mat.Dense
	if err := c.Solve(a, r); err != nil {
		panic(err)
	}
	return &Fit{W: mat.DenseCopyOf(c.Slice(0, d, 0, k)), B: slices.Clone(c.RawRowView(d))}
}

// meanSpread is s by its definition: the mean squared distance of a row from the mean, or of equal rows their squared
// norm.
func meanSpread(z *mat.Dense, weights ...float64) float64 {
	spread, square := 0., 0.
	for j := range z.RawMatrix().Cols {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, j, z), weights)
		spread, square = spread+variance, square+mean*mean
	}
	if spread < 1e-20*square {
		return square
	}
	return spread
}

// far is the largest difference of two fits in proportion to the largest coefficient of the second.
func far(a, b *Fit) float64 {
	var diff mat.Dense
	diff.Sub(a.W, b.W)
	worst, size := max(mat.Max(&diff), -mat.Min(&diff)), mat.Norm(b.W, math.Inf(1))
	for i, v := range b.B {
		worst, size = max(worst, math.Abs(v-a.B[i])), max(size, math.Abs(v))
	}
	return worst / size
}

func fit(t *testing.T, m layers.Map, x *tensor.Dense, y *mat.Dense, o RidgeOptions) *Fit {
	t.Helper()
	return must(FitRidge(t.Context(), m, data.Pairs{X: x, Y: y}, o))
}

// TestRidgeDefinition: by each system, of the features, of the rows, with signs, with weights, of the kernel matrix, by
// conjugate gradients, and from sums that were merged, the fit agrees with the definition. The leave-one-out errors are
// those of fits without each row, and lambda is chosen by them: of classes by the least error rate, then by the least
// squared error. A mean of the features far from 0 changes nothing.
func TestRidgeDefinition(t *testing.T) {
	different := false // whether the least error rate and the least squared error are those of different lambdas
	for _, c := range []struct {
		n, d, k, block        int
		move                  float64
		classes, signed, many bool // many: the weights 2, 1 and 3
	}{
		{n: 53, d: 7, k: 3}, {n: 53, d: 7, k: 3, block: 5}, {n: 53, d: 7, k: 3, block: 1}, {n: 11, d: 29, k: 2},
		{n: 11, d: 29, k: 2, block: 3}, {n: 13, d: 13, k: 1}, {n: 1, d: 5, k: 2}, {n: 17, d: 1, k: 1, block: 4},
		{n: 1, d: 1, k: 1}, {n: 2, d: 1, k: 1}, {n: 2, d: 5, k: 1}, {n: 71, d: 67, k: 1}, {n: 67, d: 71, k: 1},
		{n: 61, d: 7, k: 2, move: 100}, {n: 5, d: 7, k: 2, move: 100},
		{n: 61, d: 4, k: 3, classes: true}, {n: 59, d: 5, k: 1, classes: true}, {n: 23, d: 31, k: 3, classes: true},
		{n: 67, d: 11, k: 2, signed: true}, {n: 7, d: 11, k: 2, signed: true, block: 3},
		{n: 61, d: 4, k: 3, classes: true, many: true}, {n: 23, d: 31, k: 3, classes: true, many: true, block: 7},
		{n: 59, d: 5, k: 1, classes: true, many: true}, {n: 61, d: 9, k: 3, classes: true, many: true, signed: true},
	} {
		name := fmt.Sprintf("%+v", c)
		x, y := trial.Problem(c.n, c.d, c.k, 23)
		if c.classes {
			x, y, _ = trial.Overlapping(t, c.n, c.d, max(2, c.k))
			if c.k == 1 {
				y = mat.DenseCopyOf(y.Slice(0, c.n, 1, 2))
			}
		}
		for i := range x.Float64s() {
			x.Float64s()[i] += c.move
		}
		var m layers.Map
		var signs, weights, times []float64
		if c.signed {
			two := twoSigns{c.d, c.d * 2 / 3}
			m, signs = two, two.Signature()
		}
		if c.many {
			times = trial.ClassTimes[:max(2, c.k)]
			for i := range c.n {
				weights = append(weights, times[given.ClassOf(y.RawRowView(i))])
			}
		}
		z, lambdas, tol := trial.MatOf(x), []float64{30, .7, 1e-3, 1000}, 1e-10*(1+c.move)
		if c.signed {
			tol = 1e-9 // the system is nearer to a singular one
		}
		loose := 1e-7 * (1 + c.move) // of kernel matrices, which lose the digits of a large mean
		s := meanSpread(z, weights...)
		for _, lambda := range lambdas {
			want := naive(z, y, weights, signs, lambda*s, -1)
			o := RidgeOptions{Lambdas: []float64{lambda}, BlockRows: c.block, ClassWeights: times}
			f := fit(t, m, x, y, o)
			if e := far(f, want); e > tol || f.Lambda != lambda || f.Scores != nil ||
				f.Dual != (c.n < c.d && !c.signed && !c.many) {
				t.Errorf("%s, lambda %v: off by %.2g, dual %v", name, lambda, e, f.Dual)
			}
			sums := RidgeStats{Signature: signs, ClassWeights: times}
			for lo := 0; lo < c.n; lo += 1 + c.n/2 {
				part := RidgeStats{ClassWeights: times}
				ok(t, part.Add(trial.RowsOf(x, y, lo, min(lo+1+c.n/2, c.n))), sums.Merge(&part))
				if _, err := sums.Solve(1); err != nil && !c.signed {
					t.Error(err)
				}
			}
			if e := far(must(sums.Solve(lambda)), want); e > tol || sums.N() != c.n {
				t.Errorf("%s, lambda %v: merged sums of %d rows are off by %.2g", name, lambda, sums.N(), e)
			}
			if c.signed || c.many {
				continue
			}
			for rank, rows := range map[int]ops.Matrix{0: x, 5: must(ops.CSROf(x)), -1: x} {
				cg := must(FitRidgeCG(t.Context(), nil, data.Pairs{X: rows, Y: y},
					CGOptions{Lambda: lambda, Tol: 1e-12, Rank: rank, BlockRows: c.block}))
				if e := far(cg, want); e > 1e-7 || cg.Lambda != lambda || !(cg.Residual[0] <= 1e-12) {
					t.Errorf("%s, lambda %v, rank %d: conjugate gradients are off by %.2g", name, lambda, rank, e)
				}
			}
			var gram, fitted, w mat.Dense
			gram.Mul(z, z.T())
			before := mat.DenseCopyOf(&gram)
			kernel := must(FitKernelRidge(&gram, y, lambda))
			w.Mul(z.T(), kernel.Alpha)
			if e := far(&Fit{W: &w, B: kernel.B}, want); e > loose {
				t.Errorf("%s, lambda %v: kernel ridge is off by %.2g", name, lambda, e)
			}
			fitted.Mul(z, want.W)
			predicted := must(kernel.Predict(&gram))
			for i := range c.n {
				for j, b := range want.B {
					if f := fitted.At(i, j) + b; math.Abs(predicted.At(i, j)-f) > loose*(1+math.Abs(f)) {
						t.Errorf("%s, lambda %v: row %d is predicted as %v, want %v", name, lambda, i, predicted.At(i, j), f)
					}
				}
			}
			if !mat.Equal(&gram, before) {
				t.Error("k was changed")
			}
		}
		if c.n == 1 {
			continue
		}
		byLOO := map[string]*Fit{}
		for _, how := range []Selection{SelectAuto, SelectLOO} {
			byLOO[how.String()] = fit(t, m, x, y, RidgeOptions{Lambdas: lambdas, Select: how, BlockRows: 17, ClassWeights: times})
		}
		if !c.signed && !c.many {
			var gram, w mat.Dense
			gram.Mul(z, z.T())
			kernel := must(FitKernelRidge(&gram, y, lambdas...))
			w.Mul(z.T(), kernel.Alpha)
			byLOO["kernel"] = &Fit{W: &w, B: kernel.B, Lambda: kernel.Lambda, Scores: kernel.Scores}
		}
		wrong, square := make([]float64, len(lambdas)), make([]float64, len(lambdas))
		best, least := 0, 0
		for l, lambda := range lambdas {
			mass := 0.
			for i := range c.n {
				f, own, weight := naive(z, y, weights, signs, lambda*s, i), make([]float64, c.k), weightAt(weights, i)
				for j := range own {
					own[j] = f.B[j] + mat.Dot(z.RowView(i), f.W.ColView(j))
					square[l] += weight * math.Pow(y.At(i, j)-own[j], 2) / float64(c.k)
				}
				mass += weight
				switch {
				case given.ClassOf(y.RawRowView(i)) < 0:
					wrong[l] = math.NaN()
				case missed(y.RawRowView(i), own):
					wrong[l] += weight
				}
			}
			wrong[l], square[l] = wrong[l]/mass, square[l]/mass
			ratio := square[l] / square[best]
			if wrong[l] < wrong[best] || !(wrong[l] > wrong[best]) && (ratio < 1-1e-6 || ratio < 1+1e-6 && lambda > lambdas[best]) {
				best = l
			}
			if square[l] < square[least] {
				least = l
			}
		}
		different = different || best != least
		for how, f := range byLOO {
			for l, got := range f.Scores {
				if got.Lambda != lambdas[l] || math.Abs(got.MSE/square[l]-1) > tol ||
					math.Abs(got.ErrorRate-wrong[l]) > 1e-12 || math.IsNaN(got.ErrorRate) != !c.classes {
					t.Errorf("%s, %s: %+v, without each row in turn %v and %v", name, how, got, square[l], wrong[l])
				}
			}
			if e := far(f, naive(z, y, weights, signs, lambdas[best]*s, -1)); f.Lambda != lambdas[best] || e > loose {
				t.Errorf("%s, %s: lambda %v is chosen, want %v, and the fit is off by %.2g", name, how, f.Lambda,
					lambdas[best], e)
			}
		}
	}
	if !different {
		t.Error("the error rate never decides")
	}
}

// TestRidgeDefault: lambda is 1e-6 n without a choice, for conjugate gradients too, and 0 is least squares.
func TestRidgeDefault(t *testing.T) {
	x, y := trial.Problem(53, 7, 2, 5)
	f := fit(t, nil, x, y, RidgeOptions{Select: SelectNone})
	cg := must(FitRidgeCG(t.Context(), nil, data.Pairs{X: asFloat32(x), Y: y}, CGOptions{Tol: 1e-12}))
	if f.Lambda != 53e-6 || cg.Lambda != 53e-6 || far(cg, fit(t, nil, x, y, RidgeOptions{Select: SelectNone})) > 1e-9 {
		t.Errorf("default lambdas %v and %v, want 1e-6 n", f.Lambda, cg.Lambda)
	}
	zero := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{0}})
	if e := far(zero, naive(trial.MatOf(x), y, nil, nil, 0, -1)); e > 1e-9 {
		t.Errorf("lambda 0 is %.2g off least squares", e)
	}
}
