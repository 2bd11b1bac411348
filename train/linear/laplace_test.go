package linear

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/rows"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
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
	r, err := given.RowWeights("", weights, p.Y, rows.Names{}.At)
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
			r, _ = given.RowWeights("", weights, p.Y, rows.Names{}.At)
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
	mean, err := l.Probabilities(x)
	if err != nil {
		t.Fatal(err)
	}
	h, at, _ := plainLaplace(p, f, .05, nil, softmaxCurvature)
	var inverse mat.Dense
	if err := inverse.Inverse(h); err != nil {
		t.Fatal(err)
	}
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

// TestLaplaceDraws: the probabilities of every covariance are near the means over draws of the coefficients, and those
// of a row do not depend on the other rows.
func TestLaplaceDraws(t *testing.T) {
	const rows, d1, k, draws = 50, 5, 4, 2000
	p, f := laplaceProblem(t, rows, d1-1, k, nil)
	x, rng := p.X.(*tensor.Dense), rand.New(rand.NewPCG(3, 4))
	for kind := range curvatures {
		l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Lambda: 1, Covariance: kind})
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Probabilities(x)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, rows*d1)
		aboutInto(z, x, 0, rows, l.mean)
		mean, logits := mat.NewDense(rows, k, nil), new(mat.Dense)
		for range draws {
			w, e := mat.NewDense(d1, k, slices.Clone(l.head)), make([]float64, d1*k)
			for i := range e {
				e[i] = rng.NormFloat64()
			}
			size := int(math.Sqrt(float64(len(l.root[0]))))
			for i := range e { // coefficient i%d1 of class i/d1 gets the column of L⁻¹ times ε
				at, of := i/size*size, l.root[i/size%len(l.root)]
				for r := range size {
					w.Set(i%d1, i/d1, w.At(i%d1, i/d1)+of[r*size+i%size]*e[at+r])
				}
			}
			logits.Mul(mat.NewDense(rows, d1, z), w)
			for i := range rows {
				softmaxRow(logits.RawRowView(i))
			}
			mean.Add(mean, logits)
		}
		if mean.Scale(1./draws, mean); !mat.EqualApprox(got, mean, .05) {
			t.Errorf("%s: the mean field and draws differ", kind)
		}
		some, err := l.Probabilities(ops.Rows(x, 20, 33))
		if err != nil || !mat.EqualApprox(some, got.Slice(20, 33, 0, k), 1e-13) {
			t.Errorf("%s: probabilities depend on other rows (%v)", kind, err)
		}
	}
}

// TestLaplaceFar: on random features of a Gaussian kernel the entropy rises far from the rows, and more so than that of
// the head alone, while near them the classes stay.
func TestLaplaceFar(t *testing.T) {
	const n = 150
	x, y, _ := trial.Overlapping(t, n, 3, 3)
	m, p := trial.Fourier(t, 3, 128, 1.5), data.Pairs{X: x, Y: y}
	f, err := FitLogistic(context.Background(), m, p, LogisticOptions{Lambdas: []float64{1e-4 * n}})
	if err != nil {
		t.Fatal(err)
	}
	far, rng := tensor.New(tensor.WithShape(n, 3), tensor.Of(tensor.Float64)), rand.New(rand.NewPCG(5, 6))
	for i := range far.Float64s() {
		far.Float64s()[i] = 30 * rng.NormFloat64()
	}
	head, err := layers.NewSoftmaxHead(m.Features(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := head.SetWeights(f.W.RawMatrix().Data, f.B); err != nil {
		t.Fatal(err)
	}
	plain := func(z *tensor.Dense) *mat.Dense {
		q, err := head.Transform(nil, z)
		if err != nil {
			t.Fatal(err)
		}
		return mat.NewDense(n, 3, q.Float64s())
	}
	entropy := func(p *mat.Dense) (sum float64) {
		for _, v := range p.RawMatrix().Data {
			sum -= v * math.Log(v) / n
		}
		return sum
	}
	near, away := transformed(t, m, x), transformed(t, m, far)
	for kind := range curvatures {
		l, err := FitLaplace(context.Background(), m, p, f, LaplaceOptions{Lambda: 1e-4 * n, Covariance: kind})
		if err != nil {
			t.Fatal(err)
		}
		pn, err := l.Probabilities(near)
		if err != nil {
			t.Fatal(err)
		}
		pf, err := l.Probabilities(away)
		if err != nil {
			t.Fatal(err)
		}
		rise, before := entropy(pf)-entropy(pn), entropy(plain(away))-entropy(plain(near))
		if !(entropy(pf) > entropy(plain(away)) && rise > before && rise > .1) {
			t.Errorf("%s: entropy rises by %v far from the rows, by %v without the variances", kind, rise, before)
		}
	}
}

func transformed(t *testing.T, m layers.Map, x *tensor.Dense) *tensor.Dense {
	t.Helper()
	z, err := m.Transform(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestLaplaceTensors: what comes back from a file predicts the same to the last bit, and tensors that are damaged do not
// come back.
func TestLaplaceTensors(t *testing.T) {
	p, f := laplaceProblem(t, 40, 4, 3, nil)
	x := p.X.(*tensor.Dense)
	for kind := range curvatures {
		l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Covariance: kind})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m")
		if err := modelfile.Write(path, nil, l.Tensors()); err != nil {
			t.Fatal(err)
		}
		_, tensors, err := modelfile.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		back, err := RestoreLaplace(tensors, f.W, f.B)
		if err != nil {
			t.Fatal(err)
		}
		want, err := l.Probabilities(x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Probabilities(x)
		if err != nil || !mat.Equal(got, want) || back.Lambda != l.Lambda || back.Scale != l.Scale || back.Covariance != kind {
			t.Errorf("%s: another posterior came back (%v)", kind, err)
		}
		for name, of := range tensors {
			for _, bad := range []*tensor.Dense{nil, floatsOf(tensor.Float64, make([]float64, 7), 7),
				floatsOf(tensor.Float32, make([]float64, of.Shape().TotalSize()), of.Shape()...),
				floatsOf(tensor.Float64, slices.Repeat([]float64{math.NaN()}, of.Shape().TotalSize()), of.Shape()...)} {
				damaged := maps.Clone(tensors)
				damaged[name] = bad
				_, err := RestoreLaplace(damaged, f.W, f.B)
				if !errors.Is(err, domain.ErrShape) && !errors.Is(err, domain.ErrDtype) && !errors.Is(err, domain.ErrParam) && !errors.Is(err, domain.ErrDomain) {
					t.Errorf("%s: %s = %v: %v", kind, name, bad, err)
				}
			}
		}
		zeros := maps.Clone(tensors)
		zeros[string(kind)] = tensor.New(tensor.WithShape(tensors[string(kind)].Shape()...), tensor.Of(tensor.Float64))
		if _, err := RestoreLaplace(zeros, f.W, f.B); !errors.Is(err, domain.ErrDomain) {
			t.Errorf("%s: factors of zeros: %v", kind, err)
		}
		if _, err := RestoreLaplace(tensors, mat.NewDense(5, 3, nil), f.B); !errors.Is(err, domain.ErrShape) {
			t.Errorf("%s: another head: %v", kind, err)
		}
	}
}

// TestLaplaceChoice: the covariance that is chosen, by D and k.
func TestLaplaceChoice(t *testing.T) {
	for _, c := range []struct {
		d, k int
		want LaplaceCovariance
	}{{1023, 2, ExactCovariance}, {203, 10, ExactCovariance}, {204, 10, ClassesCovariance}, {1024, 10, ClassesCovariance}, {1830, 10, ClassesCovariance}, {1831, 10, SharedCovariance}} {
		if got, err := LaplaceCovariance("").chosen(c.d, c.k); err != nil || got != c.want {
			t.Errorf("%d features and %d classes: %q (%v), want %q", c.d, c.k, got, err, c.want)
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
	for name, c := range map[string]struct {
		rows data.Examples
		f    *LogisticFit
		o    LaplaceOptions
		want error
	}{
		"no head":            {p, nil, LaplaceOptions{}, domain.ErrParam},
		"no weights":         {p, &LogisticFit{}, LaplaceOptions{}, domain.ErrParam},
		"one class":          {p, &LogisticFit{W: mat.NewDense(3, 1, nil), B: []float64{1}}, LaplaceOptions{}, domain.ErrShape},
		"intercepts":         {p, &LogisticFit{W: f.W, B: f.B[:2]}, LaplaceOptions{}, domain.ErrShape},
		"other features":     {p, &LogisticFit{W: mat.NewDense(4, 3, nil), B: f.B}, LaplaceOptions{}, domain.ErrShape},
		"other classes":      {p, &LogisticFit{W: mat.NewDense(3, 2, nil), B: f.B[:2]}, LaplaceOptions{}, domain.ErrShape},
		"head not finite":    {p, &LogisticFit{W: f.W, B: []float64{0, math.Inf(1), 0}}, LaplaceOptions{}, domain.ErrDomain},
		"negative lambda":    {p, f, LaplaceOptions{Lambda: -1}, domain.ErrParam},
		"lambda NaN":         {p, f, LaplaceOptions{Lambda: math.NaN()}, domain.ErrParam},
		"lambda too small":   {p, f, LaplaceOptions{Lambda: 1e-300, Covariance: ExactCovariance}, domain.ErrParam},
		"lambda overflows":   {p, f, LaplaceOptions{Lambda: 1e308}, domain.ErrParam},
		"covariance":         {p, f, LaplaceOptions{Covariance: "full"}, domain.ErrParam},
		"blocks":             {p, f, LaplaceOptions{BlockRows: -1}, domain.ErrParam},
		"class weights":      {p, f, LaplaceOptions{ClassWeights: []float64{1}}, domain.ErrParam},
		"rows not finite":    {data.Pairs{X: holed, Y: p.Y}, f, LaplaceOptions{}, domain.ErrDomain},
		"rows of zeros":      {data.Pairs{X: same, Y: p.Y}, f, LaplaceOptions{}, domain.ErrDomain},
		"no rows to go over": {nil, f, LaplaceOptions{}, domain.ErrParam},
	} {
		if _, err := FitLaplace(ctx, nil, c.rows, c.f, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := FitLaplace(stopped, nil, p, f, LaplaceOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l, err := FitLaplace(ctx, nil, p, f, LaplaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	huge := x.Clone().(*tensor.Dense)
	huge.Float64s()[7] = 1e200
	for name, c := range map[string]struct {
		z    *tensor.Dense
		want error
	}{"none": {nil, domain.ErrParam}, "columns": {floatsOf(tensor.Float64, make([]float64, 4), 2, 2), domain.ErrShape}, "not finite": {holed, domain.ErrDomain},
		"huge": {huge, domain.ErrDomain}, "whole numbers": {tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Int)), domain.ErrDtype}} {
		if _, err := l.Probabilities(c.z); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := new(Laplace).Variance(x); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}

// TestLaplaceCores: posterior and probabilities are the same to the last bit whatever GOMAXPROCS is.
func TestLaplaceCores(t *testing.T) {
	p, f := laplaceProblem(t, 700, 40, 3, nil)
	for kind := range curvatures {
		run := func(cores int) *mat.Dense {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Covariance: kind})
			if err != nil {
				t.Fatal(err)
			}
			q, err := l.Probabilities(p.X.(*tensor.Dense))
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		if !mat.Equal(run(1), run(3)) {
			t.Errorf("%s: the result depends on GOMAXPROCS", kind)
		}
	}
}
