package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// words draws n sparse rows of d columns, and the same rows dense.
func words(t *testing.T, n, d int) (*ops.CSR, *tensor.Dense) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n*d)
	for i := range x {
		if rng.IntN(4) == 0 {
			x[i] = rng.Float64()
		}
	}
	dense := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x))
	s := must(ops.CSROf(dense))
	return s, dense
}

// onlyDense is a map that knows nothing of sparse rows: the sums of pairs of columns.
type onlyDense struct{ d, calls int }

func (m *onlyDense) Dims() int     { return m.d }
func (m *onlyDense) Features() int { return m.d - 1 }

func (m *onlyDense) Transform(dst, x *tensor.Dense) (*tensor.Dense, error) {
	m.calls++
	n := x.Shape()[0]
	if dst == nil {
		dst = tensor.New(tensor.WithShape(n, m.d-1), tensor.Of(x.Dtype()))
	}
	for i := range n {
		for j := range m.d - 1 {
			a, b := x.Float64s()[i*m.d+j], x.Float64s()[i*m.d+j+1]
			if a+b > 1.99 {
				return nil, ops.Domain{}.Violation("onlyDense", i, j, math.NaN())
			}
			dst.Float64s()[i*(m.d-1)+j] = a + b
		}
	}
	return dst, nil
}

// wrapped is a layer around another.
type wrapped struct{ layers.Layer }

func (w wrapped) Unwrap() layers.Layer { return w.Layer }

func equal(t *testing.T, what string, m layers.Map, s *ops.CSR, dense *tensor.Dense) {
	t.Helper()
	want := must(m.Transform(nil, dense))
	got, err := layers.Transform(m, nil, s)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, v := range want.Float64s() {
		if math.Abs(got.Float64s()[i]-v) > 1e-13 {
			t.Fatalf("%s: cell %d is %v for sparse rows, %v for dense ones", what, i, got.Float64s()[i], v)
		}
	}
	if z, err := layers.Transform(m, nil, dense); err != nil || z.Float64s()[0] != want.Float64s()[0] {
		t.Errorf("%s: Transform of dense rows: %v", what, err)
	}
}

// TestSparseCompositions: compositions, heads and maps that know nothing of sparse rows map them as they map the dense
// ones.
func TestSparseCompositions(t *testing.T) {
	s, dense := words(t, 23, 11)
	id, _ := layers.NewIdentity(11)
	left, _ := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 4, 6)
	right, _ := layers.NewIdentity(7)
	concat := must(layers.NewConcat(11, []layers.Part{{Layer: left, From: 0, To: 4, Weight: 2},
		{Layer: right, From: 4, To: 11, Weight: .5}}))
	linear, _ := layers.NewLinearHead(13, 3)
	softmax, _ := layers.NewSoftmaxHead(11, 3)
	for _, h := range []layers.Head{linear, softmax} {
		w := make([]float64, h.Dims()*3)
		for i := range w {
			w[i] = math.Sin(float64(i))
		}
		if err := h.SetWeights(w, []float64{1, 2, 3}); err != nil {
			t.Fatal(err)
		}
	}
	long := must(layers.NewSequential(concat, linear))
	short := must(layers.NewSequential(id, softmax))
	for what, m := range map[string]layers.Map{"Concat": concat, "Sequential": long, "an Identity before a head": short,
		"SoftmaxHead": softmax,
		"Identity":    id, "a wrapped Identity": wrapped{id}, "a map of dense rows": &onlyDense{d: 11}} {
		equal(t, what, m, s, dense)
	}
	if !layers.IsIdentity(id) || !layers.IsIdentity(wrapped{wrapped{id}}) || layers.IsIdentity(wrapped{left}) ||
		layers.IsIdentity(concat) {
		t.Error("IsIdentity")
	}
	if z, err := layers.Apply(wrapped{id}, nil, s); err != nil || z != ops.Matrix(s) {
		t.Errorf("Apply of an Identity is %v, %v", z, err)
	}
	if z, err := layers.Apply(left, nil, s.TakeColumns(0, 4, 1)); err != nil || z.(*tensor.Dense).Shape()[1] != 6 {
		t.Errorf("Apply of a map is %v, %v", z, err)
	}
	s.Float64s()[5] = math.NaN()
	if _, err := layers.Apply(id, nil, s); !errors.Is(err, layers.ErrDomain) {
		t.Errorf("Apply to NaN: %v", err)
	}
	if _, err := layers.Apply(left, nil, s); !errors.Is(err, layers.ErrShape) {
		t.Errorf("Apply to another width: %v", err)
	}
}

// TestSparseBlocks: a map of dense rows sees them in blocks, whose errors name the row of the whole.
func TestSparseBlocks(t *testing.T) {
	const d = 1 << 18 // eight rows a block
	ptr, col, val := []int{0}, []int32(nil), []float64(nil)
	for i := range 19 {
		col, val = append(col, int32(i*1000)), append(val, float64(i))
		if i < 17 {
			val[i] = .5
		}
		ptr = append(ptr, len(col))
	}
	s := must(ops.NewCSR(19, d, ptr, col, val))
	m := &onlyDense{d: d}
	z, err := layers.Transform(m, nil, s.Slice(0, 17))
	if err != nil || m.calls != 3 || z.Shape()[0] != 17 || z.Float64s()[16*(d-1)+16000] != .5 {
		t.Errorf("%d blocks, %v", m.calls, err)
	}
	if _, err := layers.Transform(m, nil, s); !errors.Is(err, layers.ErrDomain) ||
		!strings.Contains(err.Error(), "x[17,") {
		t.Errorf("the error of a later block: %v", err)
	}
	small := tensor.New(tensor.WithShape(2, 2), tensor.Of(tensor.Float64))
	if _, err := layers.Transform(m, small, s); !errors.Is(err, layers.ErrShape) {
		t.Errorf("another dst: %v", err)
	}
	if _, err := layers.Transform(m, nil, s.TakeColumns(0, 5, 1)); !errors.Is(err, layers.ErrShape) {
		t.Errorf("another width: %v", err)
	}
	if _, err := layers.Transform(m, nil, nil); !errors.Is(err, layers.ErrDtype) {
		t.Errorf("no rows: %v", err)
	}
}

// TestKeepsZeros: a map keeps zeros where the features of zeros are zeros, through layers around it, and what Apply makes of sparse rows has the
// cells that Transform makes of the same rows dense.
func TestKeepsZeros(t *testing.T) {
	const d = 6
	x, dense := words(t, 9, d)
	chi2 := func(name string, d int) layers.Layer {
		return layers.Must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, d, layers.WithName(name)))
	}
	concat := func(parts ...layers.Part) layers.Layer { return layers.Must(layers.NewConcat(d, parts)) }
	random := layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, d, 8))
	for name, c := range map[string]struct {
		m    layers.Layer
		want bool
	}{
		"chi2":       {chi2("a", d), true},
		"wrapped":    {wrapped{wrapped{chi2("a", d)}}, true},
		"Sequential": {layers.Must(layers.NewSequential(chi2("a", d), layers.Must(layers.NewIdentity(3*d)))), true},
		"Concat": {concat(layers.Part{Layer: chi2("a", 4), To: 4, Weight: 2}, layers.Part{Layer: chi2("b", 4), From: 2, To: 6, Weight: .5},
			layers.Part{Layer: layers.Must(layers.NewIdentity(1, layers.WithName("c"))), From: 3, To: 4, Weight: 1}), true},
		"stationary":        {layers.Must(layers.NewHomogeneousLayer(spectral.Chi2{Gamma: 1}, d, layers.WithStationary())), false},
		"random":            {random, false},
		"random at the end": {layers.Must(layers.NewSequential(layers.Must(layers.NewIdentity(d)), random)), false},
		"random part":       {concat(layers.Part{Layer: random, To: d, Weight: 1}, layers.Part{Layer: chi2("a", d), To: d, Weight: 1}), false},
	} {
		if got := layers.KeepsZeros(c.m); got != c.want {
			t.Errorf("%s: KeepsZeros is %v", name, got)
		}
		zeros, err := c.m.Transform(nil, tensor.New(tensor.WithShape(1, d), tensor.Of(tensor.Float64)))
		if err != nil {
			t.Fatal(err)
		}
		if c.want && slices.ContainsFunc(zeros.Float64s(), func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: the features of zeros are %v", name, zeros.Float64s())
		}
		z, err := layers.Apply(c.m, nil, x)
		if err != nil {
			t.Fatal(err)
		}
		s, sparse := z.(*ops.CSR)
		if sparse != c.want {
			t.Fatalf("%s: Apply makes %T", name, z)
		}
		if sparse {
			if z, err = s.Dense(nil); err != nil {
				t.Fatal(err)
			}
		}
		want, err := c.m.Transform(nil, dense)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Float64s() {
			if got := z.(*tensor.Dense).Float64s()[i]; math.Abs(got-v) > 1e-12 {
				t.Errorf("%s: feature %d is %v, of dense rows %v", name, i, got, v)
			}
		}
		if m, ok := c.m.(layers.ZeroMap); ok && !c.want {
			if _, err := m.MapCSR(x); !errors.Is(err, layers.ErrParam) {
				t.Errorf("%s: MapCSR: %v", name, err)
			}
		}
	}
	if layers.KeepsZeros(nil) || layers.KeepsZeros((*layers.Identity)(nil)) {
		t.Error("a nil map keeps zeros")
	}
}
