package layers_test

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// filled is the value that FillDefaults gives a parameter.
func filled(mapName, param string, x *tensor.Dense) (float64, error) {
	s := layers.Spec{Map: mapName}
	err := s.FillDefaults(x)
	return s.Params.Number(param), err
}

func meanOf(v []float64, f func(float64) float64) float64 {
	sum := 0.0
	for _, c := range v {
		sum += f(c)
	}
	return sum / float64(len(v))
}

// meanOverPairs is the mean over all pairs of rows of d cells of a sum over the cells.
func meanOverPairs(v []float64, d int, f func(a, b float64) float64) float64 {
	n, sum := len(v)/d, 0.0
	for i := range n {
		for j := range i {
			for k := range d {
				sum += f(v[i*d+k], v[j*d+k])
			}
		}
	}
	return sum / float64(n*(n-1)/2)
}

// TestDefaultsAreTheirFormulas: the values that the data give, against the definitions.
func TestDefaultsAreTheirFormulas(t *testing.T) {
	const n, d = 17, 5
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		x := histograms(dt, n, d, 1)
		v := floats(x)
		mean := meanOf(v, func(c float64) float64 { return c })
		sigma := math.Sqrt(d * meanOf(v, func(c float64) float64 { return (c - mean) * (c - mean) }) / 2)
		for _, tc := range []struct {
			mapName, param string
			want           float64
		}{
			{"gaussian", "sigma", sigma},
			{"matern", "ell", sigma},
			{"laplacian", "sigma", d * meanOf(v, func(c float64) float64 { return math.Abs(c - mean) })},
			{"exp-semigroup", "beta", 1 / (d * meanOf(v, func(c float64) float64 { return math.Sqrt(2 * c) }))},
			{"reciprocal-semigroup", "lambda", d * mean / 2},
			{"exp-intersection", "sigma", math.Sqrt(meanOverPairs(v, d,
				func(a, b float64) float64 { return math.Abs(a - b) })) / 2},
			{"exp-hellinger", "sigma", math.Sqrt(meanOverPairs(v, d, func(a, b float64) float64 {
				return math.Pow(math.Sqrt(a)-math.Sqrt(b), 2)
			})) / 2},
		} {
			if got, err := filled(tc.mapName, tc.param, x); math.Abs(got-tc.want) > 1e-12*tc.want || err != nil {
				t.Errorf("%v, %s: %s = %v, want %v; %v", dt, tc.mapName, tc.param, got, tc.want, err)
			}
		}
		for _, name := range []string{"skewed-chi2", "skewed-intersection"} {
			if e := typicalExponent(name, x); math.Abs(e-1) > 1e-10 {
				t.Errorf("%v, %s: a mean exponent of %v, want 1", dt, name, e)
			}
			// which takes negative data, with a c that is above them
			low := mapped(rows(dt, n, d, 1), func(v float64) float64 { return v - .75 })
			if e := typicalExponent(name, low); math.Abs(e-1) > 1e-10 {
				t.Errorf("%v, %s: a mean exponent of %v of negative data, want 1", dt, name, e)
			}
			if c := must(filled(name, "c", low)); !(c > -slices.Min(floats(low))) {
				t.Errorf("%v, %s: c = %v for data down to %v", dt, name, c, slices.Min(floats(low)))
			}
		}
	}
}

// typicalExponent is the mean of -ln k over pairs of rows, half the data apart, for the kernel with default parameters.
func typicalExponent(mapName string, x *tensor.Dense) float64 {
	s := layers.Spec{Map: mapName}
	must(s, s.FillDefaults(x))
	k := must(s.Kernel())
	n, d, v := x.Shape()[0], x.Shape()[1], floats(x)
	sum := 0.0
	for i := range n {
		j := (i + n/2) % n
		sum -= math.Log(k.At(v[i*d:(i+1)*d], v[j*d:(j+1)*d]))
	}
	return sum / float64(n)
}

// TestDefaultsFollowTheScale: a default has the unit of its parameter, from tiny data to huge ones.
func TestDefaultsFollowTheScale(t *testing.T) {
	x := histograms(tensor.Float64, 13, 3, 1)
	for _, e := range layers.Entries() {
		if e.Bags { // of samples in the unit cube, or τ, which has no unit
			continue
		}
		for _, p := range e.Params() {
			if p.Flag || p.Default != nil {
				continue
			}
			for _, s := range []float64{1e-15, 1e15} {
				want := s
				switch {
				case e.Name == "exp-semigroup":
					want = 1 / math.Sqrt(s)
				case strings.HasPrefix(e.Name, "exp-"): // D is √ of the unit of x
					want = math.Sqrt(s)
				}
				a, err := filled(e.Name, p.Name, x)
				b, err2 := filled(e.Name, p.Name, mapped(x, func(v float64) float64 { return s * v }))
				if math.Abs(b/a/want-1) > 1e-9 || err != nil || err2 != nil {
					t.Errorf("%s: %s = %v, and %v for data scaled by %v; %v %v", e.Name, p.Name, a, b, s, err, err2)
				}
			}
		}
	}
}

// TestGivenParametersAreKept: no data are looked at then, the caller's map of values is not written to, and what has a
// declared default gets it.
func TestGivenParametersAreKept(t *testing.T) {
	x := histograms(tensor.Float64, 7, 4, 1)
	for _, e := range layers.Entries() {
		given, want := layers.Values{}, layers.Values{}
		for _, p := range e.Params() {
			if p.Default == nil {
				given[p.Name], want[p.Name] = .3125, .3125
			} else {
				want[p.Name] = p.Default
			}
		}
		switch e.Name { // which have the parameters of their default kernels besides
		case "nystrom", "mean-map":
			given["sigma"], want["sigma"] = .3125, .3125
		case "hdd-js", "hdd-hellinger", "hdd-tv", "l2-density": // which have a rule by default
			given["bandwidth"], want["bandwidth"] = "0.25:0.5", "0.25:0.5"
			if e.Name == "hdd-js" { // for which lambdas=auto is 5
				want["lambdas"] = 5.
			}
		case "spectral-mixture":
			given["sigmas"], want["sigmas"] = "0.25:0.5", "0.25:0.5"
			given["means"], want["means"] = "0:1", "0:1"
		case "exp-semigroup", "reciprocal-semigroup":
			want["way"] = "laplace"
		case "exp-chi2", "exp-jensen-shannon": // for which order=auto is 1
			want["order"] = 1.
		case "add-kpca":
			want["gamma"], want["negative"] = 1., "error"
		}
		s := layers.Spec{Map: e.Name, Params: maps.Clone(given)}
		own := s.Params
		if err := s.FillDefaults(nil); err != nil || !reflect.DeepEqual(s.Params, want) {
			t.Errorf("%s: %v became %v, %v", e.Name, given, s.Params, err)
		}
		if !reflect.DeepEqual(own, given) {
			t.Errorf("%s: the caller's values %v became %v", e.Name, given, own)
		}
		before := layers.Spec{Map: e.Name}
		must(before, before.FillDefaults(x))
		again := before
		if err := again.FillDefaults(histograms(tensor.Float64, 11, 4, 2)); err != nil ||
			!reflect.DeepEqual(before, again) {
			t.Errorf("%s: filled in twice, %v became %v, %v", e.Name, before.Params, again.Params, err)
		}
	}
	s := layers.Spec{Map: "matern", Params: layers.Values{"nu": 2.5}}
	if err := s.FillDefaults(x); err != nil || s.Params.Number("nu") != 2.5 || s.Params["phase"] != false ||
		s.Params.Number("ell") == 0 {
		t.Errorf("nu=2.5 became %v, %v", s.Params, err)
	}
}

// TestBandwidths: by hand, for either element type, dense and sparse, at any scale; a result that is no number is an
// error.
func TestBandwidths(t *testing.T) {
	// mean 3, deviations -3 -2 -1 1 2 3, population variance 28/6, mean absolute deviation 2
	cells := []float64{0, 1, 2, 4, 5, 6}
	for name, c := range map[string]struct {
		of   func(x ops.Matrix) (float64, error)
		want float64
	}{"SqrtDVar": {layers.SqrtDVar, math.Sqrt(7)}, "DMeanAbsDev": {layers.DMeanAbsDev, 6}} {
		for _, scale := range []float64{1e-300, 1e-160, 1, 3, 1e160, 1e300} {
			x := mapped(dense(3, cells...), func(v float64) float64 { return scale * v })
			all := []ops.Matrix{x, must(ops.CSROf(x))}
			if scale == 1 {
				all = append(all, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{0, 1, 2, 4, 5, 6})))
			}
			for _, x := range all {
				if got, err := c.of(x); err != nil || math.Abs(got/scale/c.want-1) > 1e-15 {
					t.Errorf("%s of %v times %v is %v, %v", name, x, scale, got, err)
				}
			}
		}
		_, err := c.of(must(ops.CSROf(dense(2, 0, 0))))
		wantErr(t, name, err, layers.ErrDomain, "no spread", "")
	}
	_, err := layers.DMeanAbsDev(dense(2, math.MaxFloat64, -math.MaxFloat64))
	wantErr(t, "DMeanAbsDev", err, layers.ErrDomain, "overflows", "scale")
}

// TestDefaultErrors: data that give no default say which map, which cell, and what to do.
func TestDefaultErrors(t *testing.T) {
	good := rows(tensor.Float64, 7, 3, 1)
	all := func(v float64) *tensor.Dense { return mapped(good, func(float64) float64 { return v }) }
	with := func(i int, v float64) *tensor.Dense {
		x := rows(tensor.Float64, 2000, 3, 1)
		x.Float64s()[i] = v
		return x
	}
	real, histogram, skewed := []string{"gaussian", "laplacian", "matern"},
		[]string{"exp-semigroup", "reciprocal-semigroup"}, []string{"skewed-chi2", "skewed-intersection"}
	every := slices.Concat(real, histogram, skewed)
	const far = 1000 * 3 // row 1000 is in every sample, and is not the 1000th of it
	for _, tc := range []struct {
		what  string
		maps  []string
		x     *tensor.Dense
		is    error
		wants string
	}{
		{"constant", real, all(.5), layers.ErrDomain, "no spread"},
		{"constant", skewed, all(.5), layers.ErrParam, "hardly differ"},
		{"zero", histogram, all(0), layers.ErrParam, "by hand"},
		{"zero", skewed, all(0), layers.ErrParam, "by hand"},
		{"one row", skewed, dense(3, good.Float64s()[:3]...), layers.ErrParam, "by hand"},
		{"negative", histogram, with(far+1, -.25), layers.ErrDomain, "x[1000,1] = -0.25 is negative"},
		{"NaN", every, with(far+2, math.NaN()), layers.ErrDomain, "[1000,2] = NaN"},
		{"infinite", every, with(0, math.Inf(1)), layers.ErrDomain, "[0,0] = +Inf"},
		{"no matrix", every, nil, layers.ErrShape, ""},
		{"a vector", every, tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64)), layers.ErrShape, ""},
		{"no rows", every, tensor.New(tensor.WithShape(0, 3), tensor.Of(tensor.Float64)), layers.ErrShape, ""},
		{"integers", every, tensor.New(tensor.WithShape(7, 3), tensor.Of(tensor.Int)), layers.ErrDtype, "int"},
	} {
		for _, name := range tc.maps {
			s := layers.Spec{Map: name}
			err := s.FillDefaults(tc.x)
			wantErr(t, tc.what, err, tc.is, tc.wants, "map "+name)
			if len(s.Params) != 0 {
				t.Errorf("%s, %s: an error left %v", tc.what, name, s.Params)
			}
		}
	}
	// Constant histograms have a scale all the same, and the linear map needs nothing.
	for _, name := range append(histogram, "linear") {
		s := layers.Spec{Map: name}
		must(s, s.FillDefaults(all(.5)))
	}
}
