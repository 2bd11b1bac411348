package onnx

import (
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// TestEdges: rows of zeros, of one number, and of large and small ones, wherever the map takes them, each by itself.
func TestEdges(t *testing.T) {
	seen := 0
	for _, s := range savedModels(t) {
		d := s.m.Dims()
		var rows [][]float64
		for _, size := range []float64{0, 1e-6, 1, 100, -1, -1e-6} {
			one, all := make([]float64, d), make([]float64, d)
			one[d/2] = size
			for j := range all {
				all[j] = size * float64(1+j%3)
			}
			rows = append(rows, one, all)
		}
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			f := exported(t, s.m, Options{Dtype: dt, Features: true})
			for _, row := range rows {
				x := rowsOfText([][]float64{row})
				z, err := s.m.Features(x)
				if err != nil {
					continue // outside the domain of the map
				}
				seen++
				known := evaluate(t, f, input(x, dt))
				t.Run(fmt.Sprint(s.name, "/", dt, row), func(t *testing.T) {
					near(t, s, Features, dt, f, known, ops.Float64s(z))
					near(t, s, Scores, dt, f, known, must(s.m.Scores(x)).RawMatrix().Data)
				})
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d rows are compared, want more", seen)
	}
}

// TestScalers: each scaler, with a constant column, rows of zeros, rows beyond the range, and numbers whose squares
// float32 cannot hold.
func TestScalers(t *testing.T) {
	fitted := rowsOfText([][]float64{{1e6 + 1, 7, -3, 0}, {1e6 + 4, 7, 5, 1}, {1e6 + 2, 7, 1, 1}})
	rows := rowsOfText([][]float64{{1e6 + 3, 7, 0, 1}, {1e6, 8, -40, 0}, {0, 0, 0, 0}, {1e6 + 9, 6, 1e3, 0},
		{1e25, 1e25, -1e25, 0}, {1e-30, 0, 2e-30, 0}})
	for _, scale := range []string{"none", "l1", "l2", "minmax", "cube", "standard", "auto", "robust", "quantile", "quantile-uniform", "cube,l1", "standard,l2", "cube,none,l2",
		"standard,l2|quantile|none"} {
		d := 4 * must(data.ParseScalers(scale)).Lists()
		m := withHead(must(layers.NewIdentity(d)), scale, fitted)
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			got := evaluate(t, exported(t, m, Options{Dtype: dt, Features: true}), input(rows, dt))[Features]
			want := ops.Float64s(must(m.Features(rows)))
			unit := 1e-15
			if dt == tensor.Float32 {
				unit = 1e-7
			}
			for i, w := range want {
				if v := got.v[i]; !(math.Abs(v-w) <= 8*unit*max(math.Abs(w), math.SmallestNonzeroFloat32)) {
					t.Errorf("%s, %v: row %d, column %d is %v, want %v", scale, dt, i/d, i%d, v, w)
				}
			}
		}
	}
}

// TestOutside: where Go refuses a row because of a logarithm or a root, the graph gives NaN.
func TestOutside(t *testing.T) {
	x := rowsOfText([][]float64{{-1, 2}})
	for _, s := range []layers.Spec{
		{Map: "chi2"}, {Map: "hellinger"}, {Map: "exp-chi2", Features: 8, Params: layers.Values{"sigma": 1.}},
		{Map: "skewed-chi2", Features: 8, Params: layers.Values{"c": .5}},
		{Map: "skewed-intersection", Features: 8, Params: layers.Values{"c": .5}},
	} {
		s.Dims = 2
		m := withHead(must(s.Build()), "none", x)
		if _, err := m.Scores(x); err == nil {
			t.Fatalf("%s takes a negative number", s.Map)
		}
		if v := evaluate(t, exported(t, m, Options{}), input(x, tensor.Float32))[Scores].v[0]; !math.IsNaN(v) {
			t.Errorf("%s: the score is %v", s.Map, v)
		}
	}
}
