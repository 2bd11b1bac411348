package spectral

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// promises are the mean squared errors of the Gaussian in 8 dimensions relative to IID with as many frequencies, at .5, 1 and 2
// bandwidths: the table in the documentation of the package. The third is the ratio that must not be exceeded.
var promises = []struct {
	s        Sampler
	m        int
	diagonal bool
	ratio    [3]float64
	most     [3]float64
}{
	{Orthogonal{}, 8, true, [3]float64{.27, .24, .64}, [3]float64{.30, .27, .68}},
	{Coupled{}, 8, true, [3]float64{.18, .14, .60}, [3]float64{.21, .17, .64}},
	{Antithetic{}, 8, true, [3]float64{.94, .95, .98}, [3]float64{1, 1, 1.05}},
	{Antithetic{}, 8, false, [3]float64{.51, .36, .10}, [3]float64{.55, .4, .12}},
	{Halton{}, 8, true, [3]float64{.93, .93, .97}, [3]float64{1, 1, 1.05}},
	{Sobol{}, 8, true, [3]float64{1.11, 1.12, 1.12}, [3]float64{1.2, 1.2, 1.2}},
	{Halton{}, 64, true, [3]float64{.36, .39, .79}, [3]float64{.45, .5, .9}},
	{Sobol{}, 64, true, [3]float64{.28, .32, .79}, [3]float64{.35, .4, .9}},
	{Halton{}, 1024, true, [3]float64{.032, .075, .52}, [3]float64{.05, .1, .65}},
	{Sobol{}, 1024, true, [3]float64{.010, .044, .41}, [3]float64{.02, .06, .55}},
	{Orthogonal{}, 8, false, [3]float64{.27, .24, .64}, [3]float64{.30, .27, .68}},
	{Coupled{}, 8, false, [3]float64{.18, .14, .60}, [3]float64{.21, .17, .64}},
	{Halton{}, 8, false, [3]float64{.31, .18, .14}, [3]float64{.37, .22, .17}},
	{Sobol{}, 8, false, [3]float64{.31, .19, .14}, [3]float64{.37, .22, .17}},
	{Halton{}, 64, false, [3]float64{.034, .005, .014}, [3]float64{.05, .008, .02}},
	{Sobol{}, 64, false, [3]float64{.034, .005, .014}, [3]float64{.05, .008, .02}},
	{Halton{}, 1024, false, [3]float64{.0015, .0002, .0005}, [3]float64{.003, .001, .001}},
	{Sobol{}, 1024, false, [3]float64{.0013, .0001, .0005}, [3]float64{.003, .001, .001}},
}

func TestSamplerPromises(t *testing.T) {
	const d = 8
	k, z := Gaussian{1}, make([]float64, d)
	for _, c := range promises {
		draws := map[int]int{8: 8000, 64: 1200, 1024: 150}[c.m]
		distances := []float64{.5, 1, 2}
		var x [][]float64
		for _, r := range distances {
			if c.diagonal {
				x = append(x, slices.Repeat([]float64{r / math.Sqrt(d)}, d))
			} else {
				x = append(x, axis(d, 0, r))
			}
		}
		for i, got := range estimates(t, c.s, k, x, z, c.m, draws, Stream(6, fmt.Sprint(c.s, c.m))) {
			where := fmt.Sprintf("%v, m = %d, diagonal %v, distance %v", c.s, c.m, c.diagonal, distances[i])
			iid, err := IID{}.Variance(k, x[i], z, c.m)
			if err != nil {
				t.Fatal(err)
			}
			mse, se := squaredErrors(got, k.At(x[i], z))
			ratio, se := mse/iid, se/iid
			if math.Abs(ratio-c.ratio[i]) > 4*se+.005*math.Sqrt(c.ratio[i]) { // what the table is rounded to
				t.Errorf("%s: ratio %.4f ± %.4f, stated is %v", where, ratio, se, c.ratio[i])
			}
			if ratio > c.most[i] {
				t.Errorf("%s: ratio %.4f ± %.4f, at most %v wanted", where, ratio, se, c.most[i])
			}
			if v, ok := c.s.(Predictor); ok {
				exact, err := v.Variance(k, x[i], z, c.m)
				if err != nil || exact/iid > c.most[i] || math.Abs(exact/iid-c.ratio[i]) > .0051 {
					t.Errorf("%s: predicted ratio %.4f (%v), stated is %v", where, exact/iid, err, c.ratio[i])
				}
			}
		}
	}
}

// skewed is a Fourier law that is not symmetric: exponential coordinates, k = E cos(w·δ).
type skewed struct{ Gaussian }

func (skewed) Draw()                      {}
func (skewed) NormQuantile()              {}
func (skewed) Quantile(p float64) float64 { return -math.Log1p(-p) }
func (skewed) At(x, z []float64) float64 { // the real part of Π 1/(1-iδ)
	v := complex(1, 0)
	for i := range x {
		v /= complex(1, z[i]-x[i])
	}
	return real(v)
}

// TestAntitheticAsymmetricLaw: it keeps its signs, gives its kernel, and has no formula.
func TestAntitheticAsymmetricLaw(t *testing.T) {
	x, z := []float64{.3, 1.2}, []float64{0, .1}
	k := skewed{Gaussian{1}}
	mean, se := meanStdErr(estimates(t, Antithetic{}, k, [][]float64{x}, z, 7, 3000, Stream(1, "skewed"))[0])
	if want := k.At(x, z); math.Abs(mean-want) > 4*se {
		t.Errorf("mean %v ± %v, kernel %v", mean, se, want)
	}
	_, err := Antithetic{}.Variance(k, x, z, 7)
	wantErr(t, err, ErrParam, "antithetic", "not symmetric")
}

// laplaceRadial claims what no law can be.
type laplaceRadial struct{ Gaussian }

func (laplaceRadial) Transform() Transform { return Laplace }

func TestPredictorErrors(t *testing.T) {
	x := []float64{.1, .2}
	for _, s := range Samplers() {
		v, ok := s.(Predictor)
		if !ok {
			continue
		}
		_, err := v.Variance(Gaussian{}, x, x, 3)
		wantErr(t, err, ErrParam, "Sigma = 0")
		_, err = v.Variance(Gaussian{1}, x, x, 0)
		wantErr(t, err, ErrParam, "0 frequencies")
		_, err = v.Variance(Gaussian{1}, nil, nil, 3)
		wantErr(t, err, ErrParam, "0 dimensions")
		if got, err := v.Variance(Gaussian{1}, x, x, 3); got > 1e-15 || err != nil {
			t.Errorf("%v at equal rows: %v, %v", s, got, err)
		}
	}
	for _, s := range []Predictor{Orthogonal{}, Coupled{}} {
		_, err := s.Variance(Laplacian{1}, x, x, 3)
		wantErr(t, err, ErrSampler, s.String(), "Laplacian")
		_, err = s.Variance(laplaceRadial{Gaussian{1}}, x, x, 3)
		wantErr(t, err, ErrParam, s.String(), "Laplace transform")
	}
	_, err := Antithetic{}.Variance(Matern{1, 1}, x, x, 3)
	wantErr(t, err, ErrSampler, "antithetic", "Matern")
}

// TestPredictorsAtExtremes: near, far, and beyond the range of squares.
func TestPredictorsAtExtremes(t *testing.T) {
	eachKernel(t, func(t *testing.T, tk testKernel) {
		for _, s := range Samplers() {
			v, ok := s.(Predictor)
			if !ok || !fits(s, tk.kernel) {
				continue
			}
			for _, scale := range []float64{1e-300, 1e-9, 1e9, 1e300} {
				x, z := []float64{scale, scale, tk.unit}, []float64{scale / 2, tk.unit, 1.5 * tk.unit}
				if got, err := v.Variance(tk.kernel, x, z, 5); err != nil || !(got >= 0 && got < 1) {
					t.Errorf("%v, rows at %v: %v, %v", s, scale, got, err)
				}
			}
		}
	})
	v, err := Antithetic{}.Variance(Laplacian{1}, axis(3, 0, 3), make([]float64, 3), 2) // stated with Antithetic
	if iid, _ := (IID{}).Variance(Laplacian{1}, axis(3, 0, 3), make([]float64, 3), 2); err != nil || math.Abs(v/iid-1.29) > .005 {
		t.Errorf("Laplacian at three bandwidths: %v of IID, %v", v/iid, err)
	}
}
