package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestSVMStall: a Tol below the rounding of the objective ends where the line search does, and Residual says how far
// the gradient came.
func TestSVMStall(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 300, 5, 3)
	for _, tol := range []float64{1e-8, 1e-10, 1e-14} {
		fit := must(FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Tol: tol}))
		for j, r := range fit.Residual {
			if !(r > 0 && r < 1e-6) || fit.Steps > 40 {
				t.Errorf("Tol = %g: after %d steps the residual of column %d is %g", tol, fit.Steps, j, r)
			}
		}
	}
}

// TestSVMSmallLambda: where planes separate the classes, or pass through the targets, and lambda is small, a fit by the
// default Tol is within 1 % of the least objective. If it began with that lambda, it would be 10 % above it or have no
// end within MaxSteps.
func TestSVMSmallLambda(t *testing.T) {
	const n, d = 100, 200
	r := rand.New(rand.NewPCG(1, 2))
	v, labels, y := make([]float64, n*d), make([]int, n), mat.NewDense(n, 3, nil)
	for i := range v {
		v[i] = math.Abs(r.NormFloat64())
	}
	for i := range labels {
		labels[i] = r.IntN(5)
	}
	y.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, y)
	x := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
	for _, c := range []struct {
		y *mat.Dense
		o SVMOptions
	}{
		{must(data.OneVersusRest(labels, 5)), SVMOptions{Lambdas: []float64{1e-6 * n}}},
		{y, SVMOptions{Lambdas: []float64{1e-7 * n}, Loss: SquaredInsensitive, Epsilon: .5}},
	} {
		rows := data.Pairs{X: x, Y: c.y}
		quick := must(FitSVM(t.Context(), nil, rows, c.o))
		c.o.Tol = 1e-6
		for j, least := range must(FitSVM(t.Context(), nil, rows, c.o)).Objective {
			if ratio := quick.Objective[j] / least; !(ratio < 1.01) {
				t.Errorf("%v, column %d: the objective is %v times the least", c.o.Loss, j, ratio)
			}
		}
	}
}

// TestDescend: dual coordinate descent comes as near to the least objective as its duality gap says, and the fit that
// starts there has the objective that Newton steps alone reach on features that are not kept: for dense and sparse rows
// of both element types, several columns and one, and class weights. Where rows are many for each feature, it gives up
// and the weights stay.
func TestDescend(t *testing.T) {
	for _, d := range []int{2, 60} {
		x, classes, _ := trial.Overlapping(t, 250, d, 3)
		signs := mat.DenseCopyOf(classes.Slice(0, 250, 1, 2))
		few := x.Clone().(*tensor.Dense)
		for i, v := range few.Float64s() {
			few.Float64s()[i] = max(0, math.Abs(v)-1)
		}
		sparse := must(ops.CSROf(few))
		for name, x := range map[string]ops.Matrix{"dense": x, "sparse": sparse,
			"dense float32":  asFloat32(x.Clone().(*tensor.Dense)),
			"sparse float32": must(sparse.As(tensor.Float32, ""))} {
			for _, o := range []SVMOptions{{Lambdas: []float64{.1}}, {Lambdas: []float64{3}, Bias: 2},
				{Lambdas: []float64{10}, ClassWeights: []float64{2, 1, .5}}, {Lambdas: []float64{.3}}} {
				y, lambda := classes, o.Lambdas[0]
				if lambda == .3 {
					y = signs
				}
				at, rows := fmt.Sprintf("%s, %d features, %+v", name, d, o), data.Pairs{X: x, Y: y}
				p := problemOf(t, nil, rows, o.newton())
				shift := lambda * p.scale
				gap := must(p.descend(shift))
				if (gap == nil) != (d == 2) || gap == nil && slices.Max(p.w.v) > 0 {
					t.Errorf("%s: the gap is %v", at, gap)
				}
				_, _, value, err := p.derive(shift, indices(p.w.k))
				ok(t, err)
				square := p.w.dots(p.w, 1)
				fit := must(FitSVM(t.Context(), nil, rows, o))
				o.CacheBytes, o.Tol = -1, 1e-9
				for j, least := range must(FitSVM(t.Context(), nil, rows, o)).Objective {
					if excess := fit.Objective[j]/least - 1; !(excess > -1e-6 && excess < 2e-4) {
						t.Errorf("%s, column %d: the objective is %g above the least", at, j, excess)
					}
					if gap == nil {
						continue
					}
					if excess := (value[j]/shift+square[j]/2)/least - 1; !(excess > -1e-6 && excess < gap[j]+1e-6) {
						t.Errorf("%s, column %d: descent ends %g above the least, with a gap of %g", at, j, excess, gap[j])
					}
				}
			}
		}
	}
}

// problemOf is the problem of a fit at W = 0.
func problemOf(t *testing.T, m layers.Map, rows data.Examples, o newtonOptions) *newton {
	t.Helper()
	src, n, err := o.source(t.Context(), m, rows)
	ok(t, err)
	return must(n.problem(src))
}

// fitWithGram is FitLogistic with the Gram matrix of all features in the preconditioner, however many they are.
func fitWithGram(t *testing.T, m layers.Map, rows data.Examples, o LogisticOptions) *Fit {
	t.Helper()
	p := problemOf(t, m, rows, o.newton())
	ok(t, p.gram())
	return must(p.fit(o.Lambdas[0]))
}

// sparseRows are n rows of d columns in each of which a few are not 0.
func sparseRows(n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
	for i := range n {
		for range 12 {
			x.Float64s()[i*d+int(float64(d)*math.Pow(rng.Float64(), 2))] = 1 + rng.Float64()
		}
	}
	return x
}

// TestLogisticSketch: with more than 512 features the objective is within 1e-6 of the optimum that the Gram matrix
// leads to, in few more passes: of features of either type, of rows that are sparse, weighted, or read, with features
// that are cached and mapped each time.
func TestLogisticSketch(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("too slow under the race detector")
	}
	x, y, _ := trial.Overlapping(t, 200, 3, 3)
	single := floatsOf(tensor.Float32, x.Float64s(), x.Shape()...)
	wide, thin := trial.Fourier(t, 3, 522, 1.5), sparseRows(200, 533, 5)
	narrow := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1.5}, 3, 522, layers.WithDtype(tensor.Float32)))
	csr := must(ops.CSROf(thin))
	weights := []float64{2, 1, .25}
	for name, c := range map[string]struct {
		m       layers.Map
		rows    data.Examples
		weights []float64
		cache   int64
	}{
		"features": {wide, data.Pairs{X: x, Y: y}, nil, 0},
		"float32":  {narrow, data.Pairs{X: single, Y: y}, nil, 0},
		"weighted": {wide, data.Pairs{X: x, Y: y}, weights, 0},
		"read":     {wide, trial.InBlocks(t, x, y, 100, 33), weights, -1},
		"columns":  {nil, data.Pairs{X: thin, Y: y}, nil, 0},
		"sparse":   {nil, data.Pairs{X: csr, Y: y}, weights, -1},
	} {
		o := LogisticOptions{Lambdas: []float64{.03}, ClassWeights: c.weights, CacheBytes: c.cache, Seed: 3}
		got := must(FitLogistic(t.Context(), c.m, c.rows, o))
		o.CacheBytes = 0
		same := fitWithGram(t, c.m, c.rows, o)
		o.Tol = 1e-9
		want := fitWithGram(t, c.m, c.rows, o)
		if off := got.Objective[0]/want.Objective[0] - 1; !(off <= 1e-6 && off > -1e-9) {
			t.Errorf("%s: the objective is off by %.2g", name, off)
		}
		if got.Passes > 2*same.Passes {
			t.Errorf("%s: %d passes, %d with the Gram matrix", name, got.Passes, same.Passes)
		}
	}
}

// TestLogisticSketchSeed: seeds give other bits, and the same objective to Tol.
func TestLogisticSketchSeed(t *testing.T) {
	a, b := sketched(t, 1), sketched(t, 2)
	if slices.Equal(a.W.RawMatrix().Data, b.W.RawMatrix().Data) {
		t.Error("the seed draws nothing")
	}
	if off := math.Abs(a.Objective[0]/b.Objective[0] - 1); !(off <= 1e-6) {
		t.Errorf("another seed changes the objective by %.2g", off)
	}
}

// sketched is a fit with so many features that the preconditioner is a sketch.
func sketched(t *testing.T, seed uint64) *Fit {
	x, y, _ := trial.Overlapping(t, 300, 3, 3)
	o := LogisticOptions{Lambdas: []float64{.01}, Seed: seed}
	return must(FitLogistic(t.Context(), trial.Fourier(t, 3, 520, 1), data.Pairs{X: x, Y: y}, o))
}

// TestLogisticSketchMemory: a fit of more features than rows makes no D x D matrix.
func TestLogisticSketchMemory(t *testing.T) {
	const d = 6000
	x, y, _ := trial.Overlapping(t, 90, 3, 3)
	m := trial.Fourier(t, 3, d, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := must(FitLogistic(t.Context(), m, data.Pairs{X: x, Y: y}, LogisticOptions{Lambdas: []float64{1}}))
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 8*d*d/2 {
		t.Errorf("%d passes made %d MB", f.Passes, made>>20)
	}
}

// TestSketchOfWeightedRows: where the sketch has the rank of the matrix, the preconditioner is the inverse of
// γ Zcᵀ C Zc + λ s I, of weighted means and rows.
func TestSketchOfWeightedRows(t *testing.T) {
	const n, d, shift = 16, 530, .3
	x, weights, labels, w := sparseRows(n, d, 7), []float64{2, 1, .5}, make([]int, n), make([]float64, n)
	for i := range n {
		labels[i], w[i] = i%3, weights[i%3]
	}
	y := must(data.OneVersusRest(labels, 3))
	o := LogisticOptions{Lambdas: []float64{1}, ClassWeights: weights, BlockRows: 10}
	l := problemOf(t, nil, data.Pairs{X: must(ops.CSROf(x)), Y: y}, o.newton())
	_, h, _, err := l.derive(0, []int{0, 1, 2}) // all probabilities are a third, and γ is (1 - 1/3)/2
	ok(t, err, l.prepare(shift, h))
	sums := weighted(trial.MatOf(x), y, w)
	dense.Mirror(sums.g, d, blas.Lower)
	a, mass := mat.NewDense(d, d, sums.g), sums.mass
	if s := mat.Trace(a) / mass; math.Abs(l.scale/s-1) > 1e-12 {
		t.Errorf("s is %v, want %v", l.scale, s)
	}
	a.Scale(1./3, a)
	for j := range d {
		a.Set(j, j, a.At(j, j)+shift)
	}
	r := newColumns(d+1, 3)
	for i := range r.v {
		r.v[i] = float64(i%7) - 3
	}
	var back mat.Dense
	p := l.inverse(r)
	back.Mul(a, mat.NewDense(d, 3, p.v[:3*d]))
	for i, v := range back.RawMatrix().Data {
		if math.Abs(v-r.v[i]) > 1e-6 { // the core of the sketch has a condition of 1e12, from ν
			t.Fatalf("[%d] is %v, want %v", i, v, r.v[i])
		}
	}
	for j, v := range p.row(d) {
		if want := r.row(d)[j] / (mass / 3); math.Abs(v-want) > 1e-12 {
			t.Errorf("intercept %d is %v, want %v", j, v, want)
		}
	}
}

// TestNystromOrthonormal: of a matrix whose eigenvalues fall by twelve orders of magnitude, U has orthonormal columns,
// Λ is no more than the eigenvalues, and the first ones are exact.
func TestNystromOrthonormal(t *testing.T) {
	const d, rank = 200, 60
	rng := rand.New(rand.NewPCG(1, 9))
	g := mat.NewDense(d, d, nil)
	g.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, g)
	var qr mat.QR
	var q, half, a mat.Dense
	qr.Factorize(g)
	qr.QTo(&q)
	value := func(i int) float64 { return math.Pow(10, -12*float64(i)/rank) }
	half.Apply(func(_, j int, v float64) float64 { return v * value(j) }, &q)
	a.Mul(&half, q.T())
	p := newSketch(d, rank, 4)
	mat.NewDense(d, rank, p.y).Mul(&a, mat.NewDense(d, rank, p.omega))
	p.factor(mat.Trace(&a))
	if len(p.values) < rank/2 || len(p.values) != p.rank {
		t.Fatalf("%d values, rank %d", len(p.values), p.rank)
	}
	u := mat.NewDense(d, p.rank, p.y)
	var products mat.Dense
	products.Mul(u.T(), u)
	if !mat.EqualApprox(&products, mat.NewDiagDense(p.rank, slices.Repeat([]float64{1}, p.rank)), 1e-5) {
		t.Errorf("the products of the columns of U are %v", mat.Formatted(&products))
	}
	for i, v := range p.values {
		if v > value(i)*(1+1e-4) || i < 10 && v < value(i)*(1-1e-4) {
			t.Errorf("value %d is %v, want %v", i, v, value(i))
		}
	}
}

// TestLogisticSingular: columns that are there twice, under a penalty below the rounding of their Gram matrix.
func TestLogisticSingular(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 120, 3, 3)
	twice := tensor.New(tensor.WithShape(120, 6), tensor.Of(tensor.Float64))
	for i := range 120 {
		row := x.Float64s()[i*3 : (i+1)*3]
		copy(twice.Float64s()[i*6:], slices.Concat(row, row))
	}
	// Weights of two equal columns are halves of that of one, whose penalty they halve, with s twice as large.
	const lambda = 1e-13
	want := must(FitLogistic(t.Context(), nil, data.Pairs{X: x, Y: y}, LogisticOptions{Lambdas: []float64{lambda}}))
	got := must(FitLogistic(t.Context(), nil, data.Pairs{X: twice, Y: y}, LogisticOptions{Lambdas: []float64{lambda}}))
	if math.Abs(got.Objective[0]/want.Objective[0]-1) > 1e-6 || got.Steps > 2*want.Steps {
		t.Errorf("objective %v in %d steps, want %v in %d", got.Objective[0], got.Steps, want.Objective[0], want.Steps)
	}
	for i, v := range x.Float64s() {
		x.Float64s()[i] = v * 1e-20
	}
	_, err := FitLogistic(t.Context(), nil, data.Pairs{X: x, Y: y}, LogisticOptions{Lambdas: []float64{1e-290}})
	refused(t, "a penalty of 1e-300", err, domain.ErrParam, "underflows")
}

// TestLogisticCostIsLinear: above 512 features twice as many cost twice the memory and the operations.
func TestLogisticCostIsLinear(t *testing.T) {
	p := fits.Problem{Rows: 4000, Features: 4096, Outputs: 6}
	a := LogisticOptions{}.Cost(p)
	p.Features *= 2
	b := LogisticOptions{}.Cost(p)
	if r := b.Bytes / a.Bytes; !(r > 1.7 && r <= 2) {
		t.Errorf("the memory grows by %v", r)
	}
	if r := b.Operations / a.Operations; math.Abs(r-2) > 1e-12 {
		t.Errorf("the operations grow by %v", r)
	}
}

// newtonLosses are the problems that the truncated Newton method solves.
var newtonLosses = map[string]newtonOptions{
	"hinge":       SVMOptions{Tol: 1e-7}.newton(),
	"insensitive": SVMOptions{Tol: 1e-7, Loss: SquaredInsensitive, Epsilon: .3}.newton(),
	"softmax":     LogisticOptions{Tol: 1e-10}.newton(),
}

// newtonRows are rows in three classes, or with a target.
func newtonRows(t *testing.T, loss string, n, d int) (*tensor.Dense, *mat.Dense) {
	x, classes, target := trial.Overlapping(t, n, d, 3)
	if loss == "insensitive" {
		return x, target
	}
	return x, classes
}

// farFrom is the difference of two fits, in their objectives and in their weights.
func farFrom(got, want *Fit) float64 {
	off := math.Abs(floats.Sum(got.Objective)/floats.Sum(want.Objective) - 1)
	return max(off, far(&Fit{W: got.W, B: got.B}, &Fit{W: want.W, B: want.B}))
}

// TestSVMOneColumn: with one column the first class weight belongs to -1.
func TestSVMOneColumn(t *testing.T) {
	// The classes 0 and 1 are one, which weighs half of the other.
	x, y := newtonRows(t, "hinge", 61, 4)
	column := func(y *mat.Dense) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, y.RawMatrix().Rows, 2, 3)) }
	var twice []int
	for i := range y.RawMatrix().Rows {
		if twice = append(twice, i); y.At(i, 2) > 0 {
			twice = append(twice, i)
		}
	}
	o := SVMOptions{Lambdas: []float64{.1}, Tol: 1e-6}
	want := must(FitSVM(t.Context(), nil, data.Pairs{X: data.Rows(x, twice), Y: column(given.TargetRows(y, twice))}, o))
	o.ClassWeights = []float64{1, 2}
	got, err := FitSVM(t.Context(), nil, data.Pairs{X: x, Y: column(y)}, o)
	if err != nil || math.Abs(got.Objective[0]/want.Objective[0]-1) > 1e-10 {
		t.Errorf("one column: %+v, want %+v (%v)", got, want, err)
	}
}

// TestNewtonLambdas: of several lambdas each is scored as a fit to it alone to the rows that are not held out, and the
// best one is fitted to all rows. Of equal ones the largest is taken. Without a list they are powers of ten times n,
// with one on each side of the best.
func TestNewtonLambdas(t *testing.T) {
	const n = 301
	for loss, o := range newtonLosses {
		x, y := newtonRows(t, loss, n, 5)
		o.seed, o.heldOut = 2, .5
		free := must(o.fit(t.Context(), nil, data.Pairs{X: x, Y: y}))
		lo, hi := free.Scores[0].Lambda, free.Scores[len(free.Scores)-1].Lambda
		if steps := len(free.Scores) - 1; steps < 4 || math.Abs(math.Log10(hi/lo)-float64(steps)) > 1e-9 ||
			free.Lambda == lo && lo > 1.5e-10*n || free.Lambda == hi && hi < n {
			t.Errorf("%s: without a list lambda is %v by %v", loss, free.Lambda, free.Scores)
		}
		o.lambdas = []float64{1e-3, 1, 1e4}
		f := must(o.fit(t.Context(), nil, data.Pairs{X: x, Y: y}))
		best := f.Scores[slices.IndexFunc(f.Scores, func(s fits.LambdaScore) bool { return s.Lambda == f.Lambda })]
		if len(f.Scores) != 3 || slices.ContainsFunc(f.Scores, func(s fits.LambdaScore) bool { return s.Better(best) }) {
			t.Errorf("%s: lambda %v by %v", loss, f.Lambda, f.Scores)
		}
		src, o, err := o.source(t.Context(), nil, data.Pairs{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		train, held := data.Split(n, o.heldOut, o.seed)
		for l, s := range f.Scores {
			alone := must(must(o.problem(src.Take(train))).fit(o.lambdas[l]))
			square, wrong := 0., 0.
			for _, i := range held {
				u, own := mat.Row(nil, i, trial.MatOf(x)), slices.Clone(alone.B)
				for j := range own {
					own[j] += floats.Dot(u, mat.Col(nil, j, alone.W))
				}
				target := mat.Row(nil, i, y)
				if floats.MaxIdx(own) != floats.MaxIdx(target) {
					wrong += 1 / float64(len(held))
				}
				if loss == "softmax" {
					softmaxRow(own)
					floats.AddConst(1, target)
					floats.Scale(.5, target)
				}
				square += math.Pow(floats.Distance(own, target, 2), 2) / float64(len(held)*len(own))
			}
			// Two rows may lie on a border.
			if s.Lambda != o.lambdas[l] || loss != "hinge" && math.Abs(s.MSE-square) > 1e-4*square || loss == "hinge" && !math.IsNaN(s.MSE) ||
				loss != "insensitive" && math.Abs(s.ErrorRate-wrong) > 2.5/float64(len(held)) ||
				loss == "insensitive" && !math.IsNaN(s.ErrorRate) {
				t.Errorf("%s: the score is %+v, and %v and %v of a fit to it alone", loss, s, square, wrong)
			}
		}
		one := o
		one.lambdas = []float64{f.Lambda}
		if alone, err := one.fit(t.Context(), nil, data.Pairs{X: x, Y: y}); err != nil || farFrom(f, alone) != 0 {
			t.Errorf("%s: another fit than of the chosen lambda alone (%v)", loss, err)
		}
	}
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	for i := range 60 { // far apart
		x.Float64s()[i*3+i%2] += 1000
	}
	fit, err := FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Lambdas: []float64{1e-3, 1e-1, 1e-2}})
	if err != nil || fit.Scores[0].ErrorRate != 0 || fit.Scores[1].ErrorRate != 0 || fit.Lambda != .1 {
		t.Errorf("%+v, %v", fit, err)
	}
}
