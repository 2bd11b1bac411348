package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(math.Abs(a), math.Abs(b)) }

// asFloat32 rounds z, and returns it as float32.
func asFloat32(z *tensor.Dense) *tensor.Dense {
	out := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(z.Shape()...))
	for i, v := range z.Float64s() {
		out.Float32s()[i] = float32(v)
		z.Float64s()[i] = float64(float32(v))
	}
	return out
}

// TestPosteriorIsGaussianProcess: noise, evidence, mean and variance are those of the process on the n rows, for more
// rows than features and fewer, several targets, both dtypes, with the noise learned and given.
func TestPosteriorIsGaussianProcess(t *testing.T) {
	for _, size := range [][3]int{{61, 7, 3}, {17, 41, 2}, {23, 1, 1}, {2, 3, 1}} {
		n, d, k := size[0], size[1], size[2]
		x, y := trial.Problem(n, d, k, uint64(n))
		rows, _ := trial.Problem(601, d, k, 5)
		x32, rows32 := asFloat32(x), asFloat32(rows)
		s, single := RidgeStats{}, RidgeStats{}
		if err := errors.Join(s.Add(x, y), single.Add(x32, y)); err != nil {
			t.Fatal(err)
		}
		given := make([]float64, k)
		for i := range given {
			given[i] = .3 + float64(i)
		}
		for _, lambda := range []float64{1e-6, 1e-2, 10} {
			learned, err := s.Posterior(lambda)
			if err != nil {
				t.Fatal(err)
			}
			told, err := single.PosteriorWithNoise(lambda, given)
			if err != nil {
				t.Fatal(err)
			}
			z := mat.DenseCopyOf(trial.MatOf(x)) // less the means, which changes nothing but the rounding
			for j := range d {
				for i := range n {
					z.Set(i, j, z.At(i, j)-s.meanZ[j])
				}
			}
			var gram mat.Dense
			gram.Mul(z, z.T())
			gp := newProcess(&gram, learned.Penalty)
			if !near(learned.Penalty, lambda*meanSpread(trial.MatOf(x)), 1e-12) || learned.Lambda != lambda || learned.Fit.Lambda != lambda {
				t.Errorf("%v: ρ = %v", size, learned.Penalty)
			}
			var log, logGiven float64
			tol := 1e-9
			for j := range k {
				target := mat.VecDenseCopyOf(y.ColView(j))
				for i := range n {
					target.SetVec(i, target.AtVec(i)-s.meanY[j])
				}
				_, q := gp.logDensity(target, 1)
				lost := 1e-14 * s.yy[j] / q // of what nearly fits S knows no more
				tol += lost * float64(n)
				if want := q / float64(n-1); !near(learned.Noise[j], want, 1e-9+lost) {
					t.Errorf("%v, λ = %v: the noise is %.15g, want %.15g", size, lambda, learned.Noise[j], want)
				}
				a, _ := gp.logDensity(target, q/float64(n-1))
				b, _ := gp.logDensity(target, given[j])
				log, logGiven = log+a, logGiven+b
				if less, _ := gp.logDensity(target, 1.01*q/float64(n-1)); less >= a {
					t.Errorf("%v, λ = %v: the noise is not the best", size, lambda)
				}
			}
			if !near(learned.LogEvidence, log, tol) || !near(told.LogEvidence, logGiven, tol) {
				t.Errorf("%v, λ = %v: the evidence is %.15g and %.15g, want %.15g and %.15g", size, lambda, learned.LogEvidence, told.LogEvidence, log, logGiven)
			}
			v, err := learned.Variance(make([]float64, 601), rows)
			if err != nil {
				t.Fatal(err)
			}
			v32, err := told.Variance(nil, rows32)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < 601; i += 37 {
				row := mat.VecDenseCopyOf(trial.MatOf(rows).RowView(i))
				at := mat.NewVecDense(d, nil)
				at.SubVec(row, mat.NewVecDense(d, s.meanZ))
				var kx mat.VecDense
				kx.MulVec(z, at)
				for j := range k {
					mean, want := gp.at(mat.VecDenseCopyOf(y.ColView(j)), &kx, mat.Dot(at, at))
					got := learned.Fit.B[j] + mat.Dot(row, learned.Fit.W.ColView(j))
					if math.Abs(got-mean) > 1e-8*(1+math.Abs(mean)) {
						t.Errorf("%v, λ = %v: the mean of row %d is %v, want %v", size, lambda, i, got, mean)
					}
					// The reference is a difference of k(x, x)/ρ, which may be far larger.
					if tol := 1e-9 + 1e-14*mat.Dot(at, at)/learned.Penalty/want; !near(v[i], want, tol) || !near(v32[i], want, tol) {
						t.Errorf("%v, λ = %v: the variance of row %d is %.12g and %.12g, want %.12g to %.1g", size, lambda, i, v[i], v32[i], want, tol)
					}
				}
			}
		}
	}
}

// TestPosteriorOfMoments: variance, effective number of parameters and evidence are those of gonum's factor of the
// centred moments.
func TestPosteriorOfMoments(t *testing.T) {
	for _, size := range [][2]int{{131, 67}, {varianceRows + 31, ridgeDepth + 7}} {
		for _, lambda := range []float64{1e-9, 1e-3, 1} {
			posteriorOfMoments(t, size[0], size[1], lambda)
		}
	}
}

func posteriorOfMoments(t *testing.T, n, d int, lambda float64) {
	const k = 2
	x, y := trial.Problem(n, d, k, 3)
	var s RidgeStats
	if err := s.Add(x, y); err != nil {
		t.Fatal(err)
	}
	p, err := s.Posterior(lambda)
	if err != nil {
		t.Fatal(err)
	}
	g := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			g.SetSym(i, j, s.g[i*d+j])
		}
		g.SetSym(i, i, s.g[i*d+i]+p.Penalty)
	}
	var f mat.Cholesky
	var inv mat.SymDense
	if !f.Factorize(g) || f.InverseTo(&inv) != nil {
		t.Fatal("no reference")
	}
	log := 0.
	for j := range k {
		r := mat.NewVecDense(d, nil)
		for i := range d {
			r.SetVec(i, s.r[i*k+j])
		}
		var w mat.VecDense
		_ = f.SolveVecTo(&w, r)
		noise := (s.yy[j] - mat.Dot(&w, r)) / float64(n-1)
		log -= .5 * (float64(n-1)*(math.Log(2*math.Pi*noise)+1) + f.LogDet() - float64(d)*math.Log(p.Penalty))
		if !near(p.Noise[j], noise, 1e-10) {
			t.Errorf("λ = %v: the noise is %v, want %v", lambda, p.Noise[j], noise)
		}
	}
	if !near(p.LogEvidence, log, 1e-11) || !near(p.Effective, float64(d)-p.Penalty*mat.Trace(&inv), 1e-9) {
		t.Errorf("λ = %v: the evidence is %v, want %v; effective %v", lambda, p.LogEvidence, log, p.Effective)
	}
	v, err := p.Variance(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for i := range n {
		row := mat.NewVecDense(d, nil)
		for j := range d {
			row.SetVec(j, x.Float64s()[i*d+j]-s.meanZ[j])
		}
		want := 1/float64(n) + mat.Inner(row, &inv, row)
		sum += want - 1/float64(n)
		if !near(v[i], want, 1e-9) {
			t.Errorf("λ = %v: the variance of row %d is %v, want %v", lambda, i, v[i], want)
		}
	}
	if !near(sum, p.Effective, 1e-9) { // tr Zc (G + ρI)⁻¹ Zcᵀ
		t.Errorf("λ = %v: the variances of the rows add up to %v, effective %v", lambda, sum, p.Effective)
	}
	e, err := s.Evidence(context.Background(), []float64{lambda})
	if err != nil || !near(e.Log, log, 1e-11) || e.Lambda != lambda || len(e.Scores) != 1 {
		t.Errorf("λ = %v: the evidence of the reduction is %+v, want %v (%v)", lambda, e, log, err)
	}
}

// TestPosteriorWeights: class weights are rows that come so often.
func TestPosteriorWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 41, 5, 3)
	more, moreY := trial.Repeated(x, y)
	s, rows := RidgeStats{ClassWeights: trial.ClassTimes}, RidgeStats{}
	if err := errors.Join(s.Add(x, y), rows.Add(more, moreY)); err != nil {
		t.Fatal(err)
	}
	a, errA := s.Posterior(.01)
	b, errB := rows.Posterior(.01)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	va, errA := a.Variance(nil, x)
	vb, errB := b.Variance(nil, x)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if !near(a.LogEvidence, b.LogEvidence, 1e-11) || !near(a.Noise[2], b.Noise[2], 1e-11) || far(a.Fit, b.Fit.W, b.Fit.B) > 1e-11 || !near(va[7], vb[7], 1e-11) {
		t.Errorf("weights %+v, repeated %+v", a, b)
	}
}

// TestEvidenceBest: the best lambda is that of a fine grid; it and its evidence are those of Posterior, which falls to
// both sides; and the sums stay.
func TestEvidenceBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, d, k = 211, 37, 2
	z, y := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(n, d)), mat.NewDense(n, k, nil)
	w := make([]float64, d)
	for j := range w {
		w[j] = rng.NormFloat64()
	}
	for i := range n {
		for j := range d {
			z.Float64s()[i*d+j] = rng.NormFloat64() / float64(j+1)
			y.Set(i, 0, y.At(i, 0)+w[j]*z.Float64s()[i*d+j])
		}
		for j := range k {
			y.Set(i, j, y.At(i, j)+.5*rng.NormFloat64())
		}
	}
	var s RidgeStats
	if err := s.Add(z, y); err != nil {
		t.Fatal(err)
	}
	before, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, lambdas := range [][]float64{nil, {100, 1e-4, .1}} {
		e, err := s.Evidence(context.Background(), lambdas)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Posterior(e.Lambda)
		if err != nil || !near(p.LogEvidence, e.Log, 1e-11) {
			t.Errorf("the evidence is %v, that of the posterior %v (%v)", e.Log, p.LogEvidence, err)
		}
		for _, by := range []float64{.98, 1.02} {
			if o, err := s.Posterior(by * e.Lambda); err != nil || o.LogEvidence >= e.Log {
				t.Errorf("λ = %v has the evidence %v, %v times that has %v (%v)", e.Lambda, e.Log, by, o.LogEvidence, err)
			}
		}
		for _, o := range e.Scores {
			if o.Log > e.Log {
				t.Errorf("λ = %v has the evidence %v, the best %v", o.Lambda, o.Log, e.Log)
			}
		}
	}
	if after, err := s.MarshalBinary(); err != nil || string(before) != string(after) {
		t.Errorf("the sums have changed (%v)", err)
	}
}

func TestPosteriorErrors(t *testing.T) {
	x, y := trial.Problem(9, 3, 2, 5)
	var s, one, flat RidgeStats
	same := mat.DenseCopyOf(y)
	for i := range 9 {
		same.Set(i, 1, .1)
	}
	if err := errors.Join(s.Add(x, y), one.Add(trial.RowsOf(x, y, 0, 1)), flat.Add(x, same)); err != nil {
		t.Fatal(err)
	}
	signed := s
	signed.Signature = []float64{1, -1, 1}
	plus := s
	plus.Signature = []float64{1, 1, 1}
	of := func(_ any, err error) error { return err }
	done, cancel := context.WithCancel(context.Background())
	cancel()
	ctx := context.Background()
	p, err := plus.Posterior(1)
	if err != nil {
		t.Fatal(err)
	}
	broken := *p
	broken.Noise = []float64{1, math.NaN()}
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[4] = math.Inf(1)
	huge := x.Clone().(*tensor.Dense)
	huge.Float64s()[4] = 1e300
	for _, c := range []struct {
		name string
		err  error
		is   error
		want string
	}{
		{"no rows", of((&RidgeStats{}).Posterior(1)), domain.ErrShape, "no rows"},
		{"lambda 0", of(s.Posterior(0)), domain.ErrParam, "lambda = 0"},
		{"lambda NaN", of(s.Posterior(math.NaN())), domain.ErrParam, "lambda = NaN"},
		{"lambda huge", of(s.Posterior(math.MaxFloat64)), domain.ErrParam, "overflows"},
		{"lambda tiny", of(s.Posterior(1e-300)), domain.ErrParam, "raise lambda"},
		{"signs", of(signed.Posterior(1)), domain.ErrParam, "indefinite"},
		{"one row", of(one.Posterior(1)), domain.ErrShape, "the rows weigh 1"},
		{"flat", of(flat.Posterior(1)), domain.ErrDomain, "target 1 is the same"},
		{"noise", of(s.PosteriorWithNoise(1, []float64{1})), domain.ErrShape, "1 variances"},
		{"noise 0", of(s.PosteriorWithNoise(1, []float64{1, 0})), domain.ErrParam, "target 1 is 0"},
		{"evidence of no lambda", of(s.Evidence(ctx, []float64{})), domain.ErrParam, "no lambdas"},
		{"evidence of 0", of(s.Evidence(ctx, []float64{1, 0})), domain.ErrParam, "lambda = 0"},
		{"evidence of tiny", of(s.Evidence(ctx, []float64{1e-300})), domain.ErrParam, "none of the 1"},
		{"evidence stopped", of(s.Evidence(done, nil)), context.Canceled, "stopped"},
		{"width", of(p.Variance(nil, tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(2, 4)))), domain.ErrShape, "3 columns"},
		{"dst", of(p.Variance(make([]float64, 2), x)), domain.ErrShape, "dst has 2"},
		{"infinite", of(p.Variance(nil, bad)), domain.ErrDomain, "z[1,1]"},
		{"overflow", of(p.Variance(nil, huge)), domain.ErrDomain, "variance of row 1"},
		{"kxx", of(p.VarianceResidual(nil, x, nil)), domain.ErrShape, "kxx has 0"},
		{"kxx NaN", of(p.VarianceResidual(nil, x, append(make([]float64, 8), math.NaN()))), domain.ErrDomain, "kxx[8]"},
		{"zero value", of((&Posterior{}).Draw(1)), domain.ErrParam, "RidgeStats.Posterior"},
		{"broken", of(broken.Draw(1)), domain.ErrParam, "target 1 is NaN"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	for _, q := range []*RidgeStats{&one, &flat} {
		if p, err := q.PosteriorWithNoise(1, []float64{1, 2}); err != nil || p.LogEvidence-p.LogEvidence != 0 {
			t.Errorf("noise is given: %v", err)
		}
	}
}
