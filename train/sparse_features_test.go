package train_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/report"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// zeroMaps are maps of d columns that keep zeros.
func zeroMaps(d int, dt tensor.Dtype, x *tensor.Dense) map[string]layers.Layer {
	half := d / 2
	chi2 := func(name string, d int) layers.Layer {
		return must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, d, layers.WithDtype(dt), layers.WithName(name)))
	}
	identity := must(layers.NewIdentity(d, layers.WithDtype(dt), layers.WithName("rows")))
	return map[string]layers.Layer{
		"Identity":   identity,
		"chi2":       chi2("chi2", d),
		"Sequential": must(layers.NewSequential(identity, chi2("after", d))),
		"Concat": must(layers.NewConcat(d, []layers.Part{{Layer: chi2("left", half), To: half, Weight: .3},
			{Layer: must(layers.NewIdentity(d-half, layers.WithDtype(dt), layers.WithName("right"))), From: half, To: d, Weight: 2}})),
		"Maji and Berg": must(layers.NewMajiBergLayer(layers.MajiBerg{Bins: 5}, x, layers.WithDtype(dt))),
	}
}

// sparseTask is bagsOfWords in an element type, with classes as columns of -1 and 1 beside the targets.
func sparseTask(n, d int, dt tensor.Dtype) (sparse *ops.CSR, dense *tensor.Dense, classes, targets *mat.Dense) {
	sparse, dense, targets = bagsOfWords(n, d, 5)
	classes = mat.NewDense(n, 3, nil)
	for i := range n {
		c := 0
		if targets.At(i, 0) > .1 {
			c = 1
		} else if targets.At(i, 1) > 0 {
			c = 2
		}
		for j := range 3 {
			classes.Set(i, j, -1)
		}
		classes.Set(i, c, 1)
	}
	if dt == tensor.Float32 {
		sparse = must(sparse.As(dt, "test"))
		dense = must(sparse.Dense(nil))
	}
	return sparse, dense, classes, targets
}

// near says whether two matrices are the same but for tol of the norm of the second.
func near(a, b *mat.Dense, tol float64) bool {
	var diff mat.Dense
	diff.Sub(a, b)
	return mat.Norm(&diff, 2) <= tol*mat.Norm(b, 2)
}

// TestSparseFeatures: every solver finds of sparse rows, whose features stay sparse, what it finds of the same rows dense. Ridge has a closed
// form, and the two agree to the rounding of a product of the element type times the condition of the system. The other solvers end at Tol, so
// that objectives, which are flat at the optimum, agree to 1e-9, and weights to the root of it. In float32 the products of dense features, their
// direction and their scores are float32.
func TestSparseFeatures(t *testing.T) {
	ctx := context.Background()
	types := []tensor.Dtype{tensor.Float64, tensor.Float32}
	if trial.RaceEnabled {
		types = types[:1] // half a minute each
	}
	for _, dt := range types {
		exact, flat, root, tol := 1e-9, 1e-9, 3e-5, 1e-8
		if dt == tensor.Float32 {
			exact, flat, root, tol = 2e-4, 1e-5, 1e-2, 1e-6
		}
		for _, size := range []struct{ n, d int }{{97, 13}, {67, 400}} {
			sparse, dense, classes, targets := sparseTask(size.n, size.d, dt)
			for name, m := range zeroMaps(size.d, dt, dense) {
				fail := func(what string, err error) {
					t.Helper()
					t.Errorf("%s, %v, %d rows of %d features: %s differs, %v", name, dt, size.n, m.Features(), what, err)
				}
				pairs := func(x ops.Matrix, y *mat.Dense) data.Pairs { return data.Pairs{X: x, Y: y} }
				for _, o := range []linear.RidgeOptions{{Lambdas: []float64{.01}}, {Lambdas: []float64{.01, .1}, Select: linear.SelectLOO}} {
					want := must(linear.FitRidge(ctx, m, pairs(dense, targets), o))
					got, err := linear.FitRidge(ctx, m, pairs(sparse, targets), o)
					if err != nil || got.Dual != want.Dual || got.Lambda != want.Lambda || !near(got.W, want.W, exact) {
						fail("ridge, "+o.Select.String(), err)
					}
				}
				cg := linear.CGOptions{Lambda: .1, Rank: 7, Tol: 1e-11}
				want, err := linear.FitRidgeCG(ctx, m, pairs(dense, targets), cg)
				if err != nil {
					t.Fatal(err)
				}
				got, err := linear.FitRidgeCG(ctx, m, pairs(sparse, targets), cg)
				if err != nil || !near(got.W, want.W, exact) {
					fail("ridge by conjugate gradients", err)
				}
				for _, o := range []linear.SVMOptions{{Lambdas: []float64{.01}, Tol: tol}, {Lambdas: []float64{.01}, Tol: tol, CacheBytes: -1, BlockRows: 16},
					{Lambdas: []float64{.01}, Tol: tol, ClassWeights: []float64{1, 2, 3}}, {Loss: linear.SquaredInsensitive, Epsilon: .01, Lambdas: []float64{.1}, Tol: tol}} {
					y := classes
					if o.Loss == linear.SquaredInsensitive {
						y = targets
					}
					want := must(linear.FitSVM(ctx, m, pairs(dense, y), o))
					got, err := linear.FitSVM(ctx, m, pairs(sparse, y), o)
					if err != nil || !near(got.W, want.W, root) || math.Abs(got.C/want.C-1) > exact || math.Abs(got.Objective[0]/want.Objective[0]-1) > flat {
						fail("support vector machine, "+o.Loss.String(), err)
					}
				}
				for _, o := range []linear.LogisticOptions{{Lambdas: []float64{.01}, Tol: 1e-10}, {Lambdas: []float64{.01}, Tol: 1e-10, CacheBytes: -1, BlockRows: 16},
					{Lambdas: []float64{.01}, Tol: 1e-10, ClassWeights: []float64{1, 2, 3}}} {
					want := must(linear.FitLogistic(ctx, m, pairs(dense, classes), o))
					got, err := linear.FitLogistic(ctx, m, pairs(sparse, classes), o)
					if err != nil || !near(got.W, want.W, root) || math.Abs(got.Objective/want.Objective-1) > flat {
						fail("logistic regression", err)
					}
				}
				a, b := must(report.ApproxGram(m, dense)), must(report.ApproxGram(m, sparse))
				if !near(b, a, 1e-14) {
					fail("the Gram matrix", nil)
				}
			}
		}
	}
}

// TestSparseFolds: cross-validation scores of sparse rows are those of the same rows dense, whichever system is solved.
func TestSparseFolds(t *testing.T) {
	for _, size := range []struct{ n, d int }{{97, 13}, {60, 70}} {
		sparse, dense, classes, targets := sparseTask(size.n, size.d, tensor.Float64)
		for name, c := range map[string]struct {
			fitter fits.Fitter
			y      *mat.Dense
		}{
			"ridge of classes": {linear.RidgeOptions{}, classes}, "ridge of targets": {linear.RidgeOptions{}, targets},
			"support vectors": {linear.SVMOptions{}, classes}, "logistic": {linear.LogisticOptions{}, classes},
			"mini-batches": {sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 2}, Head: "softmax"}, classes},
		} {
			scores := func(x ops.Matrix) []train.Score {
				candidates := []train.Candidate{{Spec: layers.Spec{Map: "chi2", Dims: size.d}}}
				r, err := train.CrossValidate(context.Background(), candidates, data.Pairs{X: x, Y: c.y}, c.fitter, train.CVOptions{Folds: 4, Lambdas: []float64{.01, .1}})
				if err != nil {
					t.Fatalf("%s of %d rows, %T: %v", name, size.n, x, err)
				}
				return r.All
			}
			want, got := scores(dense), scores(sparse)
			for i, s := range want {
				if math.Abs(got[i].Error-s.Error) > 1e-9*(1+s.Error) || math.Abs(got[i].StdErr-s.StdErr) > 1e-9*(1+s.StdErr) {
					t.Errorf("%s, %d rows: lambda %v has the error %v ± %v, of dense rows %v ± %v", name, size.n, s.Lambda, got[i].Error, got[i].StdErr, s.Error, s.StdErr)
				}
			}
		}
	}
}

// wideTask are n sparse rows of d columns, some cells in each stored, with two classes.
func wideTask(n, d, cells int) (*ops.CSR, *mat.Dense) {
	rng, ptr, cols, values := rand.New(rand.NewPCG(3, 1)), []int{0}, []int32(nil), []float64(nil)
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		for at := rng.IntN(2 * d / cells); at < d; at += 1 + rng.IntN(2*d/cells) {
			cols, values = append(cols, int32(at)), append(values, 1/float64(cells))
		}
		ptr = append(ptr, len(cols))
		y.SetRow(i, []float64{float64(1 - i%2*2), float64(i%2*2 - 1)})
	}
	return must(ops.NewCSR(n, d, ptr, cols, values)), y
}

// TestSparseFeaturesMemory: while a solver runs on the features of 400 rows of 100,000 columns, 960 MB if they were dense, it holds what its
// Cost says, 8(3nk + 6Dk) bytes of vectors, the entries, 12 bytes each, and the preconditioner of 64 MiB of logistic regression, and a tenth
// more. Ridge allocates in all no more than three times its Cost: 8 Dk of coefficients, the entries by rows and by columns, and 8·3n².
func TestSparseFeaturesMemory(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("memory cannot be counted under the race detector")
	}
	const n, d = 400, 100_000
	x, y := wideTask(n, d, 30)
	m := must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, d))
	problem := fits.Problem{Rows: n, Features: m.Features(), Outputs: 2, Stored: 3 * x.Stored()}
	ctx, rows := context.Background(), data.Pairs{X: x, Y: y}
	live := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before, peak, steps := live(), 0., 0
	watch := func() { peak, steps = max(peak, live()-before), steps+1 }
	check := func(name string, c fits.Cost) {
		t.Helper()
		if limit := 1.1*c.Bytes + 1<<20; steps == 0 || peak > limit {
			t.Errorf("%s holds %.0f MB in one of %d steps, want at most %.0f MB", name, peak/1e6, steps, limit/1e6)
		}
		t.Logf("%s: %.1f MB of %.1f", name, peak/1e6, c.Bytes/1e6)
		before, peak, steps = live(), 0, 0
	}
	svm := linear.SVMOptions{Lambdas: []float64{.1}}
	svm.Progress = func(int, int) { watch() }
	if _, err := linear.FitSVM(ctx, m, rows, svm); err != nil {
		t.Fatal(err)
	}
	check("a support vector machine", svm.Cost(problem))
	logistic := linear.LogisticOptions{Lambdas: []float64{.1}}
	logistic.Progress = func(int, float64) { watch() }
	if _, err := linear.FitLogistic(ctx, m, rows, logistic); err != nil {
		t.Fatal(err)
	}
	check("logistic regression", logistic.Cost(problem))

	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	if _, err := linear.FitRidge(ctx, m, rows, linear.RidgeOptions{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&to)
	got, cost := float64(to.TotalAlloc-from.TotalAlloc), linear.RidgeOptions{}.Cost(problem).Bytes
	t.Logf("ridge: %.1f MB in all, %.1f at a time", got/1e6, cost/1e6)
	if got > 3*cost {
		t.Errorf("ridge allocates %.0f MB, want at most %.0f MB", got/1e6, 3*cost/1e6)
	}
}
