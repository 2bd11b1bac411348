package layers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// words draws n sparse rows of d columns, and the same rows dense.
func words(n, d int) (*ops.CSR, *tensor.Dense) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mapped(zeros(n, d), func(float64) float64 {
		if rng.IntN(4) > 0 {
			return 0
		}
		return rng.Float64()
	})
	return must(ops.CSROf(x)), x
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
	_, err = layers.Transform(m, nil, s)
	wantErr(t, "a later block", err, layers.ErrDomain, "x[17,")
	_, err = layers.Transform(m, zeros(2, 2), s)
	wantErr(t, "another dst", err, layers.ErrShape)
	_, err = layers.Transform(m, nil, s.TakeColumns(0, 5, 1))
	wantErr(t, "another width", err, layers.ErrShape)
	_, err = layers.Transform(m, nil, nil)
	wantErr(t, "no rows", err, layers.ErrDtype)
}

// TestSparseCompositions: compositions, heads and maps without a method for sparse rows map them as they map the dense
// ones. Maps whose features of zeros are zeros keep rows sparse, also through layers around them.
func TestSparseCompositions(t *testing.T) {
	const d = 11
	s, x := words(23, d)
	id, random := layers.Must(layers.NewIdentity(d)), fourier(d, 8)
	chi2 := func(name string, d int, opts ...layers.Option) layers.Layer {
		return layers.Must(layers.NewHomogeneousLayer(spectral.Chi2{}, d, append(opts, layers.WithName(name))...))
	}
	concat := func(parts ...layers.Part) layers.Layer { return layers.Must(layers.NewConcat(d, parts)) }
	chain := func(ls ...layers.Layer) layers.Layer { return layers.Must(layers.NewSequential(ls...)) }
	head := func(kind string, d int) layers.Layer {
		h := must(layers.NewHead(kind, d, 3))
		return must(h, h.SetWeights(slices.Repeat([]float64{.7}, 3*d), []float64{1, 2, 3}))
	}
	both := concat(layers.Part{Layer: fourier(4, 6), To: 4, Weight: 2},
		layers.Part{Layer: layers.Must(layers.NewIdentity(7)), From: 4, To: d, Weight: .5})
	for name, c := range map[string]struct {
		m     layers.Map
		zeros bool
	}{
		"chi2":             {chi2("a", d), true},
		"wrapped":          {wrapped{wrapped{chi2("a", d)}}, true},
		"Identity":         {id, true},
		"wrapped Identity": {wrapped{id}, true},
		"chi2, Identity":   {chain(chi2("a", d), layers.Must(layers.NewIdentity(3*d))), true},
		"chi2 beside others": {concat(layers.Part{Layer: chi2("a", 4), To: 4, Weight: 2},
			layers.Part{Layer: chi2("b", 4), From: 2, To: 6, Weight: .5},
			layers.Part{Layer: layers.Must(layers.NewIdentity(1)), From: 3, To: 4, Weight: 1}), true},
		"chi2 times another": {layers.Must(layers.NewProduct(d, []layers.Part{{Layer: chi2("a", 4), To: 4, Weight: 2},
			{Layer: chi2("b", 3), From: 2, To: 5, Weight: .5}})), true},
		"random times chi2":   {layers.Must(layers.NewProduct(d, parts(random, chi2("a", d)))), false},
		"stationary":          {chi2("a", d, layers.WithStationary()), false},
		"random":              {random, false},
		"Identity, random":    {chain(id, random), false},
		"random and chi2":     {concat(parts(random, chi2("a", d))...), false},
		"random, Identity":    {both, false},
		"before a head":       {chain(both, head("linear", 13)), false},
		"Identity, head":      {chain(id, head("softmax", d)), false},
		"head":                {head("softmax", d), false},
		"a map of dense rows": {&onlyDense{d: d}, false},
	} {
		if got := layers.StaysSparse(c.m, s); got != c.zeros {
			t.Errorf("%s: StaysSparse is %v", name, got)
		}
		want := features(c.m, x)
		near(t, name+", dense", floats(must(layers.Transform(c.m, nil, x))), want, 0)
		near(t, name, floats(must(layers.Transform(c.m, nil, s))), want, 1e-12)
		z := must(layers.Apply(c.m, nil, s))
		rows, sparse := z.(*ops.CSR)
		if sparse != c.zeros {
			t.Fatalf("%s: Apply makes %T", name, z)
		}
		if sparse {
			z = must(rows.Dense(nil))
			near(t, name+", zeros", features(c.m, zeros(1, d)), make([]float64, len(want)/23), 0)
		}
		near(t, name+", Apply", floats(z.(*tensor.Dense)), want, 1e-12)
		if m, ok := c.m.(layers.CSRMap); ok && !c.zeros {
			_, err := m.MapCSR(s)
			wantErr(t, name+", MapCSR", err, layers.ErrParam)
		}
	}
	binning := layers.Must(layers.NewBinningLayer(spectral.Laplacian{Sigma: 1}, d, 48, 16))
	want := features(binning, x)
	for _, rows := range []ops.Matrix{s, x} { // sparse features of dense rows too, and not of zeros
		z, ok := must(layers.Apply(wrapped{binning}, nil, rows)).(*ops.CSR)
		if !ok || !layers.StaysSparse(wrapped{binning}, rows) || layers.StoredFeatures(binning, rows) != z.Stored() {
			t.Fatalf("features of binning of %T are %v", rows, z)
		}
		near(t, "binning", floats(must(z.Dense(nil))), want, 0)
	}
	none := must(layers.Transform(binning, nil, must(ops.NewCSR(1, d, []int{0, 0}, nil, []float64(nil)))))
	near(t, "binning of no entries", floats(none), features(binning, zeros(1, d)), 0)
	if stored := must(must(layers.SpecOf(binning)).Traits()).Stored; stored != 3 { // one a grid of 16 bins
		t.Errorf("a row of the binning map is said to have %d features that are not 0", stored)
	}
	if layers.StoredFeatures(random, x) != 0 || layers.StoredFeatures(id, s) != s.Stored() {
		t.Error("StoredFeatures")
	}
	if layers.StaysSparse(nil, s) || layers.StaysSparse((*layers.Identity)(nil), s) {
		t.Error("a nil map keeps zeros")
	}
	if !layers.IsIdentity(id) || !layers.IsIdentity(wrapped{wrapped{id}}) || layers.IsIdentity(wrapped{random}) ||
		layers.IsIdentity(both) {
		t.Error("IsIdentity")
	}
	if z := must(layers.Apply(wrapped{id}, nil, s)); z != ops.Matrix(s) {
		t.Errorf("Apply of an Identity is %v", z)
	}
	s.Float64s()[5] = math.NaN()
	_, err := layers.Apply(id, nil, s)
	wantErr(t, "Apply to NaN", err, layers.ErrDomain)
	_, err = layers.Apply(fourier(4, 6), nil, s)
	wantErr(t, "Apply to another width", err, layers.ErrShape)
}
