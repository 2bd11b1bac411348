package dense

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/gonum"
)

// bandWidth is the number of diagonals below the main one that Reduce leaves, panelRows the number of reflections that
// are applied to the matrix as one product, a multiple of it, and turnRows the number that are applied to rows as one.
const bandWidth, panelRows, turnRows = 32, 32, 128

// Band is a symmetric matrix A as Q B Qᵀ with B a band matrix, so that (A + s I)⁻¹ costs O(n) a vector for every s.
//
// It is the first stage of the successive band reduction of Bischof, Lang and Sun (2000): the part of some columns that
// lies below the band is reduced by a QR decomposition, and nearly all of the 4/3 n³ operations are products of
// matrices. With a width of 1 it is the reduction to a tridiagonal matrix, whose products with vectors remain (LAPACK's
// dlatrd: Dongarra, Sorensen and Hammarling, 1989).
type Band struct {
	n, width int
	b        []float64 // [n, width+1]: row i has B[i, i-width] to B[i, i]
	v, tau   []float64 // row i: reflection i, I - τ v vᵀ, with v = 0 before i + width; Q is their product in order
	blocks   []reflections
}

// reflections are at most turnRows reflections from row first. Their product is I - V t Vᵀ, with the rows of v as the
// columns of V and t upper triangular (Schreiber and Van Loan, 1989).
type reflections struct {
	first int
	v     blas64.General // from column first + width
	t     blas64.General
}

// Reduce reduces the symmetric matrix a [n, n]. It reads the lower triangle of a, overwrites a, and keeps it. It panics
// if a is too short.
func Reduce(ctx context.Context, a []float64, n int) *Band { return reduce(ctx, a, n, bandWidth) }

// reduce leaves width diagonals.
func reduce(ctx context.Context, a []float64, n, width int) *Band {
	checkContext("Reduce", ctx)
	check("Reduce", len(a), n, n)
	q := &Band{n: n, width: width, b: make([]float64, n*(width+1)), v: a, tau: make([]float64, max(n-width, 0))}
	left, right := make([]float64, 2*panelRows*n), make([]float64, 2*panelRows*n)
	for first := 0; first < n; first += panelRows {
		count := min(panelRows, n-first)
		v, w := a[first*n:(first+count)*n], right[count*n:2*count*n]
		clear(w)
		for j := 0; j < count; j += width {
			if ctx.Err() != nil {
				return q
			}
			q.reduceColumns(first, j, w)
		}
		// The rest becomes A - V Wᵀ - W Vᵀ.
		copy(right, v)
		copy(left, w)
		copy(left[count*n:], v)
		for lo := first + count; lo < n; lo += tile {
			hi := min(lo+tile, n)
			from := first + count
			l, r := general(2*count, hi-lo, n, left[lo:]), general(2*count, hi-from, n, right[from:])
			multiply(blas.Trans, blas.NoTrans, -1, l, r, 1, general(hi-lo, hi-from, n, a[lo*n+from:]))
		}
	}
	for first := 0; first < len(q.tau); first += turnRows {
		count := min(turnRows, len(q.tau)-first)
		v := q.reflectors(first, count)
		q.blocks = append(q.blocks, reflections{first, v, compact(v, q.tau[first:])})
	}
	return q
}

// reflectors are count reflections from row first.
func (q *Band) reflectors(first, count int) blas64.General {
	from := first + q.width
	return part(general(q.n, q.n, q.n, q.v), first, from, count, q.n-from)
}

// reduceColumns reduces width columns after the first j of a panel, whose update V, W the matrix does not have yet. It
// puts the reflections into their rows of the matrix, and their part of W into w.
func (q *Band) reduceColumns(first, j int, w []float64) {
	n, width, i := q.n, q.width, first+j
	count, m := min(width, n-i), max(n-i-width, 0)
	x := general(count, n-i, n-i, make([]float64, count*(n-i))) // the columns, as rows
	for p := range n - i {
		for l, v := range q.v[(i+p)*n+i:][:min(p+1, count)] {
			x.Data[l*x.Stride+p] = v
		}
	}
	done := part(general(n, n, n, q.v), first, 0, j, n)
	if j > 0 {
		of := general(j, n, n, w)
		multiply(blas.Trans, blas.NoTrans, -1, part(of, 0, i, j, count), part(done, 0, i, j, n-i), 1, x)
		multiply(blas.Trans, blas.NoTrans, -1, part(done, 0, i, j, count), part(of, 0, i, j, n-i), 1, x)
	}
	for l := range count {
		row, reflection := x.Data[l*x.Stride:][:n-i], q.v[(i+l)*n:][:n]
		clear(reflection)
		if l < m {
			below := row[width+l:]
			below[0], q.tau[i+l] = gonum.Implementation{}.Dlarfg(len(below), below[0], below[1:], 1)
			v := reflection[i+width+l:]
			v[0] = 1
			copy(v[1:], below[1:])
			for next := l + 1; next < count; next++ {
				to := x.Data[next*x.Stride+width+l:][:len(v)]
				floats.AddScaled(to, -q.tau[i+l]*floats.Dot(to, v), v)
			}
		}
		for p := l; p < min(l+width+1, n-i); p++ {
			q.b[(i+p)*(width+1)+width-p+l] = row[p]
		}
	}
	if m == 0 {
		return
	}
	// With P = (A - V Wᵀ - W Vᵀ) V' t for the new V', W' is P - V' (tᵀ V'ᵀ P)/2.
	r := min(count, m)
	v, to := q.reflectors(i, r), general(r, m, n, w[j*n+i+width:])
	t := compact(v, q.tau[i:])
	y := general(m, r, r, make([]float64, m*r))
	symmetricTimes(part(general(n, n, n, q.v), i+width, i+width, m, m), v, y)
	if j > 0 {
		before, of := part(done, 0, i+width, j, m), general(j, m, n, w[i+width:])
		for range 2 {
			c := general(j, r, r, make([]float64, j*r))
			multiply(blas.NoTrans, blas.Trans, 1, of, v, 1, c)
			multiply(blas.Trans, blas.NoTrans, -1, before, c, 1, y)
			before, of = of, before
		}
	}
	multiply(blas.Trans, blas.Trans, 1, t, y, 0, to)
	s, ts := general(r, r, r, make([]float64, r*r)), general(r, r, r, make([]float64, r*r))
	multiply(blas.NoTrans, blas.Trans, 1, v, to, 1, s)
	multiply(blas.Trans, blas.NoTrans, 1, t, s, 0, ts)
	multiply(blas.Trans, blas.NoTrans, -.5, ts, v, 1, to)
}

// symmetricTimes adds A vᵀ to y, for the lower triangle A. It changes the other one.
func symmetricTimes(a, v, y blas64.General) {
	if v.Rows == 1 { // bound by memory: every number is read once
		for i, vi := range v.Data[:a.Rows] {
			row := a.Data[i*a.Stride:][:i+1]
			y.Data[i] += floats.Dot(row, v.Data[:i+1])
			floats.AddScaled(y.Data[:i], vi, row[:i])
		}
		return
	}
	for lo := 0; lo < a.Rows; lo += tile {
		h := min(tile, a.Rows-lo)
		strip := part(a, lo, 0, h, lo+h)
		for i := range h {
			for j := range i {
				strip.Data[j*a.Stride+lo+i] = strip.Data[i*a.Stride+lo+j]
			}
		}
		multiply(blas.NoTrans, blas.Trans, 1, strip, part(v, 0, 0, v.Rows, lo+h), 1, part(y, lo, 0, h, y.Cols))
		if lo > 0 {
			of := part(v, 0, lo, v.Rows, h)
			multiply(blas.Trans, blas.Trans, 1, part(strip, 0, 0, h, lo), of, 1, part(y, 0, 0, lo, y.Cols))
		}
	}
}

// compact returns the t of reflections whose vectors are the rows of v: column j is -τⱼ t (Vᵀ vⱼ) above τⱼ.
func compact(v blas64.General, tau []float64) blas64.General {
	c := v.Rows
	t, dots := make([]float64, c*c), make([]float64, c*c)
	addSquare(1, v, general(c, c, c, dots))
	for j, tj := range tau[:c] {
		for l := range j {
			for i := range l + 1 {
				t[i*c+j] -= tj * t[i*c+l] * dots[j*c+l]
			}
		}
		t[j*c+j] = tj
	}
	return general(c, c, c, t)
}

// Rotate overwrites z [rows, n] by z Q, or by z Qᵀ if back is set, some rows at a time, so that they stay in cache. It
// panics if z is too short.
func (q *Band) Rotate(ctx context.Context, z []float64, rows int, back bool) {
	checkContext("Rotate", ctx)
	check("Rotate", len(z), rows, q.n)
	for i := 0; i < rows; i += depth {
		m := general(min(depth, rows-i), q.n, q.n, z[i*q.n:])
		for b := range q.blocks {
			if ctx.Err() != nil {
				return
			}
			if back {
				q.reflect(m, q.blocks[len(q.blocks)-1-b], blas.Trans)
			} else {
				q.reflect(m, q.blocks[b], blas.NoTrans)
			}
		}
	}
}

// reflect overwrites z by z (I - V t Vᵀ), or by z (I - V tᵀ Vᵀ).
func (q *Band) reflect(z blas64.General, r reflections, trans blas.Transpose) {
	k, from := r.v.Rows, r.first+q.width
	space := borrow(2 * z.Rows * k)
	defer scratch.Put(space)
	zv, zvt := general(z.Rows, k, k, (*space)[:z.Rows*k]), general(z.Rows, k, k, (*space)[z.Rows*k:])
	rest := part(z, 0, from, z.Rows, q.n-from)
	multiply(blas.NoTrans, blas.Trans, 1, rest, r.v, 0, zv)
	multiply(blas.NoTrans, trans, 1, zv, r.t, 0, zvt)
	multiply(blas.NoTrans, blas.NoTrans, -1, zvt, r.v, 1, rest)
}
