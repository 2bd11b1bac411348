package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	cells "github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(math.Abs(a), math.Abs(b)) }

// asFloat32 rounds z, and returns it as float32.
func asFloat32(z *tensor.Dense) *tensor.Dense {
	out := floatsOf(tensor.Float32, z.Float64s(), z.Shape()...)
	cells.Cells(z.Float64s(), out, 0)
	return out
}

// TestPosteriorIsGaussianProcess: noise, evidence, mean and variance agree with the process on the n rows, for more
// rows than features and fewer, several targets, both dtypes, with the noise learned and given.
func TestPosteriorIsGaussianProcess(t *testing.T) {
	for _, size := range [][3]int{{61, 7, 3}, {17, 41, 2}, {23, 1, 1}, {2, 3, 1}, {varianceRows + 31, ridgeDepth + 7, 1}} {
		n, d, k := size[0], size[1], size[2]
		x, y := trial.Problem(n, d, k, uint64(n))
		rows, _ := trial.Problem(601, d, k, 5)
		x32, rows32 := asFloat32(x), asFloat32(rows)
		s, single := RidgeStats{}, RidgeStats{}
		ok(t, errors.Join(s.Add(x, y), single.Add(x32, y)))
		given := make([]float64, k)
		for i := range given {
			given[i] = .3 + float64(i)
		}
		lambdas := []float64{1e-6, 1e-2, 10}
		if n > varianceRows { // the reference takes long
			lambdas = lambdas[1:2]
		}
		for _, lambda := range lambdas {
			learned := must(s.Posterior(lambda))
			told := must(single.Posterior(lambda, given...))
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
			e := must(s.Evidence(t.Context(), []float64{lambda}))
			if !near(e.Log, log, tol) || e.Lambda != lambda || len(e.Scores) != 1 {
				t.Errorf("%v, λ = %v: the evidence of the reduction is %+v, want %v", size, lambda, e, log)
			}
			own := 0. // tr Zc (G + ρI)⁻¹ Zcᵀ
			for _, v := range must(learned.Variance(nil, x)) {
				own += v - 1/float64(n)
			}
			if !near(own, learned.Effective, 1e-8) {
				t.Errorf("%v, λ = %v: the variances of the rows add up to %v, effective %v", size, lambda, own, learned.Effective)
			}
			v := must(learned.Variance(make([]float64, 601), rows))
			v32 := must(told.Variance(nil, rows32))
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
	ok(t, s.Add(z, y))
	before := must(s.MarshalBinary())
	for _, lambdas := range [][]float64{nil, {100, 1e-4, .1}} {
		e := must(s.Evidence(context.Background(), lambdas))
		p, err := s.Posterior(e.Lambda)
		if err != nil || !near(p.LogEvidence, e.Log, 1e-11) {
			t.Errorf("the evidence is %v, the posterior's %v (%v)", e.Log, p.LogEvidence, err)
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
	ok(t, errors.Join(s.Add(x, y), one.Add(trial.RowsOf(x, y, 0, 1)), flat.Add(x, same)))
	signed := s
	signed.Signature = []float64{1, -1, 1}
	plus := s
	plus.Signature = []float64{1, 1, 1}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	ctx := context.Background()
	p := must(plus.Posterior(1))
	broken := *p
	broken.Noise = []float64{1, math.NaN()}
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[4] = math.Inf(1)
	huge := x.Clone().(*tensor.Dense)
	huge.Float64s()[4] = 1e300
	refuse(t, []refusal{
		{"no rows", second((&RidgeStats{}).Posterior(1)), domain.ErrShape, "no rows"},
		{"lambda 0", second(s.Posterior(0)), domain.ErrParam, "lambda = 0"},
		{"lambda NaN", second(s.Posterior(math.NaN())), domain.ErrParam, "lambda = NaN"},
		{"lambda huge", second(s.Posterior(math.MaxFloat64)), domain.ErrParam, "overflows"},
		{"lambda tiny", second(s.Posterior(1e-300)), domain.ErrParam, "raise lambda"},
		{"signs", second(signed.Posterior(1)), domain.ErrParam, "indefinite"},
		{"one row", second(one.Posterior(1)), domain.ErrShape, "the rows weigh 1"},
		{"flat", second(flat.Posterior(1)), domain.ErrDomain, "target 1 is the same"},
		{"noise", second(s.Posterior(1, 1)), domain.ErrShape, "1 variances"},
		{"noise 0", second(s.Posterior(1, 1, 0)), domain.ErrParam, "target 1 is 0"},
		{"evidence of no lambda", second(s.Evidence(ctx, []float64{})), domain.ErrParam, "no lambdas"},
		{"evidence of 0", second(s.Evidence(ctx, []float64{1, 0})), domain.ErrParam, "lambda = 0"},
		{"evidence of tiny", second(s.Evidence(ctx, []float64{1e-300})), domain.ErrParam, "none of the 1"},
		{"evidence stopped", second(s.Evidence(done, nil)), context.Canceled, "stopped"},
		{"width", second(p.Variance(nil, doubles(make([]float64, 8), 2, 4))), domain.ErrShape, "3 columns"},
		{"dst", second(p.Variance(make([]float64, 2), x)), domain.ErrShape, "dst has 2"},
		{"infinite", second(p.Variance(nil, bad)), domain.ErrDomain, "z[1,1]"},
		{"overflow", second(p.Variance(nil, huge)), domain.ErrDomain, "variance of row 1"},
		{"kxx", second(p.Variance(nil, x, 1)), domain.ErrShape, "kxx has 1"},
		{"kxx NaN", second(p.Variance(nil, x, append(make([]float64, 8), math.NaN())...)), domain.ErrDomain, "kxx[8]"},
		{"zero value", second((&Posterior{}).Draw(1)), domain.ErrParam, "RidgeStats.Posterior"},
		{"broken", second(broken.Draw(1)), domain.ErrParam, "target 1 is NaN"},
	}...)
	for _, q := range []*RidgeStats{&one, &flat} {
		if p, err := q.Posterior(1, 1, 2); err != nil || p.LogEvidence-p.LogEvidence != 0 {
			t.Errorf("noise is given: %v", err)
		}
	}
}

// TestPosteriorDraw: the values of drawn functions have the means, variances and covariances of the posterior, within 4
// standard errors.
func TestPosteriorDraw(t *testing.T) {
	const draws, n, d, k = 4000, 23, 5, 2
	x, y := trial.Problem(n, d, k, 5)
	var s RidgeStats
	ok(t, s.Add(x, y))
	p := must(s.Posterior(.05))
	at, _ := trial.Problem(4, d, 1, 9)
	v := must(p.Variance(nil, at))
	rows := trial.MatOf(at)
	values := mat.NewDense(draws, 4*k, nil) // target by target
	for i := range draws {
		f := must(p.Draw(uint64(i)))
		for r := range 4 {
			for j := range k {
				values.Set(i, 4*j+r, f.B[j]+mat.Dot(rows.RowView(r), f.W.ColView(j)))
			}
		}
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, values, nil)
	// By L⁻¹: the test of Variance compares it with G.
	inverse := p.factor.Inverse()
	shared := func(a, b int) float64 {
		sum, d := 1/p.mass, len(p.mean)
		for i := range d {
			var za, zb float64
			for j := range d {
				za += inverse[i*d+j] * (rows.At(a, j) - p.mean[j])
				zb += inverse[i*d+j] * (rows.At(b, j) - p.mean[j])
			}
			sum += za * zb
		}
		return sum
	}
	for a := range 4 * k {
		j, r := a/4, a%4
		want := p.Noise[j] * v[r]
		mean := p.Fit.B[j] + mat.Dot(rows.RowView(r), p.Fit.W.ColView(j))
		if got := stat.Mean(mat.Col(nil, a, values), nil); math.Abs(got-mean) > 4*math.Sqrt(want/draws) {
			t.Errorf("target %d, row %d: the mean is %v, want %v", j, r, got, mean)
		}
		for b := range a + 1 {
			want, l := 0., b/4
			if l == j {
				want = p.Noise[j] * shared(r, b%4)
			}
			se := math.Sqrt((p.Noise[j]*v[r]*p.Noise[l]*v[b%4] + want*want) / draws)
			if got := cov.At(a, b); math.Abs(got-want) > 4*se {
				t.Errorf("the covariance of target %d, row %d, and target %d, row %d, is %v, want %v ± %v", j, r, l, b%4, got, want, se)
			}
		}
	}
	one, _ := p.Draw(7)
	again, _ := p.Draw(7)
	if !mat.Equal(one.W, again.W) || one.B[1] != again.B[1] {
		t.Error("one seed draws two functions")
	}
	p.Noise = make([]float64, k)
	if sure, err := p.Draw(1); err != nil || !mat.Equal(sure.W, p.Fit.W) || sure.B[0] != p.Fit.B[0] {
		t.Errorf("without noise a draw is not the mean (%v)", err)
	}
}

// TestVarianceResidual: with all rows as landmarks it is the variance of the exact Gaussian process, among the rows and
// far from them, where Variance is nearly 0.
func TestVarianceResidual(t *testing.T) {
	const n = 37
	x, y := trial.Problem(n, 3, 1, 5)
	kernel := spectral.Gaussian{Sigma: 2}
	m := must(layers.NewNystromLayer(layers.Nystrom{Kernel: kernel}, x, n, layers.WithSeed(1)))
	at, _ := trial.Problem(20, 3, 1, 7)
	for i := range 15 {
		at.Float64s()[i] += 1000
	}
	var s RidgeStats
	ok(t, s.AddRows(t.Context(), m, data.Pairs{X: x, Y: y}))
	p, z := must(s.Posterior(.1)), must(m.Transform(nil, at))
	v, plain := must(p.Variance(nil, z, slices.Repeat([]float64{1}, 20)...)), must(p.Variance(nil, z))
	gram := must(spectral.Gram(kernel, x, nil))
	cross := must(spectral.Gram(kernel, x, at))
	gp := newProcess(gram, p.Penalty)
	for i := range v {
		_, want := gp.at(mat.VecDenseCopyOf(y.ColView(0)), mat.VecDenseCopyOf(cross.ColView(i)), 1)
		if !near(v[i], want, 1e-6) { // of the eigenvalues that Nyström leaves out
			t.Errorf("row %d: the variance is %v, the process's %v", i, v[i], want)
		}
		norm := mat.Dot(trial.MatOf(z).RowView(i), trial.MatOf(z).RowView(i))
		if want := plain[i] + max(0, 1-norm)/p.Penalty; !near(v[i], want, 1e-13) {
			t.Errorf("row %d: the variance is %v, want %v", i, v[i], want)
		}
		if i < 5 && plain[i] > .7*v[i] {
			t.Errorf("far away, row %d: the variance is %v, with the residual %v", i, plain[i], v[i])
		}
	}
}

// gaussianProcess is y = f + b + noise on n rows, f of the covariance (σ²/ρ) ZZᵀ and b uniform, by its definition.
type gaussianProcess struct {
	rho  float64
	f    mat.Cholesky // of ZZᵀ + ρI
	c1   mat.VecDense // its solution for ones
	ones *mat.VecDense
	y    *mat.VecDense // the last targets, and their solution
	cy   mat.VecDense
}

func newProcess(gram *mat.Dense, rho float64) *gaussianProcess {
	n, _ := gram.Dims()
	p := &gaussianProcess{rho: rho, ones: mat.NewVecDense(n, nil)}
	c := mat.NewSymDense(n, nil)
	for i := range n {
		p.ones.SetVec(i, 1)
		for j := range i + 1 {
			c.SetSym(i, j, gram.At(i, j))
		}
		c.SetSym(i, i, gram.At(i, i)+rho)
	}
	if !p.f.Factorize(c) {
		panic("not positive definite")
	}
	_ = p.f.SolveVecTo(&p.c1, p.ones)
	return p
}

// at is the mean of y given the rows, and the variance in the unit of σ², for the covariances k with the rows and kxx
// with itself.
func (p *gaussianProcess) at(y, k *mat.VecDense, kxx float64) (mean, variance float64) {
	if p.y != y {
		p.y = y
		_ = p.f.SolveVecTo(&p.cy, y)
	}
	var ck mat.VecDense
	_ = p.f.SolveVecTo(&ck, k)
	s := mat.Dot(p.ones, &p.c1)
	b := mat.Dot(p.ones, &p.cy) / s
	left := 1 - mat.Dot(p.ones, &ck)
	mean = mat.Dot(k, &p.cy) + b*left
	return mean, (kxx - mat.Dot(k, &ck) + left*left/s) / p.rho
}

// logDensity is the log density of the differences of y for the noise σ²; ½ ln n belongs to the unit of b.
func (p *gaussianProcess) logDensity(y *mat.VecDense, noise float64) (log, q float64) {
	var cy mat.VecDense
	_ = p.f.SolveVecTo(&cy, y)
	n, s := float64(y.Len()), mat.Dot(p.ones, &p.c1)
	q = p.rho * (mat.Dot(y, &cy) - math.Pow(mat.Dot(p.ones, &cy), 2)/s)
	// |(σ²/ρ) C| and the sum of its inverse
	det := p.f.LogDet() + n*math.Log(noise/p.rho)
	return -.5 * (q/noise + det + math.Log(s*p.rho/noise/n) + (n-1)*math.Log(2*math.Pi)), q
}
