package linear

import (
	"context"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// laplaceProblem are rows of d features in k classes that overlap, far from 0, and their head.
func laplaceProblem(t *testing.T, n, d, k int, weights []float64) (data.Pairs, *Fit) {
	t.Helper()
	x, y, _ := trial.Overlapping(t, n, d, k)
	for i, v := range x.Float64s() {
		x.Float64s()[i] = v + 3
	}
	p := data.Pairs{X: x, Y: y}
	f := must(FitLogistic(context.Background(), nil, p, LogisticOptions{Lambdas: []float64{1}, Tol: 1e-10, ClassWeights: weights}))
	return p, f
}

// plainLaplace is the reference: the precision [(D+1)k], class after class, row by row and number by number. weight is
// what the curvature of a row is.
func plainLaplace(p data.Pairs, f *Fit, lambda float64, r []float64, weight func(p []float64, c, e int) float64) (h *mat.SymDense, mean []float64, scale float64) {
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
var curvatures = map[string]func(p []float64, c, e int) float64{
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

// TestLaplaceVariance: variances and probabilities by the three covariances are those of a plain inverse, with and
// without class weights, of rows in memory and of rows that are read, dense and sparse, in blocks of any sizes, and in
// float32.
func TestLaplaceVariance(t *testing.T) {
	const d, k = 5, 3
	for _, weights := range [][]float64{nil, {2, 1, 3}} {
		p, f := laplaceProblem(t, 71, d, k, weights)
		x, ctx := p.X.(*tensor.Dense), context.Background()
		var r []float64
		if weights != nil {
			r, _ = given.RowWeights("", weights, p.Y, rows.Names{}.At)
		}
		for kind, curve := range curvatures {
			o := LaplaceOptions{Lambda: .3, Covariance: kind, ClassWeights: weights}
			h, mean, scale := plainLaplace(p, f, .3, r, curve)
			var inverse mat.Dense
			ok(t, inverse.Inverse(h))
			l := must(FitLaplace(ctx, nil, p, f, o))
			if e := math.Abs(l.Scale/scale - 1); e > 1e-12 || l.Lambda != .3 || l.Covariance != kind {
				t.Errorf("%s: lambda %v, scale %v, want %v", kind, l.Lambda, l.Scale, scale)
			}
			got, probabilities := must(l.Variance(x)), must(l.Probabilities(x))
			for i := range 71 {
				z := append(make([]float64, d), 1)
				for j := range d {
					z[j] = x.Float64s()[i*d+j] - mean[j]
				}
				v := mat.NewVecDense(d+1, z)
				cov := func(c, e int) float64 {
					return mat.Inner(v, inverse.Slice(c*(d+1), (c+1)*(d+1), e*(d+1), (e+1)*(d+1)), v)
				}
				u, p := make([]float64, k), make([]float64, k)
				for c := range k {
					u[c] = f.B[c] + mat.Dot(trial.MatOf(x).RowView(i), f.W.ColView(c))
				}
				for c := range k {
					if want := cov(c, c); math.Abs(got.At(i, c)/want-1) > 1e-9 {
						t.Fatalf("%s: the variance of row %d, class %d is %v, want %v", kind, i, c, got.At(i, c), want)
					}
					if p[c] = math.Exp(u[c] / math.Sqrt(1+math.Pi/8*cov(c, c))); kind == ExactCovariance {
						sum := 0.
						for e := range k {
							sum += math.Exp((u[e] - u[c]) / math.Sqrt(1+math.Pi/8*(cov(c, c)+cov(e, e)-2*cov(c, e))))
						}
						p[c] = 1 / sum
					}
				}
				for c := range k {
					if want := p[c] / floats.Sum(p); math.Abs(probabilities.At(i, c)-want) > 1e-9 {
						t.Fatalf("%s: row %d has the probability %v of class %d, want %v", kind, i, probabilities.At(i, c), c, want)
					}
				}
			}
			some, err := l.Probabilities(ops.Rows(x, 20, 33))
			if err != nil || !mat.EqualApprox(some, probabilities.Slice(20, 33, 0, k), 1e-13) {
				t.Errorf("%s: probabilities depend on other rows (%v)", kind, err)
			}
			for name, rows := range map[string]data.Examples{"read": trial.InBlocks(t, x, p.Y, 1, 30, 7), "read in one": trial.InBlocks(t, x, p.Y, 71)} {
				s := must(FitLaplace(ctx, nil, rows, f, o))
				of, err := s.Variance(x)
				if err != nil || !mat.EqualApprox(of, got, 1e-11) {
					t.Errorf("%s, %s: other variances (%v)", kind, name, err)
				}
			}
			x32 := floatsOf(tensor.Float32, x.Float64s(), 71, d)
			s := must(FitLaplace(ctx, nil, data.Pairs{X: x32, Y: p.Y}, f, o))
			of, err := s.Variance(x32) // numbers that are rounded, and nothing else
			if err != nil || !mat.EqualApprox(of, got, 1e-5) {
				t.Errorf("%s: other variances in float32 (%v)", kind, err)
			}
		}
	}
}

// TestLaplaceBinary: of two classes the probability is the integral of the logistic function over the normal law of the
// difference of logits, to .02.
func TestLaplaceBinary(t *testing.T) {
	const d = 3
	p, f := laplaceProblem(t, 40, d, 2, nil)
	x := p.X.(*tensor.Dense)
	l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Lambda: .05})
	if err != nil || l.Covariance != ExactCovariance {
		t.Fatal(l, err)
	}
	mean := must(l.Probabilities(x))
	h, at, _ := plainLaplace(p, f, .05, nil, softmaxCurvature)
	var inverse mat.Dense
	ok(t, inverse.Inverse(h))
	for i := range 40 {
		contrast, u := mat.NewVecDense(2*(d+1), nil), f.B[0]-f.B[1]
		contrast.SetVec(d, 1)
		contrast.SetVec(2*d+1, -1)
		for j := range d {
			v := x.Float64s()[i*d+j]
			u += v * (f.W.At(j, 0) - f.W.At(j, 1))
			contrast.SetVec(j, v-at[j])
			contrast.SetVec(d+1+j, at[j]-v)
		}
		sd := math.Sqrt(mat.Inner(contrast, &inverse, contrast))
		sigmoid := func(e float64) float64 { return 1 / (1 + math.Exp(-u-sd*e)) }
		want := quad.Fixed(func(e float64) float64 { return sigmoid(e) * distuv.UnitNormal.Prob(e) }, -9, 9, 400, quad.Legendre{}, 0)
		if e := math.Abs(mean.At(i, 0) - want); e > .02 {
			t.Errorf("row %d: %v by the mean field, %v by quadrature", i, mean.At(i, 0), want)
		}
		if s := mean.At(i, 0) + mean.At(i, 1); math.Abs(s-1) > 1e-12 {
			t.Errorf("row %d: the probabilities sum to %v", i, s)
		}
	}
}

// TestLaplaceChoice: the covariance that is chosen, by D and k.
func TestLaplaceChoice(t *testing.T) {
	for size, want := range map[[2]int]string{
		{1023, 2}: ExactCovariance, {203, 10}: ExactCovariance, {204, 10}: ClassesCovariance,
		{1024, 10}: ClassesCovariance, {1830, 10}: ClassesCovariance, {1831, 10}: SharedCovariance,
	} {
		if got, err := chosenCovariance("", size[0], size[1]); err != nil || got != want {
			t.Errorf("%d features and %d classes: %q (%v), want %q", size[0], size[1], got, err, want)
		}
	}
}

// TestLaplaceErrors: heads, rows and options that do not fit each other.
func TestLaplaceErrors(t *testing.T) {
	p, f := laplaceProblem(t, 30, 3, 3, nil)
	x, ctx := p.X.(*tensor.Dense), context.Background()
	holed := x.Clone().(*tensor.Dense)
	holed.Float64s()[4] = math.NaN()
	same := tensor.New(tensor.WithShape(30, 3), tensor.Of(tensor.Float64))
	fit := func(rows data.Examples, f *Fit, o LaplaceOptions) error {
		return second(FitLaplace(ctx, nil, rows, f, o))
	}
	head := func(w *mat.Dense, b ...float64) error { return fit(p, &Fit{W: w, B: b}, LaplaceOptions{}) }
	with := func(o LaplaceOptions) error { return fit(p, f, o) }
	at := func(z *tensor.Dense) error {
		return second(must(FitLaplace(ctx, nil, p, f, LaplaceOptions{})).Probabilities(z))
	}
	huge := x.Clone().(*tensor.Dense)
	huge.Float64s()[7] = 1e200
	stopped, stop := context.WithCancel(ctx)
	stop()
	refuse(t, []refusal{
		{"no head", fit(p, nil, LaplaceOptions{}), domain.ErrParam, "the head is nil"},
		{"no weights", head(nil), domain.ErrParam, "fit it by FitLogistic"},
		{"one class", head(mat.NewDense(3, 1, nil), 1), domain.ErrShape, "W [3,1] and 1 intercepts"},
		{"intercepts", head(f.W, f.B[:2]...), domain.ErrShape, "2 intercepts, want W"},
		{"other features", head(mat.NewDense(4, 3, nil), f.B...),
			domain.ErrShape, "give the rows and the map of its fit"},
		{"other classes", head(mat.NewDense(3, 2, nil), f.B[:2]...), domain.ErrShape, "W [3,2]"},
		{"head not finite", head(f.W, 0, math.Inf(1), 0), domain.ErrDomain, "B[1] is +Inf; fit the head again"},
		{"negative lambda", with(LaplaceOptions{Lambda: -1}), domain.ErrParam, "Lambda = -1"},
		{"lambda NaN", with(LaplaceOptions{Lambda: math.NaN()}), domain.ErrParam, "Lambda = NaN"},
		{"lambda too small", with(LaplaceOptions{Lambda: 1e-300, Covariance: ExactCovariance}),
			domain.ErrParam, "Lambda = 1e-300; raise it"},
		{"lambda overflows", with(LaplaceOptions{Lambda: 1e308}),
			domain.ErrParam, "leaves the range of numbers; change it"},
		{"covariance", with(LaplaceOptions{Covariance: "full"}),
			domain.ErrParam, "Covariance = full, want one of [exact classes shared]"},
		{"blocks", with(LaplaceOptions{BlockRows: -1}), domain.ErrParam, "BlockRows = -1"},
		{"class weights", with(LaplaceOptions{ClassWeights: []float64{1}}),
			domain.ErrParam, "1 ClassWeights for 3 classes"},
		{"rows not finite", fit(data.Pairs{X: holed, Y: p.Y}, f, LaplaceOptions{}), domain.ErrDomain, "z[1,1] = NaN"},
		{"rows of zeros", fit(data.Pairs{X: same, Y: p.Y}, f, LaplaceOptions{}),
			domain.ErrDomain, "every feature of every row is 0"},
		{"no rows to go over", fit(nil, f, LaplaceOptions{}), domain.ErrParam, "the source of rows is nil"},
		{"stopped", second(FitLaplace(stopped, nil, p, f, LaplaceOptions{})), context.Canceled, "after 0 of 30 rows"},
		{"at none", at(nil), domain.ErrParam, "the features is nil"},
		{"at other columns", at(doubles(make([]float64, 4), 2, 2)), domain.ErrShape, "want [n,3]"},
		{"at no numbers", at(holed), domain.ErrDomain, "row 1 has a logit or a variance"},
		{"at huge ones", at(huge), domain.ErrDomain, "row 2"},
		{"at whole numbers", at(tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Int))),
			domain.ErrDtype, "convert them"},
		{"empty", second(new(Laplace).Variance(x)), domain.ErrParam, "make it by FitLaplace"},
	}...)
}
