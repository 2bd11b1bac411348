package layers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/report"
	gonum "gonum.org/v1/gonum/floats"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// dense returns rows of d columns.
func dense(d int, cells ...float64) *tensor.Dense {
	if len(cells) == 0 {
		return tensor.New(tensor.WithShape(0, d), tensor.Of(tensor.Float64))
	}
	return tensor.New(tensor.WithShape(len(cells)/d, d), tensor.WithBacking(cells))
}

// matrix makes a tensor of rows.
func matrix(rows ...[]float64) *tensor.Dense {
	var cells []float64
	for _, r := range rows {
		cells = append(cells, r...)
	}
	return dense(len(rows[0]), cells...)
}

// zeros are n rows of d zeros.
func zeros(n, d int) *tensor.Dense { return dense(d, make([]float64, n*d)...) }

// rows are uniform in [0, 1).
func rows(dt tensor.Dtype, n, d int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := tensor.New(tensor.WithShape(n, d), tensor.Of(dt))
	for i := range n * d {
		if dt == tensor.Float32 {
			t.Float32s()[i] = rng.Float32()
		} else {
			t.Float64s()[i] = rng.Float64()
		}
	}
	return t
}

// mapped is a copy of x with f applied to every entry.
func mapped(x *tensor.Dense, f func(float64) float64) *tensor.Dense {
	y := x.Clone().(*tensor.Dense)
	for i, v := range floats(x) {
		if y.Dtype() == tensor.Float32 {
			y.Float32s()[i] = float32(f(v))
		} else {
			y.Float64s()[i] = f(v)
		}
	}
	return y
}

// histograms are rows in [0, 0.7), three tenths of them zeros, so that their entries differ by any factor.
func histograms(dt tensor.Dtype, n, d int, seed uint64) *tensor.Dense {
	return mapped(rows(dt, n, d, seed), func(v float64) float64 { return math.Max(v-.3, 0) })
}

// sparseHistograms are ℓ1-normalised rows of which a third is 0 and the rest spans some orders of magnitude.
func sparseHistograms(n, d int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	x := zeros(n, d)
	for i := range n {
		row, sum := x.Float64s()[i*d:i*d+d], 0.0
		for j := range row {
			if rng.Float64() < .65 {
				row[j] = math.Pow(rng.ExpFloat64(), 2)
				sum += row[j]
			}
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return x
}

// unitRows are rows of unit length, not negative.
func unitRows(n, d int) *tensor.Dense {
	return maptest.Inside(domain.UnitSphere(0), rows(tensor.Float64, n, d, 1))
}

// floats are the numbers of a scalar or of a contiguous tensor, as float64.
func floats(v G.Value) []float64 {
	switch d := v.(type) {
	case *G.F64:
		return []float64{float64(*d)}
	case *G.F32:
		return []float64{float64(*d)}
	}
	return ops.Float64s(v.(*tensor.Dense))
}

// features are those of rows, which must be there.
func features(m layers.Map, x *tensor.Dense) []float64 { return floats(must(m.Transform(nil, x))) }

// inner is the inner product of rows i and j of z.
func inner(z *tensor.Dense, i, j int) float64 {
	d, v := z.Shape()[1], z.Float64s()
	return gonum.Dot(v[i*d:(i+1)*d], v[j*d:(j+1)*d])
}

func maxDiff(a, b []float64) float64 {
	worst := 0.0
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		worst = math.Max(worst, math.Abs(a[i]-b[i])) // NaN stays
	}
	return worst
}

// near wants numbers within a tolerance.
func near(t *testing.T, what any, got, want []float64, tol float64) {
	t.Helper()
	if d := maxDiff(got, want); !(d <= tol) {
		t.Errorf("%v: differs by %v, want at most %v", what, d, tol)
	}
}

// wantErr wants an error that wraps another and says what it should.
func wantErr(t *testing.T, what any, err, is error, says ...string) {
	t.Helper()
	for _, s := range append(says, "") {
		if !errors.Is(err, is) || !strings.Contains(fmt.Sprint(err), s) {
			t.Errorf("%v: %v, want %v with %q", what, err, is, s)
		}
	}
}

// gramError is the error of a map's inner products on rows x.
func gramError(k spectral.Kernel, m layers.Map, x *tensor.Dense) report.GramError {
	return must(report.Compare(must(spectral.Gram(k, x, nil)), must(report.ApproxGram(m, x))))
}

// values are copies of the parameters of a layer.
func values(l layers.Layer) map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for _, p := range l.Params() {
		all[p.Name] = p.Value.Clone().(*tensor.Dense)
	}
	return all
}

// node is a node of a graph that holds x, and input one that is called x.
func node(g *G.ExprGraph, name string, x *tensor.Dense) *G.Node {
	return G.NewMatrix(g, x.Dtype(), G.WithShape(x.Shape()...), G.WithName(name), G.WithValue(x))
}

func input(g *G.ExprGraph, x *tensor.Dense) *G.Node { return node(g, "x", x) }

// run evaluates a node and returns its value, read before later ops may overwrite it.
func run(t *testing.T, n *G.Node, opts ...G.VMOpt) []float64 {
	t.Helper()
	var v G.Value
	G.Read(n, &v)
	m := G.NewTapeMachine(n.Graph(), opts...)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return append([]float64(nil), floats(v)...) // a later run writes to the same memory
}

// inGraph are the features of a graph.
func inGraph(t *testing.T, l layers.Layer, x *tensor.Dense) []float64 {
	t.Helper()
	r := l.Fwd(input(G.NewGraph(), x))
	return run(t, must(r.Node(), r.Err()))
}

// wrapped is a layer around another.
type wrapped struct{ layers.Layer }

func (w wrapped) Unwrap() layers.Layer { return w.Layer }

var (
	unitGaussian = spectral.Gaussian{Sigma: 1}
	twoGaussians = spectral.DeltaGaussian{Sigmas: []float64{1, 2}, Weights: []float64{1, -1}}
)

// fourier is a FourierLayer of a Gaussian kernel.
func fourier(d, features int, opts ...layers.Option) *layers.RandomLayer {
	return must(layers.NewFourierLayer(unitGaussian, d, features, opts...))
}
