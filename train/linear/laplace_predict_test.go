package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// TestLaplaceBinary: of two classes the probability is the integral of the logistic function over the normal law of the
// difference of logits: the sampled one to 4 standard errors, the mean-field one to .02.
func TestLaplaceBinary(t *testing.T) {
	const d, draws = 3, 20000
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
	sampled, err := l.Sample(x, draws, 7)
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
		moment := func(power float64) float64 {
			return quad.Fixed(func(e float64) float64 {
				return math.Pow(sigmoid(e), power) * distuv.UnitNormal.Prob(e)
			}, -9, 9, 400, quad.Legendre{}, 0)
		}
		want := moment(1)
		se := math.Sqrt(max(moment(2)-want*want, 0) / draws)
		if e := math.Abs(sampled.At(i, 0) - want); e > 4*se+1e-12 {
			t.Errorf("row %d: %v by draws, %v by quadrature, %.1f standard errors", i, sampled.At(i, 0), want, e/se)
		}
		if e := math.Abs(mean.At(i, 0) - want); e > .02 {
			t.Errorf("row %d: %v by the mean field, %v by quadrature", i, mean.At(i, 0), want)
		}
		if s := sampled.At(i, 0) + sampled.At(i, 1); math.Abs(s-1) > 1e-12 {
			t.Errorf("row %d: sampled probabilities sum to %v", i, s)
		}
	}
}

// TestLaplaceSample: by draws and by the mean field the probabilities of each covariance agree, and those of a row
// depend on the seed and on nothing else.
func TestLaplaceSample(t *testing.T) {
	p, f := laplaceProblem(t, 50, 4, 4, nil)
	x := p.X.(*tensor.Dense)
	for kind := range curvatures {
		l, err := FitLaplace(context.Background(), nil, p, f, LaplaceOptions{Lambda: 1, Covariance: kind})
		if err != nil {
			t.Fatal(err)
		}
		mean, err := l.Probabilities(x)
		if err != nil {
			t.Fatal(err)
		}
		all, err := l.Sample(x, 4000, 3)
		if err != nil || !mat.EqualApprox(all, mean, .05) {
			t.Errorf("%s: draws and the mean field differ (%v)", kind, err)
		}
		some, err := l.Sample(ops.Rows(x, 20, 33), 4000, 3)
		if err != nil || !mat.EqualApprox(some, all.Slice(20, 33, 0, 4), 1e-13) {
			t.Errorf("%s: probabilities depend on other rows (%v)", kind, err)
		}
		other, err := l.Sample(x, 4000, 4)
		if err != nil || mat.Equal(other, all) {
			t.Errorf("%s: another seed draws the same (%v)", kind, err)
		}
		for _, draws := range []int{0, -1, mostDraws + 1} {
			if _, err := l.Sample(x, draws, 0); !errors.Is(err, domain.ErrParam) {
				t.Errorf("%d draws: %v", draws, err)
			}
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
