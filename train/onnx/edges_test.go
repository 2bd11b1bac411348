package onnx

import (
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
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
	of := func(rows ...[]float64) *tensor.Dense { return rowsOfText(rows) }
	fitted := of([]float64{1e6 + 1, 7, -3, 0}, []float64{1e6 + 4, 7, 5, 1}, []float64{1e6 + 2, 7, 1, 1})
	rows := of([]float64{1e6 + 3, 7, 0, 1}, []float64{1e6, 8, -40, 0}, []float64{0, 0, 0, 0}, []float64{1e6 + 9, 6, 1e3, 0},
		[]float64{1e25, 1e25, -1e25, 0}, []float64{1e-30, 0, 2e-30, 0})
	for _, scale := range []string{"none", "l1", "l2", "minmax", "cube", "standard", "auto", "robust", "quantile", "quantile-uniform", "cube,l1", "standard,l2", "cube,none,l2",
		"standard,l2|quantile|none"} {
		m := &train.Model{Scaler: must(data.ParseScalers(scale)), Spec: layers.Spec{Map: "linear"}}
		mustDo(m.Scaler.Fit(fitted))
		d := 4 * m.Scaler.Lists()
		m.Map, m.Head = must(layers.NewIdentity(d)), must(layers.NewLinearHead(d, 1))
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
	for _, name := range []string{"chi2", "hellinger", "exp-chi2", "skewed-chi2", "skewed-intersection"} {
		s := layers.Spec{Map: name, Dims: 2, Features: 8, Params: layers.Values{}}
		switch name {
		case "exp-chi2":
			s.Params["sigma"] = 1.
		case "skewed-chi2", "skewed-intersection":
			s.Params["c"] = .5
		default:
			s.Features = 0
		}
		l := must(s.Build())
		m := &train.Model{Scaler: must(data.ParseScalers("none")), Spec: s, Map: l, Head: must(layers.NewLinearHead(l.Features(), 1))}
		x := rowsOfText([][]float64{{-1, 2}})
		mustDo(m.Scaler.Fit(x))
		if _, err := m.Scores(x); err == nil {
			t.Fatalf("%s takes a negative number", name)
		}
		if v := evaluate(t, exported(t, m, Options{}), input(x, tensor.Float32))[Scores].v[0]; !math.IsNaN(v) {
			t.Errorf("%s: the score is %v", name, v)
		}
	}
}
