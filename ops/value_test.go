package ops_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func matrix(dt tensor.Dtype, rows, cols int, v ...float64) *tensor.Dense {
	t := tensor.New(tensor.WithShape(rows, cols), tensor.Of(dt))
	for i := range rows * cols {
		setAt(t, i, v[i%len(v)])
	}
	return t
}

func uniform(dt tensor.Dtype, rows, cols int, seed uint64) *tensor.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := tensor.New(tensor.WithShape(rows, cols), tensor.Of(dt))
	for i := range rows * cols {
		setAt(t, i, rng.Float64())
	}
	return t
}

// TestViews: a row slice, a column slice, a transpose and a column-major tensor give what their copy gives, in a graph
// and without one.
func TestViews(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		wide, tall := uniform(dt, 11, 7, 1), uniform(dt, 3, 5, 2)
		rows, _ := uniform(dt, 11, 3, 3).Slice(G.S(2, 7))
		cols, _ := wide.Slice(G.S(0, 5), G.S(2, 5))
		if err := tall.T(); err != nil {
			t.Fatal(err)
		}
		fortran := tensor.New(tensor.WithShape(5, 3), tensor.AsFortran(uniform(dt, 5, 3, 4)))
		w, err := ops.Pack(uniform(dt, 3, 7, 5))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]tensor.Tensor{"rows": rows, "columns": cols, "transpose": tall,
			"column-major": fortran} {
			x := v.(*tensor.Dense)
			plain := tensor.New(tensor.WithShape(5, 3), tensor.Of(dt))
			for i := range 5 {
				for j := range 3 {
					cell, err := x.At(i, j)
					if err != nil {
						t.Fatal(err)
					}
					if err := plain.SetAt(cell, i, j); err != nil {
						t.Fatal(err)
					}
				}
			}
			want, err := ops.FourierInto(nil, plain, w, ops.Attr{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := ops.FourierInto(nil, x, w, ops.Attr{})
			if err != nil || !slices.Equal(all(got), all(want)) {
				t.Errorf("%s %v: FourierInto differs from FourierInto of the copy, err %v", name, dt, err)
			}
			g := G.NewGraph()
			in := G.NewMatrix(g, dt, G.WithShape(5, 3), G.WithName("x"))
			wn := G.NewMatrix(g, dt, G.WithShape(3, 7), G.WithName("w"), G.WithValue(uniform(dt, 3, 7, 5)))
			z := G.Must(ops.Fourier(in, wn, ops.Attr{}))
			if err := G.Let(in, x); err != nil {
				t.Fatal(err)
			}
			m := G.NewTapeMachine(g)
			if err := m.RunAll(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(all(z.Value().(*tensor.Dense)), all(want)) {
				t.Errorf("%s %v: the graph differs from the copy", name, dt)
			}
			m.Close()
		}
	}
}

func all(t *tensor.Dense) []float64 {
	out := make([]float64, t.Shape().TotalSize())
	for i := range out {
		out[i] = at(t, i)
	}
	return out
}

// TestGraphEqualsInto: an op in a graph and its Into are the same arithmetic, bit for bit, into the caller's memory.
func TestGraphEqualsInto(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		for _, n := range []int{1, 31, 67} { // below, at and above a row tile
			x, wt := uniform(dt, n, 3, 1), uniform(dt, 3, 7, 2)
			b, c := uniform(dt, 1, 7, 3), uniform(dt, 1, 1, 4)
			for _, v := range []*tensor.Dense{b, c} {
				if err := v.Reshape(v.Shape().TotalSize()); err != nil {
					t.Fatal(err)
				}
			}
			w, err := ops.Pack(wt)
			if err != nil {
				t.Fatal(err)
			}
			g := G.NewGraph()
			node := func(name string, t *tensor.Dense) *G.Node {
				return G.NewTensor(g, dt, t.Dims(), G.WithShape(t.Shape()...), G.WithName(name), G.WithValue(t))
			}
			xn, wn, bn, cn := node("x", x), node("w", wt), node("b", b), node("c", c)
			cases := []struct {
				name string
				node *G.Node
				cols int
				into func(dst *tensor.Dense) (*tensor.Dense, error)
			}{
				{"Fourier", G.Must(ops.Fourier(xn, wn, ops.Attr{})), 14,
					func(dst *tensor.Dense) (*tensor.Dense, error) { return ops.FourierInto(dst, x, w, ops.Attr{}) }},
				{"Phase", G.Must(ops.Phase(xn, wn, bn, ops.Attr{})), 7, func(dst *tensor.Dense) (*tensor.Dense, error) {
					return ops.PhaseInto(dst, x, w, b, ops.Attr{})
				}},
				{"Laplace", G.Must(ops.Laplace(xn, wn, ops.Attr{})), 7, func(dst *tensor.Dense) (*tensor.Dense, error) {
					return ops.LaplaceInto(dst, x, w, ops.Attr{})
				}},
				{"Affine", G.Must(ops.Affine(xn, wn, bn, ops.Attr{})), 7,
					func(dst *tensor.Dense) (*tensor.Dense, error) { return ops.AffineInto(dst, x, w, b, ops.Attr{}) }},
				{"LogShift", G.Must(ops.LogShift(xn, cn, ops.Attr{})), 3,
					func(dst *tensor.Dense) (*tensor.Dense, error) { return ops.LogShiftInto(dst, x, c, ops.Attr{}) }},
				{"Bandwidth", G.Must(ops.Bandwidth(xn, cn, ops.Attr{})), 3,
					func(dst *tensor.Dense) (*tensor.Dense, error) { return ops.BandwidthInto(dst, x, c, ops.Attr{}) }},
			}
			values := make([]G.Value, len(cases))
			for i, c := range cases {
				G.Read(c.node, &values[i])
			}
			m := G.NewTapeMachine(g)
			if err := m.RunAll(); err != nil {
				t.Fatal(err)
			}
			for i, c := range cases {
				dst := tensor.New(tensor.WithShape(n, c.cols), tensor.Of(dt))
				got, err := c.into(dst)
				if err != nil || got != dst || !slices.Equal(all(got), all(values[i].(*tensor.Dense))) {
					t.Errorf("%s n=%d %v: Into differs from the graph, err %v", c.name, n, dt, err)
				}
				if _, err := c.into(tensor.New(tensor.WithShape(n, c.cols+1), tensor.Of(dt))); !errors.Is(err,
					ops.ErrShape) {
					t.Errorf("%s: a dst of the wrong shape: %v", c.name, err)
				}
			}
			m.Close()
		}
	}
}

// TestIndependentOfGOMAXPROCS: the same bits on one processor and on many, forward and backward.
func TestIndependentOfGOMAXPROCS(t *testing.T) {
	x, w := uniform(tensor.Float64, 301, 17, 1), uniform(tensor.Float64, 17, 67, 2)
	f := family{"Fourier", nil, 0, func(a ops.Attr, in ...*G.Node) (*G.Node, error) {
		return ops.Fourier(in[0], in[1], a)
	}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := f.gradients(t, []*tensor.Dense{x, w}, false)
	runtime.GOMAXPROCS(4)
	for i, g := range f.gradients(t, []*tensor.Dense{x, w}, false) {
		if !slices.Equal(all(g), all(one[i])) {
			t.Errorf("gradient %d depends on GOMAXPROCS", i)
		}
	}
}

// TestErrors: every bad input is one error of the right kind that names the place.
func TestErrors(t *testing.T) {
	f64, f32 := tensor.Float64, tensor.Float32
	w, _ := ops.Pack(matrix(f64, 3, 2, 1))
	w32, _ := ops.Pack(matrix(f32, 3, 2, 1e30))
	hist := ops.Attr{Layer: `layers: SkewedChi2 "hist"`}
	c := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{.03}))
	into := func(_ *tensor.Dense, err error) error { return err }
	bad := matrix(f64, 4, 6, 1)
	setAt(bad, 3*6+5, -.2)
	for _, tc := range []struct {
		err  error
		is   error
		text string
	}{
		{into(ops.LogShiftInto(nil, bad, c, hist)), ops.ErrDomain,
			`layers: SkewedChi2 "hist": x[3,5] = -0.2 is not above -c = -0.03; shift the data or raise C`},
		{into(ops.LogShiftInto(nil, matrix(f64, 1, 1, -.03), c, ops.Attr{})), ops.ErrDomain,
			"x[0,0] = -0.03 is not above -c"},
		{into(ops.LaplaceInto(nil, matrix(f64, 2, 3, 0, 1, 2, 3, 4, -1e-300), w, ops.Attr{})), ops.ErrDomain,
			"ops: Laplace: x[1,2] = -1e-300 is negative"},
		{into(ops.FourierInto(nil, matrix(f64, 2, 3, 0, 1, 2, 3, math.NaN(), 5), w, ops.Attr{})), ops.ErrDomain,
			"x[1,1] = NaN is not a finite number"},
		{into(ops.FourierInto(nil, matrix(f64, 1, 3, math.Inf(1)), w, ops.Attr{})), ops.ErrDomain, "x[0,0] = +Inf"},
		{into(ops.FourierInto(nil, matrix(f32, 2, 3, 0, 0, 0, 1e20), w32, ops.Attr{})), ops.ErrDomain,
			"projection of row 1"},
		{into(ops.FourierInto(nil, matrix(f64, 2, 5, 1), w, ops.Attr{})), ops.ErrShape,
			"x has shape (2, 5), want [n, 3]"},
		{into(ops.FourierInto(nil, matrix(f32, 2, 3, 1), w, ops.Attr{})), ops.ErrDtype, "x is float32, W is float64"},
		{into(ops.LogShiftInto(nil, bad, tensor.New(tensor.WithShape(2), tensor.Of(f64)), ops.Attr{})), ops.ErrShape,
			"c has 2 entries"},
		{into(ops.FourierInto(nil, tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Int)), w, ops.Attr{})),
			ops.ErrDtype, "want float32 or float64, got int"},
		{domain.CheckRows(domain.UnitSphere(1e-6), "f", []float64{1, 0, .6, .9}, 2, 2, 2), ops.ErrDomain,
			"row 1 has norm"},
	} {
		if !errors.Is(tc.err, tc.is) || !strings.Contains(tc.err.Error(), tc.text) {
			t.Errorf("error %v, want %v with %q", tc.err, tc.is, tc.text)
		}
	}
}

// TestGraphErrors: shapes are errors while the graph is built, values are errors of RunAll, and neither is a panic.
func TestGraphErrors(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(5, 3), G.WithName("x"), G.WithValue(matrix(G.Float64, 5, 3, 1, 2, -1)))
	w := G.NewMatrix(g, G.Float64, G.WithShape(3, 7), G.WithName("w"), G.WithValue(matrix(G.Float64, 3, 7, 1)))
	wrong := G.NewMatrix(g, G.Float64, G.WithShape(2, 7), G.WithName("wrong"), G.WithValue(matrix(G.Float64, 2, 7, 1)))
	if _, err := ops.Fourier(x, wrong, ops.Attr{Layer: "layer L"}); err == nil ||
		!strings.Contains(err.Error(), "layer L: x is (5, 3) and W is (2, 7)") {
		t.Errorf("shapes that do not fit: %v", err)
	}
	if _, err := ops.Fourier(x, nil, ops.Attr{}); !errors.Is(err, ops.ErrShape) {
		t.Errorf("a nil node: %v", err)
	}
	if _, err := ops.Columns(x, 2, 4, 1, ops.Attr{}); err == nil {
		t.Error("columns that x does not have are no error")
	}
	if _, err := ops.Concat([]float64{1}, ops.Attr{}, x, x); !errors.Is(err, ops.ErrShape) {
		t.Errorf("one scale for two parts: %v", err)
	}
	G.Must(ops.Laplace(x, w, ops.Attr{}))
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err == nil || !strings.Contains(err.Error(), "x[0,2] = -1 is negative") {
		t.Errorf("a negative cell in a running graph: %v", err)
	}
}

// TestHash: whatever changes a result changes the hash, or Gorgonia would merge two ops into one.
func TestHash(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float64, G.WithShape(7, 7), G.WithName("x"), G.WithValue(matrix(G.Float64, 7, 7, 1)))
	b := G.NewVector(g, G.Float64, G.WithShape(7), G.WithName("b"))
	seen := map[*G.Node]string{}
	for name, n := range map[string]*G.Node{
		"Fourier":         G.Must(ops.Fourier(x, x, ops.Attr{})),
		"Fourier frozen":  G.Must(ops.Fourier(x, x, ops.Attr{Frozen: ops.W})),
		"Fourier domain":  G.Must(ops.Fourier(x, x, ops.Attr{Domain: domain.NonNegative()})),
		"Fourier name":    G.Must(ops.Fourier(x, x, ops.Attr{Layer: "a"})),
		"Laplace":         G.Must(ops.Laplace(x, x, ops.Attr{})),
		"Phase":           G.Must(ops.Phase(x, x, b, ops.Attr{})),
		"Affine":          G.Must(ops.Affine(x, x, b, ops.Attr{})),
		"LogShift":        G.Must(ops.LogShift(x, b, ops.Attr{})),
		"Bandwidth":       G.Must(ops.Bandwidth(x, b, ops.Attr{})),
		"Columns":         G.Must(ops.Columns(x, 0, 7, 1, ops.Attr{})),
		"Columns scaled":  G.Must(ops.Columns(x, 0, 7, 2, ops.Attr{})),
		"Columns shifted": G.Must(ops.Columns(x, 0, 6, 1, ops.Attr{})),
		"Concat":          G.Must(ops.Concat([]float64{1, 2}, ops.Attr{}, x, x)),
		"Concat scaled":   G.Must(ops.Concat([]float64{2, 1}, ops.Attr{}, x, x)),
	} {
		if other, ok := seen[n]; ok {
			t.Errorf("%s and %s are one node", name, other)
		}
		seen[n] = name
	}
	if again := G.Must(ops.Fourier(x, x, ops.Attr{})); seen[again] != "Fourier" {
		t.Error("the same op on the same inputs is a second node")
	}
}

// TestExtremes: zeros are exact, and nothing is NaN from tiny or huge cells.
func TestExtremes(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		huge, tiny := 1e300, 1e-300
		if dt == tensor.Float32 {
			huge, tiny = 1e38, 1e-40
		}
		x := matrix(dt, 4, 2, 0, 0, tiny, 0, huge, 0, huge, huge)
		w, _ := ops.Pack(matrix(dt, 2, 1, 1e20, 1e-20))
		z, err := ops.LaplaceInto(nil, x, w, ops.Attr{})
		if err != nil || at(z, 0) != 1 || at(z, 1) != 1 || at(z, 2) != 0 || at(z, 3) != 0 {
			t.Errorf("Laplace of 0, tiny, huge: %v, %v", all(z), err)
		}
		one, _ := ops.Pack(matrix(dt, 2, 1, .25))
		z, err = ops.FourierInto(nil, x, one, ops.Attr{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if r := math.Hypot(at(z, 2*i), at(z, 2*i+1)); math.Abs(r-1) > 1e-6 {
				t.Errorf("Fourier row %d is not on the unit circle: %v", i, r)
			}
		}
		empty, err := ops.FourierInto(nil, tensor.New(tensor.WithShape(0, 2), tensor.Of(dt)), one, ops.Attr{})
		if err != nil || !empty.Shape().Eq(tensor.Shape{0, 2}) {
			t.Errorf("no rows: %v, %v", empty, err)
		}
	}
}

// TestAllocations: with the caller's dst a forward allocates a handful of objects at most, whatever n is; see ops_test
// for the kernels.
func TestAllocations(t *testing.T) {
	w, _ := ops.Pack(uniform(tensor.Float64, 5, 7, 1))
	count := func(n int) float64 {
		x, dst := uniform(tensor.Float64, n, 5, 2), tensor.New(tensor.WithShape(n, 14), tensor.Of(tensor.Float64))
		return testing.AllocsPerRun(20, func() {
			if _, err := ops.FourierInto(dst, x, w, ops.Attr{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(64), count(3000); many > 60 || few > 60 {
		t.Errorf("%v allocations for 64 rows, %v for 3000", few, many)
	}
}

// TestInBlocks: every row comes out once, of views as of copies, and errors count cells from the start.
func TestInBlocks(t *testing.T) {
	x := tensor.New(tensor.WithShape(7, 3), tensor.Of(tensor.Float64))
	for i := range 21 {
		x.Float64s()[i] = float64(i)
	}
	transposed := tensor.New(tensor.WithShape(3, 7), tensor.Of(tensor.Float64))
	for i := range 21 {
		transposed.Float64s()[i%3*7+i/3] = float64(i)
	}
	if err := transposed.T(); err != nil {
		t.Fatal(err)
	}
	double := func(dst, x *tensor.Dense) error {
		for i := range x.Shape()[0] {
			for j := range 2 {
				dst.Float64s()[2*i+j] = 2 * x.Float64s()[3*i+j]
			}
		}
		return nil
	}
	for _, rows := range []int{1, 3, 7, 100} {
		for _, in := range []*tensor.Dense{x, transposed} {
			z, err := ops.InBlocks("here", nil, in, rows, 2, double)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range z.Float64s() {
				if want := 2 * float64(i/2*3+i%2); v != want {
					t.Fatalf("%d rows a block: cell %d is %v, want %v", rows, i, v, want)
				}
			}
		}
		_, err := ops.InBlocks("here", nil, x, rows, 2, func(_, x *tensor.Dense) error {
			if err := ops.CheckRows(ops.Domain{}, "there", x); err != nil {
				return err
			}
			if last := x.Shape()[0] - 1; x.Float64s()[3*last] == 18 {
				return domain.NonNegative().Violation("there", last, 0, -18)
			}
			return nil
		})
		if !errors.Is(err, ops.ErrDomain) || !strings.Contains(err.Error(), "there: x[6,0] = -18") {
			t.Errorf("%d rows a block: %v", rows, err)
		}
	}
	for _, dst := range []*tensor.Dense{tensor.New(tensor.WithShape(7, 3), tensor.Of(tensor.Float64)),
		tensor.New(tensor.WithShape(7, 2), tensor.Of(tensor.Float32))} {
		if _, err := ops.InBlocks("here", dst, x, 2, 2, double); err == nil ||
			!strings.Contains(err.Error(), "here: dst") {
			t.Errorf("dst %v %v: %v", dst.Dtype(), dst.Shape(), err)
		}
	}
	if _, err := ops.InBlocks("here", nil, tensor.New(tensor.WithShape(3), tensor.Of(tensor.Float64)), 2, 2,
		double); !errors.Is(err, ops.ErrShape) {
		t.Errorf("a vector: %v", err)
	}
}
