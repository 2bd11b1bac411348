package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// laplaceProblem are rows of d features in k classes that overlap, far from 0, and their head.
func laplaceProblem(t *testing.T, n, d, k int, weights []float64) (data.Pairs, *LogisticFit) {
	t.Helper()
	x, y, _ := trial.Overlapping(t, n, d, k)
	for i, v := range x.Float64s() {
		x.Float64s()[i] = v + 3
	}
	p := data.Pairs{X: x, Y: y}
	f, err := FitLogistic(context.Background(), nil, p, LogisticOptions{Lambdas: []float64{1}, Tol: 1e-10, ClassWeights: weights})
	if err != nil {
		t.Fatal(err)
	}
	return p, f
}

// plainLaplace is the reference: the precision [(D+1)k], class after class, row by row and number by number. weight is
// what the curvature of a row is.
func plainLaplace(p data.Pairs, f *LogisticFit, lambda float64, r []float64, weight func(p []float64, c, e int) float64) (h *mat.SymDense, mean []float64, scale float64) {
	x := p.X.(*tensor.Dense)
	n, d, k := x.Shape()[0], x.Shape()[1], len(f.B)
	mean, mass := make([]float64, d), 0.
	for i := range n {
		mass += weightAt(r, i)
	}
	for i := range n {
		for j := range d {
			mean[j] += weightAt(r, i) * given.Cell(x, i*d+j) / mass
		}
	}
	h = mat.NewSymDense((d+1)*k, nil)
	for i := range n {
		z, u := append(make([]float64, d), 1), make([]float64, k)
		copy(u, f.B)
		for j := range d {
			v := given.Cell(x, i*d+j)
			z[j] = v - mean[j]
			scale += weightAt(r, i) * z[j] * z[j] / mass
			for c := range u {
				u[c] += v * f.W.At(j, c)
			}
		}
		softmaxRow(u)
		for a := range (d + 1) * k {
			for b := range a + 1 {
				h.SetSym(a, b, h.At(a, b)+weightAt(r, i)*weight(u, a/(d+1), b/(d+1))*z[a%(d+1)]*z[b%(d+1)])
			}
		}
	}
	for a := range (d + 1) * k {
		by := lambda * scale
		if a%(d+1) == d {
			by = lambda
		}
		h.SetSym(a, a, h.At(a, a)+by)
	}
	return h, mean, scale
}

// softmaxCurvature is an element of diag(p) - p pᵀ.
func softmaxCurvature(p []float64, c, e int) float64 {
	if c == e {
		return p[c] * (1 - p[c])
	}
	return -p[c] * p[e]
}

// curvatures are what plainLaplace has for each covariance.
var curvatures = map[LaplaceCovariance]func(p []float64, c, e int) float64{
	ExactCovariance: softmaxCurvature,
	ClassesCovariance: func(p []float64, c, e int) float64 {
		if c != e {
			return 0
		}
		return softmaxCurvature(p, c, c)
	},
	SharedCovariance: func(p []float64, c, e int) float64 {
		if c != e {
			return 0
		}
		most := 0.
		for c := range p {
			most = max(most, softmaxCurvature(p, c, c))
		}
		return most
	},
}

// TestLaplaceHessian: the reference that the fits are compared with is the Hessian of the negative log posterior.
func TestLaplaceHessian(t *testing.T) {
	const d, k, lambda = 3, 3, .7
	weights := []float64{2, 1, .5}
	p, f := laplaceProblem(t, 23, d, k, weights)
	r, err := rowWeights("", weights, p.Y, rowNames{}.at)
	if err != nil {
		t.Fatal(err)
	}
	want, mean, scale := plainLaplace(p, f, lambda, r, softmaxCurvature)
	x := p.X.(*tensor.Dense).Float64s()
	loss := func(w []float64) float64 {
		sum, u := 0., make([]float64, k)
		for i := range len(x) / d {
			for c := range u {
				u[c] = w[c*(d+1)+d]
				for j := range d {
					u[c] += w[c*(d+1)+j] * (x[i*d+j] - mean[j])
				}
			}
			at := u[given.ArgMax(p.Y.RawRowView(i))]
			sum += r[i] * (softmaxRow(u) - at)
		}
		for a, v := range w {
			if a%(d+1) == d {
				sum += lambda / 2 * v * v
			} else {
				sum += lambda * scale / 2 * v * v
			}
		}
		return sum
	}
	at, about := make([]float64, (d+1)*k), headAbout(f.W, f.B, mean)
	for c := range k {
		for j := range d + 1 {
			at[c*(d+1)+j] = about[j*k+c]
		}
	}
	var got mat.SymDense
	fd.Hessian(&got, loss, at, &fd.Settings{Formula: fd.Central, Step: 1e-4})
	for a := range (d + 1) * k {
		for b := range a + 1 {
			// a step of 1e-4 has errors of 1e-8 times fourth derivatives, and of 1e8 times the rounding of the loss
			if e := math.Abs(got.At(a, b) - want.At(a, b)); e > 1e-4*(1+math.Abs(want.At(a, b))) {
				t.Errorf("H[%d,%d] is %v by differences, %v by the formula", a, b, got.At(a, b), want.At(a, b))
			}
		}
	}
}

// TestLaplaceVariance: the variances of the three covariances are those of a plain inverse, with and without class
// weights, of rows in memory and of rows that are read, dense and sparse, in blocks of any sizes, and in float32.
func TestLaplaceVariance(t *testing.T) {
	const d, k = 5, 3
	for _, weights := range [][]float64{nil, {2, 1, 3}} {
		p, f := laplaceProblem(t, 71, d, k, weights)
		x, ctx := p.X.(*tensor.Dense), context.Background()
		var r []float64
		if weights != nil {
			r, _ = rowWeights("", weights, p.Y, rowNames{}.at)
		}
		for kind, curve := range curvatures {
			o := LaplaceOptions{Lambda: .3, Covariance: kind, ClassWeights: weights}
			h, mean, scale := plainLaplace(p, f, .3, r, curve)
			var inverse mat.Dense
			if err := inverse.Inverse(h); err != nil {
				t.Fatal(err)
			}
			l, err := FitLaplace(ctx, nil, p, f, o)
			if err != nil {
				t.Fatal(err)
			}
			if e := math.Abs(l.Scale/scale - 1); e > 1e-12 || l.Lambda != .3 || l.Covariance != kind {
				t.Errorf("%s: lambda %v, scale %v, want %v", kind, l.Lambda, l.Scale, scale)
			}
			got, err := l.Variance(x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 71 {
				z := append(make([]float64, d), 1)
				for j := range d {
					z[j] = x.Float64s()[i*d+j] - mean[j]
				}
				v := mat.NewVecDense(d+1, z)
				for c := range k {
					block := inverse.Slice(c*(d+1), (c+1)*(d+1), c*(d+1), (c+1)*(d+1))
					if want := mat.Inner(v, block, v); math.Abs(got.At(i, c)/want-1) > 1e-9 {
						t.Fatalf("%s: the variance of row %d, class %d is %v, want %v", kind, i, c, got.At(i, c), want)
					}
				}
			}
			for name, rows := range map[string]data.Examples{"read": trial.InBlocks(t, x, p.Y, 1, 30, 7), "read in one": trial.InBlocks(t, x, p.Y, 71)} {
				s, err := FitLaplace(ctx, nil, rows, f, o)
				if err != nil {
					t.Fatal(err)
				}
				of, err := s.Variance(x)
				if err != nil || !mat.EqualApprox(of, got, 1e-11) {
					t.Errorf("%s, %s: other variances (%v)", kind, name, err)
				}
			}
			x32 := floatsOf(tensor.Float32, x.Float64s(), 71, d)
			s, err := FitLaplace(ctx, nil, data.Pairs{X: x32, Y: p.Y}, f, o)
			if err != nil {
				t.Fatal(err)
			}
			of, err := s.Variance(x32) // numbers that are rounded, and nothing else
			if err != nil || !mat.EqualApprox(of, got, 1e-5) {
				t.Errorf("%s: other variances in float32 (%v)", kind, err)
			}
		}
	}
}

// TestLaplaceBounds: the precision of a class is at most the shared one, and the exact likelihood's at most twice it, in
// random directions; no variance is above that of a finer covariance; of two classes, classes and shared are the same.
func TestLaplaceBounds(t *testing.T) {
	const d = 5
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{2, 5} {
		p, f := laplaceProblem(t, 60, d, k, nil)
		of := map[LaplaceCovariance]*mat.SymDense{}
		variance := map[LaplaceCovariance]*mat.Dense{}
		for kind, curve := range curvatures {
			of[kind], _, _ = plainLaplace(p, f, 0, nil, curve)
			l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Lambda: .1, Covariance: kind})
			if err != nil {
				t.Fatal(err)
			}
			if variance[kind], err = l.Variance(p.X.(*tensor.Dense)); err != nil {
				t.Fatal(err)
			}
		}
		for range 200 {
			v := mat.NewVecDense((d+1)*k, nil)
			for i := range v.Len() {
				v.SetVec(i, rng.NormFloat64())
			}
			shared := mat.Inner(v, of[SharedCovariance], v)
			if classes, exact := mat.Inner(v, of[ClassesCovariance], v), mat.Inner(v, of[ExactCovariance], v); classes > shared*(1+1e-12) || exact > 2*shared*(1+1e-12) {
				t.Fatalf("k = %d: precisions %v of classes, %v exact, %v shared", k, classes, exact, shared)
			}
		}
		for i, e := range variance[ExactCovariance].RawMatrix().Data {
			c, s := variance[ClassesCovariance].RawMatrix().Data[i], variance[SharedCovariance].RawMatrix().Data[i]
			if s > c*(1+1e-12) || c > e*(1+1e-12) || k == 2 && math.Abs(s/c-1) > 1e-12 {
				t.Fatalf("k = %d: variances %v exact, %v of classes, %v shared", k, e, c, s)
			}
		}
	}
}
