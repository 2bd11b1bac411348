package layers_test

import (
	"math"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// nystromKernels are kernels of every kind: radial, of At and Gradient, of At alone, and one whose matrix has a low
// rank.
var nystromKernels = []spectral.Kernel{
	spectral.Gaussian{Sigma: .5}, spectral.Laplacian{Sigma: 1}, spectral.ExpSemigroup{Beta: 1}, spectral.Linear{},
	spectral.Chi2{}, spectral.Exponentiated{Of: spectral.JensenShannon{}, Sigma: .4}, spectral.TruncatedL1{Rho: 4.9},
}

// landmarkChoices are all ways to choose landmarks.
var landmarkChoices = []layers.LandmarkChoice{layers.UniformLandmarks, layers.CholeskyLandmarks}

// TestNystromConverges: the error falls as landmarks are added, whichever way they are chosen, and is 0 to 1e-8 of the
// largest entry with all rows as landmarks; in float32 to 2e-6, for a matrix of bad condition too.
func TestNystromConverges(t *testing.T) {
	x, single := histograms(tensor.Float64, 61, 7, 1), histograms(tensor.Float32, 61, 7, 1)
	for _, k := range nystromKernels {
		for _, choice := range landmarkChoices {
			of := func(x *tensor.Dense, m, seed int) float64 {
				l := must(layers.NewNystromLayer(layers.Nystrom{Kernel: k, Select: choice}, x, m,
					layers.WithSeed(uint64(seed)), layers.WithDtype(x.Dtype())))
				return gramError(k, l, x).RelativeFrobenius
			}
			last := math.Inf(1)
			for _, m := range []int{3, 11, 31} {
				mean := 0.
				for seed := range 8 {
					mean += of(x, m, seed) / 8
				}
				if !(mean < last || mean < 1e-8) {
					t.Errorf("%T, %v: %d landmarks have an error of %v, fewer %v", k, choice, m, mean, last)
				}
				last = mean
			}
			if double, single := of(x, 61, 0), of(single, 61, 0); double > 1e-8 || single > 2e-6 {
				t.Errorf("%T, %v: all rows are landmarks, and the errors are %v and %v", k, choice, double, single)
			}
		}
	}
}

// TestNystromFarOut: data far from 0 lose no digits by the product that distances are taken from. Of 1e8 and more
// float64 keeps 1e-8.
func TestNystromFarOut(t *testing.T) {
	all := mapped(rows(tensor.Float64, 41, 5, 1), func(v float64) float64 { return v + 1e8 })
	one := rows(tensor.Float64, 41, 5, 2)
	for j := range 5 {
		one.Float64s()[j] += 1e8 // a row that no mean can help
	}
	for what, x := range map[string]*tensor.Dense{"all rows": all, "a row": one} {
		k := spectral.Gaussian{Sigma: .5}
		if e := gramError(k, must(layers.NewNystromLayer(layers.Nystrom{Kernel: k}, x, 41)), x).Max; e > 1e-10 {
			t.Errorf("%s far out: error %v", what, e)
		}
	}
}

// TestNystromOfFewerFeatures: with more landmarks than features the features are the leading ones of the larger matrix,
// so the error on the landmarks is what the best matrix of that rank leaves, the other eigenvalues, and less than with
// fewer landmarks.
func TestNystromOfFewerFeatures(t *testing.T) {
	x, k := histograms(tensor.Float64, 61, 5, 1), spectral.Gaussian{Sigma: .3}
	of := func(landmarks, features int) layers.Layer {
		return must(layers.NewNystromLayer(layers.Nystrom{Kernel: k, Landmarks: landmarks}, x, features))
	}
	few := of(61, 7)
	z, zFew := features(of(61, 61), x), features(few, x)
	rest := 0.
	for i := range 61 {
		for j := range 61 {
			if j < 7 && math.Abs(z[i*61+j]-zFew[i*7+j]) > 1e-12 {
				t.Fatalf("feature %d of row %d is %v, with all features %v", j, i, zFew[i*7+j], z[i*61+j])
			}
		}
	}
	for j := 7; j < 61; j++ { // Σ_i z_ij² is the eigenvalue
		value := 0.
		for i := range 61 {
			value += z[i*61+j] * z[i*61+j]
		}
		rest += value * value
	}
	if got := gramError(k, few, x).RMS * 61; math.Abs(got-math.Sqrt(rest)) > 1e-10 {
		t.Errorf("the error is %v, the other eigenvalues are %v", got, math.Sqrt(rest))
	}
	if a, b := gramError(k, few, x).RMS, gramError(k, of(7, 7), x).RMS; !(a < b) {
		t.Errorf("61 landmarks have an error of %v, 7 of %v", a, b)
	}
}

// TestNystromOfRepeatedRows: eigenvalues of 0 have features of 0, and the other features give the kernel exactly.
func TestNystromOfRepeatedRows(t *testing.T) {
	x := dense(2, .1, .9, .1, .9, .4, .6, .1, .9, .4, .6)
	for _, choice := range landmarkChoices {
		k := spectral.Gaussian{Sigma: .3}
		l := must(layers.NewNystromLayer(layers.Nystrom{Kernel: k, Select: choice}, x, 4, layers.WithSeed(3)))
		if l.Rank() != 2 || !strings.Contains(l.String(), "rank 2") {
			t.Errorf("%v has rank %d, want 2", l, l.Rank())
		}
		for i, z := range must(l.Transform(nil, x)).Float64s() {
			if i%4 >= 2 && z != 0 {
				t.Errorf("%v: feature %d is %v", l, i, z)
			}
		}
		if e := gramError(k, l, x).Max; e > 1e-12 {
			t.Errorf("%v: error %v", l, e)
		}
	}
	// Two landmarks by Cholesky are never the same row again, of uniform ones they can be.
	for seed := range uint64(20) {
		l := must(layers.NewNystromLayer(layers.Nystrom{Kernel: spectral.Gaussian{Sigma: .3},
			Select: layers.CholeskyLandmarks}, x, 2, layers.WithSeed(seed)))
		if l.Rank() != 2 {
			t.Errorf("seed %d: the same row was chosen twice", seed)
		}
	}
}

// TestFittedSpecs: Build names Fit; Fit takes sparse rows as it takes dense ones, and a bounded sample of many, by the
// seed, which SpecOf keeps; the kernel that is named brings its own parameters, and no others.
func TestFittedSpecs(t *testing.T) {
	s := layers.Spec{Map: "nystrom", Params: layers.Values{"kernel": "chi2", "gamma": .5, "landmarks": 17.}, Dims: 3,
		Features: 11, Seed: 5}
	_, err := s.Build()
	wantErr(t, "Build", err, layers.ErrParam, "use Spec.Fit")
	var none *tensor.Dense
	for _, x := range []ops.Matrix{nil, none, histograms(tensor.Float64, 29, 4, 1)} {
		_, err := s.Fit(x)
		wantErr(t, x, err, layers.ErrShape, "rows [n, 3]")
	}
	x := histograms(tensor.Float64, 29, 3, 1)
	l := must(s.Fit(x))
	if k := l.(*layers.NystromLayer); k.Kernel() != (spectral.Chi2{Gamma: .5}) || k.Landmarks() != 17 {
		t.Errorf("the spec %+v has made %v", s, l)
	}
	near(t, "sparse rows", features(must(s.Fit(must(ops.CSROf(x)))), x), features(l, x), 0)
	many := histograms(tensor.Float64, layers.SampleRows+7, 3, 2)
	near(t, "a sample of sparse rows", features(must(s.Fit(must(ops.CSROf(many)))), x), features(must(s.Fit(many)), x), 0)
	table := layers.Spec{Map: "add-kpca", Params: layers.Values{"kernel": "chi2", "points": 4.}, Dims: 3, Seed: 5}
	of := must(table.Fit(many))
	near(t, "the seed of SpecOf", features(must(must(layers.SpecOf(of)).Fit(many)), x), features(of, x), 0)
	if table.Seed = 6; maxDiff(features(must(table.Fit(many)), x), features(of, x)) == 0 {
		t.Error("another seed has the same sample")
	}
	if v, err := layers.ParseValues("nystrom", "sigma=2,kernel=laplacian"); err != nil || v.Number("sigma") != 2 {
		t.Errorf("a parameter before its kernel: %v, %v", v, err)
	}
}
