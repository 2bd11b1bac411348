package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestExtremes: zeros are exact, and nothing is NaN from tiny or huge cells.
func TestExtremes(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		huge, tiny := 1e300, 1e-300
		if dt == tensor.Float32 {
			huge, tiny = 1e38, 1e-40
		}
		x := matrix(dt, 4, 2, 0, 0, tiny, 0, huge, 0, huge, huge)
		w := matrix(dt, 2, 1, 1e20, 1e-20)
		z, err := ops.Laplace(ops.Attr{}).Into(nil, x, w)
		if err != nil || at(z, 0) != 1 || at(z, 1) != 1 || at(z, 2) != 0 || at(z, 3) != 0 {
			t.Errorf("Laplace of 0, tiny, huge: %v, %v", all(z), err)
		}
		one := matrix(dt, 2, 1, .25)
		z, err = ops.Fourier(ops.Attr{}).Into(nil, x, one)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if r := math.Hypot(at(z, 2*i), at(z, 2*i+1)); math.Abs(r-1) > 1e-6 {
				t.Errorf("Fourier row %d is not on the unit circle: %v", i, r)
			}
		}
		bare, w := tensor.New(tensor.WithShape(3, 0), tensor.Of(dt)), tensor.New(tensor.WithShape(0, 1), tensor.Of(dt))
		z, err = ops.Fourier(ops.Attr{}).Into(nil, bare, w)
		if err != nil || !slices.Equal(all(z), []float64{1, 0, 1, 0, 1, 0}) {
			t.Errorf("no columns: %v, %v", z, err)
		}
	}
}

// TestNoColumns: weights without columns have results without cells.
func TestNoColumns(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		of := func(shape ...int) *tensor.Dense { return tensor.New(tensor.WithShape(shape...), tensor.Of(dt)) }
		for name, c := range map[string]struct {
			op ops.Op
			in []*tensor.Dense
		}{
			"BlockAffine":  {ops.BlockAffine(ops.Attr{}), []*tensor.Dense{of(2, 4), of(4, 0), of(2, 0)}},
			"Coefficients": {ops.Coefficients(ops.Attr{}), []*tensor.Dense{of(2, 3), of(3, 0)}},
			"HDD":          {ops.HDD(false, ops.Attr{}), []*tensor.Dense{of(2, 3), of(1), of(1), of(3, 0)}},
			"UnitLaplace":  {ops.UnitLaplace(ops.Attr{}), []*tensor.Dense{of(2, 3), of(3, 0)}},
			"Affine":       {ops.Affine(ops.Attr{}), []*tensor.Dense{of(2, 3), of(3, 0), of(0)}},
			"Units":        {ops.Units(ops.ReLUUnit, ops.Attr{}), []*tensor.Dense{of(2, 3), of(3, 0)}},
		} {
			var rest []ops.Matrix
			for _, v := range c.in[1:] {
				rest = append(rest, v)
			}
			if z, err := c.op.Into(nil, c.in[0], rest...); err != nil || !z.Shape().Eq(tensor.Shape{2, 0}) {
				t.Errorf("%s, %v: %v, %v", name, dt, z, err)
			}
		}
	}
}

// TestPositiveRange: features are numbers wherever they are in the range of the type, though exp(xW) need not be, and 0
// below it.
func TestPositiveRange(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, c := range []struct{ p, length float64 }{{100, 30}, {100, 60}, {-100, 1}, {87, 0}, {800, 780}, {1, 1e6}} {
			z := must(ops.Positive(ops.Attr{}).Into(nil, matrix(dt, 1, 2, c.p, math.Sqrt(2*c.length)),
				matrix(dt, 2, 1, 1, 0), entries(dt, 0, 1)))
			want := math.Exp(c.p - c.length)
			if got := all(z)[0]; !(math.Abs(got-want) <= 2e-4*want+1e-45) {
				t.Errorf("%v, exp(%v - %v): %v, want %v", dt, c.p, c.length, got, want)
			}
		}
	}
}

// TestInBlocks: every row comes out once, of views as of copies, and errors count cells from the start.
func TestInBlocks(t *testing.T) {
	x := tensor.New(tensor.WithShape(7, 3), tensor.WithBacking(tensor.Range(tensor.Float64, 0, 21)))
	double := func(dst *tensor.Dense, x ops.Matrix) error {
		if b, ok := x.(*ops.Bags); ok {
			x = b.Samples()
		}
		cells := x.(*tensor.Dense).Float64s()
		for i := range x.Shape()[0] {
			for j := range 2 {
				dst.Float64s()[2*i+j] = 2 * cells[3*i+j]
			}
		}
		return nil
	}
	for _, rows := range []int{1, 3, 7, 100} {
		for _, in := range []ops.Matrix{x, transposed(x), csr(x), must(ops.BagsOfRows(x))} {
			z := must(ops.InBlocks("here", nil, in, rows, 2, double))
			for i, v := range z.Float64s() {
				if want := 2 * float64(i/2*3+i%2); v != want {
					t.Fatalf("%d rows a block: cell %d is %v, want %v", rows, i, v, want)
				}
			}
		}
		_, err := ops.InBlocks("here", nil, x, rows, 2, func(_ *tensor.Dense, x ops.Matrix) error {
			if err := ops.CheckRows(ops.Domain{}, "there", x); err != nil {
				return err
			}
			if last := x.Shape()[0] - 1; x.(*tensor.Dense).Float64s()[3*last] == 18 {
				return domain.NonNegative().Violation("there", last, 0, -18)
			}
			return nil
		})
		wantErr(t, err, ops.ErrDomain, "there: x[6,0] = -18")
	}
	wide := tensor.New(tensor.WithShape(7, 3), tensor.Of(tensor.Float64))
	wantErr(t, second(ops.InBlocks("here", wide, x, 2, 2, double)), ops.ErrShape, "here: dst")
	single := tensor.New(tensor.WithShape(7, 2), tensor.Of(tensor.Float32))
	wantErr(t, second(ops.InBlocks("here", single, x, 2, 2, double)), ops.ErrDtype, "here: dst")
	wantErr(t, second(ops.InBlocks("here", nil, vector(1, 2, 3), 2, 2, double)), ops.ErrShape, "here")
}

// TestCSRNode: a node holds sparse rows with another number of entries each run, and dense ones again.
func TestCSRNode(t *testing.T) {
	const n, d, m = 5, 7, 11
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float64, G.WithShape(n, d), G.WithName("x"))
	w := leaf(g, "w", uniform(tensor.Float64, d, m, 1))
	part := must(ops.Columns(0, d, 1, ops.Attr{Frozen: ops.X}).Node(x))
	z := must(ops.Fourier(ops.Attr{Frozen: ops.X}).Node(part, w))
	side := must(ops.Concat([]float64{1, 2}, ops.Attr{Frozen: ops.X}).Node(x, z))
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	for seed := range uint64(4) {
		rows := holes(tensor.Float64, n, d, seed)
		var value G.Value = csr(rows)
		if seed == 2 {
			value = rows
		}
		if err := G.Let(x, value); err != nil {
			t.Fatal(err)
		}
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		want := must(ops.Fourier(ops.Attr{}).Into(nil, rows, w.Value().(*tensor.Dense)))
		want = must(ops.Concat([]float64{1, 2}, ops.Attr{}).Into(nil, rows, want))
		if got := side.Value().(*tensor.Dense); farthest(all(got), all(want)) > 1e-13 {
			t.Fatalf("run %d: %v, want %v", seed, got, want)
		}
		vm.Reset()
	}
	if err := G.Let(x, csr(holes(tensor.Float64, n, d+1, 1))); err == nil {
		t.Error("another width is no error")
	}
	if err := G.Let(x, csr(holes(tensor.Float32, n, d, 1))); err == nil {
		t.Error("another type is no error")
	}
}
