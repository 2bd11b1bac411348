package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestLeaveOneOut refits without each row in turn, at the effective lambda of all rows.
func TestLeaveOneOut(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{43, 7, 2}, {41, 37, 1}, {13, 31, 3}, {2, 1, 1}, {2, 5, 1}, {101, 71, 1}, {71, 101, 1}} {
		x, y := problem(c.n, c.d, c.k, 23)
		z := matOf(x)
		f := fit(t, nil, x, y, RidgeOptions{Lambdas: []float64{10, 0.1, 1e-3}, Select: SelectLOO, BlockRows: 17})
		best := 0
		for l, s := range f.Scores {
			want := 0.0
			for i := range c.n {
				w, b := naive(z, y, s.Lambda*meanSpread(z), i)
				for q := range c.k {
					e := y.At(i, q) - b[q] - mat.Dot(z.RowView(i), w.ColView(q))
					want += e * e / float64(c.n*c.k)
				}
			}
			if e := math.Abs(s.MSE/want - 1); e > 1e-9 {
				t.Errorf("%+v lambda %g: %v, brute force %v, off by %.2g", c, s.Lambda, s.MSE, want, e)
			}
			if s.Better(f.Scores[best]) {
				best = l
			}
		}
		w, b := naive(z, y, f.Scores[best].Lambda*meanSpread(z), -1)
		if e := far(f, w, b); e > 1e-9 || f.Lambda != f.Scores[best].Lambda {
			t.Errorf("%+v: the fit at lambda %g is off by %.2g", c, f.Lambda, e)
		}
	}
}

// TestHeldOut fits the rows that are kept by the definition and scores the others.
func TestHeldOut(t *testing.T) {
	for _, c := range []struct{ n, d int }{{43, 7}, {13, 31}, {41, 37}} {
		x, y := problem(c.n, c.d, 2, 29)
		z := matOf(x)
		o := RidgeOptions{Lambdas: []float64{30, 0.2, 1e-3}, Select: SelectHeldOut, HeldOut: 0.3, Seed: 5, BlockRows: 8}
		f := fit(t, nil, x, y, o)
		train, held := ridgeSplit(c.n, o)
		if len(train)+len(held) != c.n || len(held) != int(math.Round(0.3*float64(c.n))) {
			t.Fatalf("split %d + %d of %d", len(train), len(held), c.n)
		}
		zt, yt := mat.NewDense(len(train), c.d, nil), mat.NewDense(len(train), 2, nil)
		for i, r := range train {
			zt.SetRow(i, z.RawRowView(r))
			yt.SetRow(i, y.RawRowView(r))
		}
		for _, s := range f.Scores {
			w, b := naive(zt, yt, s.Lambda*meanSpread(zt), -1)
			want := 0.0
			for _, r := range held {
				for q := range 2 {
					e := y.At(r, q) - b[q] - mat.Dot(z.RowView(r), w.ColView(q))
					want += e * e / float64(2*len(held))
				}
			}
			if e := math.Abs(s.MSE/want - 1); e > 1e-8 || s.MSE < scoreOf(f) {
				t.Errorf("%+v lambda %g: %v, want %v, chosen %g", c, s.Lambda, s.MSE, want, f.Lambda)
			}
		}
		w, b := naive(z, y, f.Lambda*meanSpread(z), -1)
		if e := far(f, w, b); e > 1e-9 {
			t.Errorf("%+v: the fit on all rows is off by %.2g", c, e)
		}
		o.Seed = 6
		if again := fit(t, nil, x, y, o); again.Scores[0] == f.Scores[0] {
			t.Error("the seed does not choose the rows")
		}
	}
}

func scoreOf(f *RidgeFit) float64 {
	for _, s := range f.Scores {
		if s.Lambda == f.Lambda {
			return s.MSE
		}
	}
	return math.NaN()
}

// TestUnusableLambda: a lambda that leaves the system singular scores +Inf and another is chosen; so is one with which a
// row determines its own fit: with as many features as rows nothing is left of it.
func TestUnusableLambda(t *testing.T) {
	x, y := problem(23, 5, 1, 31)
	for i := range 23 {
		x.Float64s()[i*5+1] = x.Float64s()[i*5]
	}
	alone := tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{1, 0, 1, 0, 2, 0, 3, 0, 4, 1})) // only row 4 has feature 1
	for name, c := range map[string]struct {
		x *tensor.Dense
		y *mat.Dense
		s Selection
	}{
		"LOO":      {x, y, SelectLOO},
		"held-out": {x, y, SelectHeldOut},
		"leverage": {alone, mat.NewDense(5, 1, []float64{1, 2, 3, 4, 9}), SelectLOO},
	} {
		f := fit(t, nil, c.x, c.y, RidgeOptions{Lambdas: []float64{0, 0.1}, Select: c.s})
		if !math.IsInf(f.Scores[0].MSE, 1) || f.Lambda != 0.1 {
			t.Errorf("%s: %+v, chosen %g", name, f.Scores, f.Lambda)
		}
	}
}

// TestTridiagonal: Q T Qᵀ is the matrix, Q is orthogonal, and solves agree with the definition, around the panel size.
func TestTridiagonal(t *testing.T) {
	for _, n := range []int{1, 2, 3, ridgePanel, ridgePanel + 1, ridgePanel + 2, 101} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		h := make([]float64, n*n)
		for i := range h {
			h[i] = rng.NormFloat64()
		}
		a := make([]float64, n*n)
		addSquare(general(n, n, n, h), general(n, n, n, a))
		full := append([]float64{}, a...)
		mirror(full, n)
		q := newTridiagonal(a, n)
		turn := make([]float64, n*n)
		for i := range n {
			turn[i*n+i] = 1
		}
		q.rotate(turn, n, false)
		tri := mat.NewDense(n, n, nil)
		for i := range n {
			tri.Set(i, i, q.d[i])
			if i > 0 {
				tri.Set(i, i-1, q.e[i-1])
				tri.Set(i-1, i, q.e[i-1])
			}
		}
		qm, want := mat.NewDense(n, n, turn), mat.NewDense(n, n, full)
		var got, eye mat.Dense
		got.Product(qm, tri, qm.T())
		got.Sub(&got, want)
		if e := mat.Norm(&got, 2) / mat.Norm(want, 2); e > 1e-13*float64(n) {
			t.Errorf("n = %d: Q T Qᵀ is off by %.2g", n, e)
		}
		eye.Mul(qm, qm.T())
		for i := range n {
			eye.Set(i, i, eye.At(i, i)-1)
		}
		if e := mat.Norm(&eye, 2); e > 1e-13*float64(n) {
			t.Errorf("n = %d: Q is off from orthogonal by %.2g", n, e)
		}
		p := append([]float64{}, h[:n]...)
		q.rotate(p, 1, false)
		f, ok := q.factor(0.5)
		quadratic := f.quadratic(p)
		f.solve(p)
		q.rotate(p, 1, true)
		back := make([]float64, n) // (A + I/2) p
		symmetricTimes(full, n, p, back)
		dot := 0.0
		for i, v := range p {
			dot += v * h[i]
			if e := math.Abs(back[i] + 0.5*v - h[i]); !ok || e > 1e-10 {
				t.Errorf("n = %d: the solution's residual %d is %.2g", n, i, e)
			}
		}
		if math.Abs(dot-quadratic) > 1e-10*math.Abs(dot) {
			t.Errorf("n = %d: quadratic form %v, want %v", n, quadratic, dot)
		}
		if _, ok := q.factor(-1e6); ok {
			t.Errorf("n = %d: an indefinite matrix was factored", n)
		}
	}
}

func BenchmarkRidge(b *testing.B) {
	for _, n := range []int{512, 1024, 2048} {
		h := make([]float64, n*n)
		for i := range h {
			h[i] = math.Sin(float64(i))
		}
		g := make([]float64, n*n)
		m := blas64.General{Rows: n, Cols: n, Stride: n, Data: h}
		b.Run(fmt.Sprintf("gram/%d", n), func(b *testing.B) {
			for b.Loop() {
				clear(g)
				addSquare(m, general(n, n, n, g))
			}
			b.ReportMetric(float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
		work := make([]float64, n*n)
		b.Run(fmt.Sprintf("cholesky/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(work, g)
				ridgeCholesky(work, n, float64(n))
			}
		})
		b.Run(fmt.Sprintf("tridiagonal/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(work, g)
				newTridiagonal(work, n)
			}
		})
	}
}
