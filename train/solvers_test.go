package train_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// problem is a penalised loss by its formula, row by row. Its weights are [d, k] and then the k intercepts.
type problem struct {
	x       *tensor.Dense
	y       *mat.Dense
	rows    []float64                           // weights of the rows; nil: 1
	penalty float64                             // of half the squares of the weights
	bias    float64                             // the feature of penalised intercepts; 0: 1, and no penalty
	loss    func(s, y, slope []float64) float64 // of the scores of a row, and its gradient
}

// at is the objective of weights v, and its gradient unless grad is nil.
func (p problem) at(v, grad []float64) (f float64) {
	n, d, k := p.x.Shape()[0], p.x.Shape()[1], p.y.RawMatrix().Cols
	last := cmp.Or(p.bias, 1)
	clear(grad)
	for i, w := range v {
		if p.bias != 0 || i < d*k {
			if f += p.penalty / 2 * w * w; grad != nil {
				grad[i] = p.penalty * w
			}
		}
	}
	s, slope := make([]float64, k), make([]float64, k)
	for i := range n {
		row, weight := append(slices.Clone(p.x.Float64s()[i*d:(i+1)*d]), last), 1.
		if p.rows != nil {
			weight = p.rows[i]
		}
		clear(s)
		for j, c := range row {
			floats.AddScaled(s, c, v[j*k:(j+1)*k])
		}
		f += weight * p.loss(s, p.y.RawRowView(i), slope)
		for j, c := range row {
			if grad != nil {
				floats.AddScaled(grad[j*k:(j+1)*k], weight*c, slope)
			}
		}
	}
	return f
}

// squares is the loss of support vectors: C times the squared hinge losses, or the squares beyond epsilon.
func squares(hinge bool, c, epsilon float64) func(s, y, slope []float64) float64 {
	return func(s, y, slope []float64) (f float64) {
		clear(slope)
		for j, s := range s {
			r := 0.
			if e := s - y[j]; hinge && y[j]*s < 1 {
				r = -y[j] * (1 - y[j]*s)
			} else if !hinge && math.Abs(e) > epsilon {
				r = e - math.Copysign(epsilon, e)
			}
			f, slope[j] = f+c*r*r, 2*c*r
		}
		return f
	}
}

// crossEntropy is the loss of a softmax head.
func crossEntropy(s, y, slope []float64) float64 {
	label := floats.MaxIdx(y)
	total := floats.LogSumExp(s)
	for j := range slope {
		slope[j] = math.Exp(s[j] - total)
	}
	slope[label]--
	return total - s[label]
}

// spreadOf is the mean squared distance of a row from their mean, with weights or without.
func spreadOf(x *tensor.Dense, rows []float64) (s float64) {
	for j := range x.Shape()[1] {
		s += stat.PopVariance(mat.Col(nil, j, trial.MatOf(x)), rows)
	}
	return s
}

// TestOptimum: the objective belongs to the weights, and the least that gonum's quasi-Newton methods find on the plain
// formula. That of support vectors has a curvature of at least 1, so it is at most ‖g‖²/2 above the least, where the
// norm of the gradient is at most Tol times that at W = 0. Mini-batches of all rows end at the least mean squared error
// with their penalty.
func TestOptimum(t *testing.T) {
	check := func(name string, p problem, w *mat.Dense, b []float64, said, tol float64) {
		t.Helper()
		v := append(slices.Clone(w.RawMatrix().Data), b...)
		at, grad := p.at(v, nil), make([]float64, len(v))
		if math.Abs(at-said) > 1e-9*at {
			t.Errorf("%s: the objective is said to be %v and is %v", name, said, at)
		}
		best, err := optimize.Minimize(optimize.Problem{Func: func(v []float64) float64 { return p.at(v, nil) },
			Grad: func(g, v []float64) { p.at(v, g) }}, make([]float64, len(v)),
			&optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 2000}, &optimize.BFGS{})
		if best == nil {
			t.Fatal(err)
		}
		p.at(make([]float64, len(v)), grad)
		gap := tol * tol / 2 * floats.Dot(grad, grad)
		if at > best.F+gap+1e-9*best.F || at < best.F*(1-1e-9) {
			t.Errorf("%s: objective %v, BFGS reaches %v (%v), the bound is %v more", name, at, best.F, best.Status, gap)
		}
	}
	x, classes, target := trial.Overlapping(t, 83, 5, 3)
	for _, lambda := range []float64{1e-4, .02, 5} {
		for _, o := range []linear.SVMOptions{{}, {Bias: 3}, {Loss: linear.SquaredInsensitive},
			{Loss: linear.SquaredInsensitive, Epsilon: .5}} {
			o.Lambdas, o.Tol = []float64{lambda}, 1e-5
			y, mean := classes, 0. // of the targets, from which the intercept counts
			if o.Loss == linear.SquaredInsensitive {
				mean = stat.Mean(target.RawMatrix().Data, nil)
				y = mat.DenseCopyOf(target)
				floats.AddConst(-mean, y.RawMatrix().Data)
			}
			fit := must(linear.FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, o))
			scale := spreadOf(x, nil)
			beta, c := max(o.Bias, 1)*math.Sqrt(scale), 1/(2*lambda*scale)
			if math.Abs(fit.C-c) > 1e-9*c {
				t.Errorf("C = %v, want %v", fit.C, c)
			}
			floats.Scale(1/beta, fit.B)
			p := problem{x, y, nil, 1, beta, squares(o.Loss == linear.SquaredHinge, c, o.Epsilon)}
			check(fmt.Sprintf("%+v", o), p, fit.W, fit.B, floats.Sum(fit.Objective), o.Tol)
		}
	}
	for _, c := range []struct {
		k       int
		lambda  float64
		weights []float64
	}{{2, .1, nil}, {4, 1e-4, nil}, {4, 30, nil}, {3, .01, []float64{1, 3, .5}}} {
		x, y, _ := trial.Overlapping(t, 90, 5, c.k)
		var rows []float64
		for _, l := range train.ArgMax(y) {
			if c.weights != nil {
				rows = append(rows, c.weights[l])
			}
		}
		f, err := linear.FitLogistic(t.Context(), nil, data.Pairs{X: x, Y: y}, linear.LogisticOptions{
			Lambdas: []float64{c.lambda}, ClassWeights: c.weights, Tol: 1e-10, BlockRows: 17})
		if err != nil || !(f.Residual[0] < 1e-6) {
			t.Fatal(err)
		}
		p := problem{x, y, rows, c.lambda * spreadOf(x, rows), 0, crossEntropy}
		check(fmt.Sprintf("logistic %+v", c), p, f.W, f.B, f.Objective[0], 0)
	}
	rows, m, head := circles(101), trial.Fourier(t, 2, 10, 1), trial.HeadOf(t, false, 10, 2)
	o := sgd.FitOptions{Epochs: 3000, Batch: 101, Solver: sgd.SGD, LearnRate: .4, Schedule: sgd.ConstantRate,
		Lambda: .02}
	noError(t, second(sgd.Fit(t.Context(), m, head, rows, o)))
	p := problem{must(m.Transform(nil, rows.X.(*tensor.Dense))), rows.Y, nil, o.Lambda, 0, squares(false, 1./101, 0)}
	w, b := mat.NewDense(10, 2, numbers(head.Params()[0].Value)), numbers(head.Params()[1].Value)
	check("mini-batches", p, w, b, p.at(slices.Concat(w.RawMatrix().Data, b), nil), 0)
}

// TestSVMAgainstLIBLINEAR: on letter and usps, as they are, the objectives of all classes are together no further above
// the least than the ones of LIBLINEAR's solver 2 under its own defaults.
func TestSVMAgainstLIBLINEAR(t *testing.T) {
	liblinear, err := exec.LookPath("liblinear-train")
	if err != nil {
		t.Skip("liblinear-train is not there; on Debian: apt-get install liblinear-tools")
	}
	for _, name := range []string{"letter", "usps"} {
		path := filepath.Join("..", "..", "shared", "data", name, name+".train.libsvm.gz")
		if _, err := os.Stat(path); err != nil {
			t.Skip("the data are not there:", err)
		}
		set := must(data.Read(path, data.Options{Form: data.FormDense}))
		classes := data.NewClasses(set.Labels)
		all := trial.Classes(set.X, must(classes.Index(set.Labels)), len(classes))
		x, y := trial.RowsOf(set.X.(*tensor.Dense), all.Y, 0, 3000)
		const c = 1e-3
		k, scale := len(classes), spreadOf(x, nil)
		beta, o := math.Sqrt(scale), linear.SVMOptions{Lambdas: []float64{1 / (2 * c * scale)}}
		fit := must(linear.FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, o))
		o.Tol = 1e-6
		best := must(linear.FitSVM(t.Context(), nil, data.Pairs{X: x, Y: y}, o))
		w := runLIBLINEAR(t, liblinear, x, train.ArgMax(y), k, "-s", "2", "-c", fmt.Sprint(c), "-B",
			fmt.Sprintf("%.17g", beta), "-q")
		ours, theirs := 0., 0.
		for j := range k {
			p := problem{x, mat.DenseCopyOf(y.Slice(0, 3000, j, j+1)), nil, 1, beta, squares(true, c, 0)}
			ours += fit.Objective[j]/best.Objective[j] - 1
			theirs += p.at(mat.Col(nil, j, w), nil)/best.Objective[j] - 1
		}
		if !(ours >= 0 && ours <= theirs) {
			t.Errorf("%s: the objectives are %.3g above the least, LIBLINEAR's %.3g", name, ours/float64(k),
				theirs/float64(k))
		}
	}
}

// runLIBLINEAR trains and reads the weights [d+1, k], the last for the constant feature.
func runLIBLINEAR(t *testing.T, program string, x *tensor.Dense, labels []int, k int, args ...string) *mat.Dense {
	t.Helper()
	dir, d := t.TempDir(), x.Shape()[1]
	rows, model := filepath.Join(dir, "rows"), filepath.Join(dir, "model")
	var b strings.Builder
	for i, l := range labels {
		fmt.Fprint(&b, l)
		for j, v := range x.Float64s()[i*d : (i+1)*d] {
			if v != 0 || j == d-1 { // so that all columns are there
				fmt.Fprintf(&b, " %d:%.17g", j+1, v)
			}
		}
		fmt.Fprintln(&b)
	}
	noError(t, os.WriteFile(rows, []byte(b.String()), 0o600))
	if out, err := exec.Command(program, append(args, rows, model)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	head, weights, _ := strings.Cut(string(must(os.ReadFile(model))), "\nw\n")
	_, head, _ = strings.Cut(head, "\nlabel ")
	order := make([]int, k)
	for q, f := range strings.Fields(head)[:k] {
		fmt.Sscan(f, &order[q])
	}
	w := mat.NewDense(d+1, k, nil)
	lines := bufio.NewScanner(strings.NewReader(weights))
	for j := 0; lines.Scan() && j <= d; j++ {
		for q, f := range strings.Fields(lines.Text()) {
			var v float64
			fmt.Sscan(f, &v)
			w.Set(j, order[q], v)
		}
	}
	return w
}

// circles are rows of two circles, about the origin.
func circles(n int) data.Pairs {
	x, names := trial.TwoCircles(n, 1)
	return trial.Classes(x, must(data.NewClasses(names).Index(names)), 2)
}

// TestEarlyStopping: once the held-out loss rises, fitting stops, and the best epoch's parameters are kept.
func TestEarlyStopping(t *testing.T) {
	rng, labels := rand.New(rand.NewPCG(1, 1)), make([]int, 60)
	for i := range labels {
		labels[i] = rng.IntN(2) // nothing to learn, so it overfits
	}
	m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .1}, 2, 256, layers.Tune(layers.All)))
	seen, rows := 0, trial.Classes(circles(60).X, labels, 2)
	o := sgd.FitOptions{Epochs: 200, HeldOut: .3, Patience: 3, LearnRate: .1, Progress: func(fits.Epoch) { seen++ }}
	r := must(sgd.Fit(t.Context(), m, trial.HeadOf(t, true, 256, 2), rows, o))
	if !r.Stopped || seen != len(r.Epochs) || len(r.Epochs) != r.Best+3 {
		t.Errorf("stopped %v after %d epochs (%d told), best %d", r.Stopped, len(r.Epochs), seen, r.Best)
	}
	if e := r.Epochs[len(r.Epochs)-1]; !(e.HeldLoss > r.Epochs[r.Best-1].HeldLoss) {
		t.Errorf("held-out loss %v at the end, %v at the best", e.HeldLoss, r.Epochs[r.Best-1].HeldLoss)
	}
}

// TestFitStopsBetweenSteps: a context that ends within an epoch, or between two, ends the fit at the next step, with
// the epochs that were finished in the report and the parameters where the last step left them.
func TestFitStopsBetweenSteps(t *testing.T) {
	const epoch = 13 // looks: before and after its 10 steps, and as often for its score
	for _, policy := range []layers.Policy{layers.Frozen, layers.All} {
		for _, tc := range []struct {
			after, epochs int
			text          string
		}{{1, 0, "epoch 1 of 1000"}, {5, 0, "epoch 1 of 1000"}, {epoch + 1, 1, "epoch 2 of 1000"},
			{2*epoch + 7, 2, "epoch 3 of 1000"}} {
			m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 16, layers.Tune(policy)))
			head := trial.HeadOf(t, true, 16, 2)
			ctx, told := &looked{Context: t.Context(), after: tc.after}, 0
			o := sgd.FitOptions{Epochs: 1000, Batch: 30, Progress: func(fits.Epoch) { told++ }}
			r, err := sgd.Fit(ctx, m, head, circles(300), o)
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), tc.text) {
				t.Fatalf("%v, after %d looks: %v, want %q", policy, tc.after, err, tc.text)
			}
			moved := slices.Max(head.Params()[0].Value.Float64s()) != 0
			if ctx.looks > tc.after+1 || told != tc.epochs || r == nil || len(r.Epochs) != tc.epochs ||
				moved != (tc.after > 1) {
				t.Errorf("%v, after %d looks: %d looks, %d epochs told, report %+v, want %d epochs; the head moved: %v",
					policy, tc.after, ctx.looks, told, r, tc.epochs, moved)
			}
		}
	}
}

// TestFitErrors: bad options, shapes and data of mini-batches, class weights, and a loss that explodes.
func TestFitErrors(t *testing.T) {
	rows := circles(50)
	x, y, none := rows.X.(*tensor.Dense), rows.Y, mat.NewDense(50, 1, nil)
	nan, half, both := x.Clone().(*tensor.Dense), mat.DenseCopyOf(y), mat.DenseCopyOf(y)
	nan.Float64s()[2*7+1] = math.NaN()
	half.Set(3, 0, .5)
	both.SetRow(4, []float64{1, 1})
	weights := func(w ...float64) sgd.FitOptions { return sgd.FitOptions{ClassWeights: w} }
	for _, c := range []struct {
		x    *tensor.Dense
		y    *mat.Dense
		o    sgd.FitOptions
		is   error
		text string
	}{
		{x, y, sgd.FitOptions{Epochs: -1}, domain.ErrParam, "Epochs = -1"},
		{x, y, sgd.FitOptions{LearnRate: math.NaN()}, domain.ErrParam, "LearnRate = NaN"},
		{x, y, sgd.FitOptions{HeldOut: 1}, domain.ErrParam, "HeldOut = 1"},
		{x, y, sgd.FitOptions{HeldOut: .999}, domain.ErrShape, "none is left"},
		{as(x, tensor.Float32), y, sgd.FitOptions{}, domain.ErrDtype, "x is float32"},
		{nan, y, sgd.FitOptions{CacheBytes: -1, Batch: 16}, domain.ErrDomain, "x[7,1] = NaN"},
		{x, y, sgd.FitOptions{LearnRate: 1e300, Solver: sgd.SGD, Epochs: 5, Batch: 10}, nil, "lower the learning rate"},
		{x, y, weights(1), domain.ErrParam, "1 ClassWeights for 2 classes"},
		{x, y, weights(1, 0), domain.ErrParam, "ClassWeights[1] = 0"},
		{x, y, weights(math.NaN(), 1), domain.ErrParam, "ClassWeights[0] = NaN"},
		{x, y, weights(1, math.Inf(1)), domain.ErrParam, "ClassWeights[1] = +Inf"},
		{x, both, weights(1, 1), domain.ErrDomain, "the targets of row 4 are of no class"},
		{x, half, weights(1, 1), domain.ErrDomain, "row 3"},
		{x, none, weights(1, 1), nil, ""},
	} {
		_, k := c.y.Dims()
		pairs, m := data.Pairs{X: c.x, Y: c.y}, trial.Fourier(t, 2, 16, 1)
		wants(t, c.o, second(sgd.Fit(t.Context(), m, trial.HeadOf(t, false, 16, k), pairs, c.o)), c.is, c.text)
		if c.o.ClassWeights != nil {
			o := linear.SVMOptions{ClassWeights: c.o.ClassWeights}
			wants(t, o, second(linear.FitSVM(t.Context(), m, pairs, o)), c.is, c.text)
		}
	}
	m := trial.Fourier(t, 2, 16, 1)
	stream := second(sgd.Fit(t.Context(), m, trial.HeadOf(t, false, 16, 2), data.Streamed{}, sgd.FitOptions{}))
	wants(t, "stream", stream, domain.ErrParam, "the stream of rows is nil")
	later := trial.InBlocks(t, x, both, 3)
	wants(t, "a later block", second(sgd.Fit(t.Context(), m, trial.HeadOf(t, false, 16, 2), later, weights(1, 1))),
		domain.ErrDomain, "the targets of row 4 are of no class")
}

// TestBackprop: a gradient is of what may be tuned and the loss depends on, and errors.Is finds what an op says in an
// error of the machine, and in that of a gradient for data.
func TestBackprop(t *testing.T) {
	g, head := G.NewGraph(), layers.MustHead(layers.NewLinearHead(8, 1))
	chi2 := layers.Must(layers.NewSkewedLayer(spectral.SkewedChi2{C: .1}, 2, 8))
	rows := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{0, -.2}))
	x := G.NewMatrix(g, G.Float64, G.WithShape(1, 2), G.WithName("x"), G.WithValue(rows))
	y := G.NewMatrix(g, G.Float64, G.WithShape(1, 1), G.WithName("y"), G.WithInit(G.Zeroes()))
	loss := must(head.Loss(chi2.Fwd(x).Node(), y))
	vm := must(sgd.Backprop(loss, head.Model()))
	defer vm.Close()
	var cell *domain.CellError
	if err := vm.RunAll(); !errors.Is(err, domain.ErrDomain) || !errors.As(err, &cell) || cell.Col != 1 {
		t.Errorf("RunAll: %v", err)
	}
	alone := G.NewScalar(g, G.Float64, G.WithName("alone"), G.WithValue(1.0))
	backprop := func(loss *G.Node, of ...*G.Node) error { return second(sgd.Backprop(loss, of)) }
	wantsAll(t, []mistake{
		{backprop(loss, layers.Collect(chi2)...), domain.ErrParam, ""},
		{backprop(nil, loss), domain.ErrParam, ""},
		{backprop(loss, alone), nil, ""},
		{backprop(loss, x), domain.ErrParam, "SkewedLayer"},
		{backprop(loss, x), domain.ErrParam, "WithInputGrad"},
	})
}

// TestRidgeCost: the estimate is of what a fit allocates, in either system and however lambda is chosen. All of what is
// held is allocated, and what is allocated and let go again is no more than it three times.
func TestRidgeCost(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("memory cannot be counted under the race detector")
	}
	for _, c := range []struct {
		n, d   int
		single bool
	}{{700, 300, false}, {300, 900, false}, {700, 300, true}, {300, 900, true}} {
		x, _ := trial.Problem(c.n, c.d, 1, 3)
		_, y := trial.Problem(c.n, 2, 2, 5) // nothing to learn
		if c.single {
			x = as(x, tensor.Float32)
		}
		for _, o := range []linear.RidgeOptions{{}, {Select: linear.SelectLOO, Lambdas: []float64{1e-3, 1}}} {
			p := fits.Problem{Rows: c.n, Features: c.d, Outputs: 2, Single: c.single}
			cost := o.Cost(p)
			got := math.Inf(1) // of the fit that finds most of its scratch memory in the pools
			for range 4 {
				got = min(got, float64(allocated(func() {
					must(linear.FitRidge(t.Context(), nil, data.Pairs{X: x, Y: y}, o))
				})))
			}
			again := 3. // times what is held
			if o.Select == linear.SelectAuto {
				again = 4 // whose grid grows here, for there is nothing to learn
			}
			if cost.Bytes > 1.5*got || got > again*cost.Bytes {
				t.Errorf("%+v, %v: the estimate is %.0f bytes (%s), %.0f were allocated", c, o.Select, cost.Bytes,
					cost.Largest, got)
			}
			products := float64(c.n * c.d * min(c.n, c.d))
			if p.Single = false; c.single {
				want := products / 2
				if o.Lambdas == nil { // to choose again would take longer than they save
					want = 0
				}
				if saved := o.Cost(p).Operations - cost.Operations; math.Abs(saved-want) > 1e-9*products {
					t.Errorf("%+v, %v: products in float32 save %g operations, want %g", c, o.Select, saved, want)
				}
				products -= want
			}
			if !(cost.Operations >= products) {
				t.Errorf("%+v, %v: %g operations", c, o.Select, cost.Operations)
			}
		}
	}
}

// TestCosts: the estimates grow with the problem, past the range of int, and every fit has one.
func TestCosts(t *testing.T) {
	small, huge := fits.Problem{Rows: 400, Features: 100, Outputs: 2}, min(1<<40, math.MaxInt)
	large := fits.Problem{Rows: huge, Features: huge, Outputs: 1 << 10}
	of := func(f fits.Fitter) func(p fits.Problem) fits.Cost {
		return func(p fits.Problem) fits.Cost { return train.CVOptions{}.Cost(f, p, 3) }
	}
	streamed := func(p fits.Problem) fits.Cost {
		p.Streamed = true
		return linear.RidgeOptions{}.Cost(p)
	}
	for name, cost := range map[string]func(p fits.Problem) fits.Cost{
		"ridge": linear.RidgeOptions{}.Cost, "ridge of blocks": streamed, "cg": linear.CGOptions{}.Cost,
		"svm": linear.SVMOptions{}.Cost, "logistic": linear.LogisticOptions{}.Cost, "fit": sgd.FitOptions{}.Cost,
		"cv, ridge": of(nil), "cv, svm": of(linear.SVMOptions{}), "cv, fit": of(sgd.MiniBatch{}),
	} {
		a, b := cost(small), cost(large)
		if !(a.Bytes > 0 && a.Bytes < 1e8 && b.Bytes > 1e15 && b.Bytes < math.Inf(1) && a.Operations > 0 &&
			b.Operations > a.Operations) || a.Largest == "" {
			t.Errorf("%s: %+v for 400 x 100, %+v for 2^40 x 2^40", name, a, b)
		}
	}
}

// TestSparseMemory: no solver spreads sparse rows out. While it runs on the features of 200 rows of 50,000 columns,
// 240 MB if they were dense, it holds what its Cost says and a tenth more; ridge, mini-batches and a prediction
// allocate no more than a few times that in all. The columns without a cell have coefficients of 0, and the others
// the same as without these columns.
func TestSparseMemory(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("memory cannot be counted under the race detector")
	}
	const n, d, wide = 200, 250, 50_000
	narrow, dense, classes, targets := sparseTask(n, d, tensor.Float64)
	columns := slices.Clone(narrow.Columns())
	for i := range columns {
		columns[i] *= wide / d
	}
	x := must(ops.NewCSR(n, wide, narrow.Pointers(), columns, narrow.Float64s()))
	m := must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, wide))
	problem := fits.Problem{Rows: n, Features: m.Features(), Outputs: 3, Stored: 3 * x.Stored()}
	live := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before, peak, steps := 0., 0., 0
	watch := func() { peak, steps = max(peak, live()-before), steps+1 }
	svm, logistic := linear.SVMOptions{Lambdas: []float64{.1}}, linear.LogisticOptions{Lambdas: []float64{.1}}
	svm.Progress, logistic.Progress = func(int, int, float64) { watch() }, func(int, float64) { watch() }
	fit := func(f fits.Fitter, m layers.Layer, y *mat.Dense) layers.Head {
		k := y.RawMatrix().Cols
		head := must(layers.NewHead(f.HeadKind(), m.Features(), k))
		noError(t, second(f.Fit(t.Context(), m, head, data.Pairs{X: x, Y: y})))
		return head
	}
	for _, f := range []fits.Fitter{svm, logistic} {
		before, peak, steps = live(), 0, 0
		fit(f, m, classes)
		if limit := 1.1*f.Cost(problem).Bytes + 1<<20; steps == 0 || peak > limit {
			t.Errorf("%T holds %.0f MB in one of %d steps, want at most %.0f MB", f, peak/1e6, steps, limit/1e6)
		}
	}
	got := float64(allocated(func() { fit(linear.RidgeOptions{}, m, classes) }))
	if cost := (linear.RidgeOptions{}).Cost(problem).Bytes; got > 3*cost {
		t.Errorf("ridge allocates %.0f MB, want at most %.0f MB", got/1e6, 3*cost/1e6)
	}
	id := must(layers.NewIdentity(wide))
	model := train.Model{Scaler: must(data.ParseScalers("l2")), Map: id}
	got = float64(allocated(func() {
		model.Head = fit(sgd.MiniBatch{FitOptions: sgd.FitOptions{Epochs: 1}}, id, targets)
		noError(t, model.Scaler.Fit(x))
		must(model.Scores(x))
	}))
	if got > n*wide*8*3/4 { // 26 MB, and more when many goroutines hold scratch memory at once
		t.Errorf("mini-batches and scores allocate %.0f MB in all", got/1e6)
	}
	for _, o := range []linear.RidgeOptions{{}, {Lambdas: []float64{.3, .001, .1}, Select: linear.SelectLOO}} {
		want := must(linear.FitRidge(t.Context(), nil, data.Pairs{X: dense, Y: targets}, o))
		got := must(linear.FitRidge(t.Context(), id, data.Pairs{X: x, Y: targets}, o))
		full := mat.NewDense(wide, 2, nil)
		for j := range d {
			full.SetRow(j*(wide/d), want.W.RawRowView(j))
		}
		off := far(got.W.RawMatrix().Data, full.RawMatrix().Data)
		if !(off < 1e-12) || !got.Dual || math.Abs(got.Lambda/want.Lambda-1) > 1e-12 || !(far(got.B, want.B) < 1e-12) {
			t.Errorf("%v: the weights are off by %g; lambda %v and intercept %v, want %v and %v", o.Select, off,
				got.Lambda, got.B, want.Lambda, want.B)
		}
		for i, s := range got.Scores {
			if w := want.Scores[i]; s.Lambda != w.Lambda || math.Abs(s.MSE-w.MSE) > 1e-12*w.MSE {
				t.Errorf("%v: the score of lambda %v is %v, want %v", o.Select, s.Lambda, s.MSE, w.MSE)
			}
		}
	}
}
