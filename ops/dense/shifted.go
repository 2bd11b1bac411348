package dense

import (
	"math"
	"slices"
	"sync"

	"github.com/bochner-go/bochner/ops/internal/simd"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Shifted is the factor L Lᵀ = B + s I of a Band, with the inverse of L as a product of steps: part J of L⁻¹ z, of width
// numbers, is the row J of steps times the part before it and part J of z.
type Shifted struct {
	n, width int
	steps    []float64 // [n, 2 width]
	logDet   float64
}

// Shift factors B + s I. ok is false if it is not positive definite to working precision.
func (q *Band) Shift(s float64) (f Shifted, ok bool) {
	n, w := q.n, q.width
	f = Shifted{n: n, width: w, steps: make([]float64, n*2*w)}
	var last []float64 // the diagonal block of L before
	for i := 0; i < n; i += w {
		c := min(w, n-i)
		before, own := general(c, w, w, make([]float64, c*w)), general(c, c, c, make([]float64, c*c))
		for r := range c {
			band := q.b[(i+r)*(w+1):][:w+1] // from column i + r - w
			copy(own.Data[r*c:], band[w-r:])
			own.Data[r*c+r] += s
			if i > 0 {
				copy(before.Data[r*w+r:(r+1)*w], band)
			}
		}
		diagonal := make([]float64, c)
		for r := range diagonal {
			diagonal[r] = own.Data[r*c+r]
		}
		if i > 0 {
			blas64.Trsm(blas.Right, blas.Trans, 1, blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: w, Data: last, Stride: w}, before)
			addSquare(-1, before, own)
		}
		if !(gonum.Implementation{}).Dpotf2(blas.Lower, c, own.Data, c) {
			return f, false
		}
		for r, d := range diagonal {
			p := own.Data[r*c+r]
			if !(p*p > Rounding(n)*d) {
				return f, false
			}
			f.logDet += 2 * math.Log(p)
		}
		last = append([]float64{}, own.Data...)
		InvertLower(own.Data, c)
		multiply(blas.NoTrans, blas.NoTrans, -1, own, before, 0, general(c, w, 2*w, f.steps[i*2*w:]))
		for r := range c {
			copy(f.steps[(i+r)*2*w+w:], own.Data[r*c:(r+1)*c])
		}
	}
	return f, true
}

// step is the step of the part from i.
func (f Shifted) step(i int) blas64.General {
	return general(min(f.width, f.n-i), 2*f.width, 2*f.width, f.steps[i*2*f.width:])
}

// Solve overwrites p [n] by (B + s I)⁻¹ p. It panics if p is too short.
func (f Shifted) Solve(p []float64) {
	check("Solve", len(p), f.n, 1)
	w := f.width
	x := make([]float64, w+f.n+w) // p after zeros, and the zeros that a last part does not have
	copy(x[w:], p[:f.n])
	for i := 0; i < f.n; i += w {
		s, own := f.step(i), make([]float64, w)
		blas64.Gemv(blas.NoTrans, 1, s, vector(x[i:i+2*w]), 0, vector(own[:s.Rows]))
		copy(x[i+w:], own[:s.Rows])
	}
	for i := (f.n - 1) / w * w; i >= 0; i -= w {
		s := f.step(i)
		own := append([]float64{}, x[i+w:][:s.Rows]...)
		clear(x[i+w:][:s.Rows])
		blas64.Gemv(blas.Trans, 1, s, vector(own), 1, vector(x[i:i+2*w]))
	}
	copy(p, x[w:w+f.n])
}

// scratch are slices to work in, by pointers.
var scratch sync.Pool

// borrow returns a slice of n numbers, which are not 0, from scratch.
func borrow(n int) *[]float64 {
	space, _ := scratch.Get().(*[]float64)
	if space == nil {
		space = new([]float64)
	}
	*space = slices.Grow((*space)[:0], n)[:n]
	return space
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// quadraticRows is the number of rows that Quadratics processes at a time.
const quadraticRows = 256

// Quadratics writes pᵀ (B + s I)⁻¹ p of each row p of rows [len(to), n] to to. It panics if rows is too short.
func (f Shifted) Quadratics(to, rows []float64) {
	check("Quadratics", len(rows), len(to), f.n)
	w := f.width
	simd.Share(len(to), quadraticRows, func(lo, hi int) {
		clear(to[lo:hi])
		space := borrow(2 * (hi - lo) * 2 * w)
		defer scratch.Put(space)
		x, next := (*space)[:(hi-lo)*2*w], (*space)[(hi-lo)*2*w:]
		clear(*space)
		for i := 0; i < f.n; i += w {
			s := f.step(i)
			for r := range hi - lo {
				copy(x[r*2*w+w:(r+1)*2*w], rows[(lo+r)*f.n+i:][:s.Rows])
			}
			out := general(hi-lo, s.Rows, 2*w, next)
			multiply(blas.NoTrans, blas.Trans, 1, general(hi-lo, s.Cols, 2*w, x), s, 0, out)
			for r := range hi - lo {
				own := next[r*2*w:][:s.Rows]
				to[lo+r] += floats.Dot(own, own)
			}
			x, next = next, x
		}
	})
}

// LogDet returns ln |B + s I|, which is also ln |A + s I| of the matrix A that was reduced.
func (f Shifted) LogDet() float64 { return f.logDet }
