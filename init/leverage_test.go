package spectral

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// points are rows [n, d] of the domain of tk, times scale.
func (tk testKernel) points(n, d int, scale float64) *tensor.Dense {
	rng, v := testRand(tk.name), []float64(nil)
	for range n {
		v = append(v, tk.point(d, rng)...)
	}
	floats.Scale(scale, v)
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(v))
}

// TestLeverageGivesTheKernel: for every law the mean over draws is the kernel, with amplitudes that differ. The pairs of
// rows share the draws. 4 standard errors are at most .06; without the amplitudes every mean is further off.
func TestLeverageGivesTheKernel(t *testing.T) {
	const m, draws = 5, 1000
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, d := range []int{1, 3} {
			s, pairs, spread := Leverage{Rows: tk.points(23, d, 1)}, biasPairs(tk, d), 0.
			got := map[string][]float64{}
			for seed := range uint64(draws) {
				w, a, err := s.Frequencies(tk.kernel, d, m, seed)
				if err != nil {
					t.Fatal(err)
				}
				sums := map[string]float64{}
				for j, a := range a.Float64s() {
					if spread = max(spread, math.Abs(a-1)); a > math.Sqrt(1/leverageUniform)+1e-9 {
						t.Fatalf("amplitude %v", a)
					}
					for name, p := range pairs {
						sums[name] += a * a / m * term(tk.kernel, column(w.Float64s(), d, m, j), p[0], p[1])
					}
				}
				for name, sum := range sums {
					got[name] = append(got[name], sum)
				}
			}
			for name, p := range pairs {
				want := tk.kernel.At(p[0], p[1])
				if mean, se := meanStdErr(got[name]); math.Abs(mean-want) > 4*se {
					t.Errorf("d = %d, %s: mean %.5f, kernel %.5f, standard error %.5f", d, name, mean, want, se)
				}
			}
			if spread < .05 {
				t.Errorf("d = %d: all amplitudes are 1", d)
			}
		}
	})
}

// TestLeverages: the scores are those of the formula, written as in the paper, by the columns of features and an
// inverse.
func TestLeverages(t *testing.T) {
	const n, d, m = 11, 3, 7
	eachKernel(t, func(t *testing.T, tk testKernel) {
		x, err := checkedRows("test", tk.points(n, d, 1), tk.kernel.Domain())
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, d*m)
		if err := (IID{}).Sample(w, d, m, tk.kernel, Stream(3, tk.name)); err != nil {
			t.Fatal(err)
		}
		got, err := leverages(tk.kernel, x, w, m, testRand("rows"))
		if err != nil {
			t.Fatal(err)
		}
		z := mat.NewDense(n, 2*m, nil) // the cosines, or Laplace features, and the sines, or 0
		for i := range n {
			for j := range m {
				p := 0.
				for c, v := range x.row(i) {
					if s, ok := tk.kernel.(Shifter); ok && tk.kernel.Transform() == LogFourier {
						v = math.Log(v + s.Shift())
					}
					p += v * w[c*m+j]
				}
				if tk.kernel.Transform() == Laplace {
					z.Set(i, j, math.Exp(-p))
					continue
				}
				z.Set(i, j, math.Cos(p))
				z.Set(i, m+j, math.Sin(p))
			}
		}
		var covariance, inverse, hat mat.Dense
		covariance.Mul(z.T(), z)
		ridge, trace := mat.DenseCopyOf(&covariance), mat.Trace(&covariance)
		for j := range 2 * m {
			ridge.Set(j, j, ridge.At(j, j)+leverageLambda*trace)
		}
		if err := inverse.Inverse(ridge); err != nil {
			t.Fatal(err)
		}
		hat.Mul(&inverse, &covariance)
		for j, v := range got {
			if want := hat.At(j, j) + hat.At(m+j, m+j); !near(v, want, 1e-9) {
				t.Errorf("score %d is %v, want %v", j, v, want)
			}
		}
	})
}

// TestInclusion: probabilities add up to m, none is above 1 or 0, and those below 1 are in proportion to the weights;
// systematic draws m different numbers with these probabilities.
func TestInclusion(t *testing.T) {
	rng := rand.New(Stream(1, "inclusion"))
	for name, scores := range map[string][]float64{
		"equal": {2, 2, 2, 2, 2, 2, 2, 2}, "zero": make([]float64, 8), "steep": {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7},
		"two": {0, 0, 1, 0, 0, 0, 1, 0}, "tiny": {1e-300, 1e-300, 1e-310, 0, 0, 1e-300, 1e-300, 1e-300},
		"huge": {1e300, 1e300, 1, 0, 0, 1e300, 1e300, 1e300},
	} {
		const m, draws = 3, 20000
		p := inclusion(scores, m)
		if sum := floats.Sum(p); !near(sum, m, 1e-12) || floats.Max(p) > 1 || floats.Min(p) <= 0 {
			t.Errorf("%s: probabilities %v, sum %v", name, p, sum)
		}
		seen := make([]float64, len(p))
		for range draws {
			chosen := map[int]bool{}
			for _, i := range systematic(p, m, rng) {
				chosen[i] = true
				seen[i] += 1. / draws
			}
			if len(chosen) != m {
				t.Fatalf("%s: chose %v", name, chosen)
			}
		}
		for i, share := range seen {
			if se := math.Sqrt(p[i] * (1 - p[i]) / draws); math.Abs(share-p[i]) > 4*se+1e-9 {
				t.Errorf("%s: %d has a share of %v, want %v ± %v", name, i, share, p[i], se)
			}
		}
	}
}

// TestLeverageIsFixed: the same seed gives the same frequencies, of float32 rows and of a view too; another seed gives
// others. One row, one column and one frequency will do, and rows of zeros or of any scale.
func TestLeverageIsFixed(t *testing.T) {
	draw := func(k Random, x *tensor.Dense, m int, seed uint64) string {
		w, a, err := Leverage{x}.Frequencies(k, x.Shape()[1], m, seed)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%.6g %.6g", w.Float64s(), a.Float64s())
	}
	x := testKernels[0].points(29, 3, 1)
	want := draw(Gaussian{1}, x, 5, 7)
	view, err := x.Slice(tensor.S(0, 29), tensor.S(0, 3))
	if err != nil {
		t.Fatal(err)
	}
	if got := draw(Gaussian{1}, view.(*tensor.Dense), 5, 7); got != want {
		t.Errorf("of a view %s, want %s", got, want)
	}
	if draw(Gaussian{1}, x, 5, 8) == want {
		t.Error("another seed gives the same frequencies")
	}
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, scale := range []float64{1e-300, 1e-9, 1, 1e9} {
			draw(tk.kernel, tk.points(1, 1, scale), 1, 1)
			draw(tk.kernel, tk.points(7, 2, scale), 3, 1)
		}
	})
	draw(ExpSemigroup{1}, tensor.New(tensor.WithShape(3, 2), tensor.Of(tensor.Float32)), 2, 1)
}

func TestLeverageErrors(t *testing.T) {
	x := testKernels[0].points(7, 3, 1)
	for _, c := range []struct {
		s    Leverage
		k    Random
		d, m int
		is   error
		says string
	}{
		{Leverage{}, Gaussian{1}, 3, 2, ErrSampler, "layers.Spec.Fit"},
		{Leverage{x}, Gaussian{}, 3, 2, ErrParam, "Sigma = 0"},
		{Leverage{x}, nil, 3, 2, ErrParam, "nil"},
		{Leverage{x}, Gaussian{1}, 3, 0, ErrParam, "0 frequencies"},
		{Leverage{x}, Gaussian{1}, 3, math.MaxInt / 2, ErrParam, ""},
		{Leverage{x}, Gaussian{1}, 4, 2, ErrShape, "want [n, 4]"},
		{Leverage{tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64))}, Gaussian{1}, 3, 2, ErrShape, "(0, 3)"},
		{Leverage{x}, ExpSemigroup{1}, 3, 2, ErrDomain, "negative"},
		{Leverage{testKernels[0].points(7, 3, 1e308)}, Gaussian{1e-9}, 3, 2, ErrDomain, "not finite"},
	} {
		_, _, err := c.s.Frequencies(c.k, c.d, c.m, 1)
		wantErr(t, err, c.is, c.says)
	}
}
