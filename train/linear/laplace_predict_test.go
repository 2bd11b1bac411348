package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

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
