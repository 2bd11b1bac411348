package ops_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestExtremeShapes: no rows (without a graph; Gorgonia has none), one row, one column and one frequency.
func TestExtremeShapes(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		for _, c := range [][3]int{{0, 3, 5}, {1, 3, 5}, {7, 1, 5}, {7, 3, 1}, {1, 1, 1}, {0, 1, 1}} {
			n, d, m := c[0], v.dims(c[1]), c[2]
			l := v.build(t, d, m, 1, tuned(p))
			x := v.rows(n, d, 1)
			z, err := l.Transform(nil, x)
			if err != nil {
				t.Fatalf("%v of %v: %v", l, x.Shape(), err)
			}
			cols, err := v.spec(d, m, 1).Columns()
			if err != nil {
				t.Fatal(err)
			}
			if !z.Shape().Eq(tensor.Shape{n, cols}) {
				t.Errorf("%v: features of %v are %v", l, x.Shape(), z.Shape())
			}
			if n == 0 {
				continue
			}
			in := G.NewMatrix(G.NewGraph(), tensor.Float64, G.WithShape(n, d), G.WithName("x"), G.WithValue(x))
			if got := run(t, l.Fwd(in)); largestDifference(got, floats(z)) > 1e-13 {
				t.Errorf("%v of %v: the graph differs from Transform", l, x.Shape())
			}
		}
	})
}

// run evaluates a result on a TapeMachine.
func run(t *testing.T, r G.Result) []float64 {
	t.Helper()
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	m := G.NewTapeMachine(r.Node().Graph())
	defer m.Close()
	if err := m.RunAll(); err != nil {
		t.Fatal(err)
	}
	return floats(r.Node().Value().(*tensor.Dense))
}

// TestMagnitudes: from the smallest to the largest numbers a feature is a number of the right size, or the row is an error that
// says so; never NaN, and never a zero that should be none.
func TestMagnitudes(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
			const m = 7
			d := v.dims(3)
			l := v.build(t, d, m, 1, tuned(p), dtype(dt))
			if v.onSphere() {
				return // where no row is far from another
			}
			for _, u := range []float64{0, 5e-324, 1e-300, 1e-40, 1e-12, 1e12, 1e30, 3e38, 1e300, math.MaxFloat64} {
				if dt == tensor.Float32 && u > math.MaxFloat32 {
					continue
				}
				x := matrix(dt, 2, d, u, u, u, u, 0, 0)
				z, err := l.Transform(nil, x)
				if err != nil {
					if !errors.Is(err, layers.ErrDomain) || u < 1e30 {
						t.Errorf("%v of %v: %v", l, u, err)
					}
					continue
				}
				if v.way() != "" {
					v.checkLength(t, fmt.Sprintf("%v of %v", l, u), floats(x), floats(z))
					continue
				}
				switch v.form {
				case copied, unit, tangent:
				case signed:
					mass := l.(*layers.GORFLayer).Split().Mass()
					for i := range 2 {
						if z := row(floats(z), 2, i); !(math.Abs(dot(z, z)-mass) <= 1e-5*mass) {
							t.Errorf("%v of %v: the squared length of row %d is %v, want %v", l, u, i, dot(z, z), mass)
						}
					}
				case fitted:
					for i, c := range floats(z) {
						if c-c != 0 {
							t.Errorf("%v of %v: feature %d is %v", l, u, i, c)
						}
					}
				case series:
					v.checkSeriesSize(t, fmt.Sprintf("%v of %v", l, u), cell(x, 0, 0), floats(z), d)
				default:
					checkSize(t, fmt.Sprintf("%v of %v", l, u), v.form, floats(z), m)
				}
			}
		})
	}
}

// checkSeriesSize: the numbers of a coordinate u have together the length √(κ̂₀ + 2Σκ̂)·u^{γ/2}, about one times that, and are zeros of 0;
// the second row is u, 0, 0, ...
func (v variant) checkSeriesSize(t *testing.T, where string, u float64, z []float64, d int) {
	t.Helper()
	per := len(z) / 2 / d
	size := math.Pow(math.Sqrt(u), v.kernel.(spectral.Homogeneous).Degree()) // package math has no power of a denormal number
	for at := 0; at < len(z); at += per {
		length := 0.0
		for _, c := range z[at : at+per] {
			length = math.Hypot(length, c)
		}
		if zero := at/per > d; zero && length != 0 || !zero && !(math.Abs(length-size) <= .6*size+1e-323) {
			t.Errorf("%s: coordinate %d has numbers of length %v", where, at/per, length)
		}
	}
}

// checkLength: a row of features has the length √k(x, x), also where k underflows.
func (v variant) checkLength(t *testing.T, where string, x, z []float64) {
	t.Helper()
	for i := range 2 {
		want, got := v.length(row(x, 2, i)), 0.0
		for _, c := range row(z, 2, i) {
			got = math.Hypot(got, c)
		}
		if !(math.Abs(got-want) <= 2e-5*want+1e-38) {
			t.Errorf("%s: row %d has the length %v, want %v", where, i, got, want)
		}
	}
}

// checkSize: a pair lies on the circle of radius 1/√m, a Laplace feature in [0, 1/√m], a cosine with phase in ±√(2/m).
func checkSize(t *testing.T, where string, f form, z []float64, m int) {
	t.Helper()
	root := math.Sqrt(float64(m))
	for i, u := range z {
		size, ok := u*root, false
		switch f {
		case pair:
			if i%(2*m) >= m {
				continue
			}
			ok = math.Abs(math.Hypot(size, z[i+m]*root)-1) < 1e-6
		case single:
			ok = size >= 0 && size < 1+1e-6
		case phase:
			ok = math.Abs(size) < math.Sqrt2+1e-6
		}
		if !ok {
			t.Errorf("%s: feature %d is %v", where, i, u)
		}
	}
}

// TestZeroRows: the features of a row of zeros are exact, whatever the frequencies: 1/√m for Laplace, (1/√m, 0) for a pair
// without a shift, zeros for a homogeneous map and for units. A number too small to matter gives the same.
func TestZeroRows(t *testing.T) {
	forEachPolicy(t, func(t *testing.T, v variant, p layers.Policy) {
		const m = 7
		d := v.dims(3)
		l := v.build(t, d, m, 1, tuned(p))
		if v.form == series || v.form == unit || v.form == tangent {
			for j, z := range transform(t, l, matrix(tensor.Float64, 1, d, 0)) {
				if z != 0 {
					t.Errorf("%v: feature %d of a row of zeros is %v", l, j, z)
				}
			}
		}
		if v.form != single && v.form != pair || v.values["c"] != nil || v.onSphere() {
			return
		}
		for _, u := range []float64{0, 5e-324} {
			if u > 0 && v.powers() {
				continue // whose square root is no small number
			}
			for j, z := range transform(t, l, matrix(tensor.Float64, 1, d, u)) {
				want := 1 / math.Sqrt(m)
				if j >= m {
					want = 0
				}
				if math.Abs(z-want) > 1e-300 {
					t.Errorf("%v: feature %d of %v is %v, want %v", l, j, u, z, want)
				}
			}
		}
	})
}

// TestBadFrequencies: parameters that no draw gives are an error of Transform as they are of a running graph.
func TestBadFrequencies(t *testing.T) {
	forEach(t, func(t *testing.T, v variant) {
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		if v.form == single {
			bad = append(bad, -1)
		}
		for _, u := range bad {
			for _, name := range []string{"W", "signs", "norms", "L", "root_kappa", "U", "roots", "landmarks", "projection", "degrees", "scales", "buckets", "scale"} {
				d := v.dims(3)
				l := v.build(t, d, 7, 1)
				params := values(l)
				w, ok := params[name]
				if !ok {
					continue
				}
				w.Float64s()[min(5, w.Shape().TotalSize()-1)] = u
				if err := l.SetParams(params); err != nil {
					continue // even better
				}
				if z, err := l.Transform(nil, v.inside(matrix(tensor.Float64, 2, d, .5))); err == nil {
					t.Errorf("%s: an entry %v of %s gives the features %v and no error", v.name, u, name, floats(z))
				}
			}
		}
	})
}

// TestFloat32Frequencies: frequencies beyond float32 are an error of some step and never an infinity that is kept in silence.
func TestFloat32Frequencies(t *testing.T) {
	for _, s := range []layers.Spec{
		{Map: "exp-semigroup", Params: layers.Values{"beta": 1e30}, Dims: 3, Features: 4, Dtype: "float32"},
		{Map: "reciprocal-semigroup", Params: layers.Values{"lambda": 1e-45}, Dims: 3, Features: 4, Dtype: "float32"},
		{Map: "gaussian", Params: layers.Values{"sigma": 1e-45}, Dims: 3, Features: 4, Dtype: "float32"},
		{Map: "gaussian", Params: layers.Values{"sigma": 1e-45}, Dims: 16, Features: 4, Dtype: "float32", Sampler: "structured"},
	} {
		l, err := s.Build()
		if err != nil {
			wantErr(t, err, layers.ErrParam, "float32")
			continue
		}
		for _, p := range l.Params() {
			for _, u := range floats(p.Value) {
				if math.IsInf(u, 0) || math.IsNaN(u) {
					t.Errorf("%v: the parameter %s holds %v", l, p.Name, u)
					break
				}
			}
		}
	}
}
