package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// conjugate solves H X = B by preconditioned conjugate gradients (Hestenes and Stiefel 1952). Each group of columns is
// a system of its own, with its own steps; all share the products.
type conjugate struct {
	width int                                          // columns of a group
	most  int                                          // iterations
	tol   float64                                      // a system is done when its residual is this share of the first
	times func(p columns, open []int) (columns, error) // H p, for the columns open of B
	// precondition is P⁻¹ r; nil: P is I. plain residuals are measured by their norm, others by the norm of P⁻¹.
	precondition func(r columns) columns
	plain        bool
	progress     func(iteration int, residual float64) // nil: not called
}

// solve returns X, the largest residual of a system as a share of the first, and the number of iterations.
func (c conjugate) solve(b columns) (x columns, residual float64, iterations int, err error) {
	if c.precondition == nil {
		c.precondition = func(r columns) columns { return r }
	}
	w, open := c.width, indices(b.k)
	x = newColumns(len(b.v)/b.k, b.k)
	r := columns{b.k, slices.Clone(b.v)}
	z := c.precondition(r)
	p, rz := columns{b.k, slices.Clone(z.v)}, r.dots(z, w)
	size := func() []float64 {
		if c.plain {
			return r.dots(r, w)
		}
		return rz
	}
	first, left := slices.Clone(size()), make([]float64, b.k/w)
	for ; ; iterations++ {
		var keep []int
		for g, s := range size() {
			share := 0.
			if f := first[open[g*w]/w]; s != 0 {
				share = math.Sqrt(s / f)
			}
			if left[open[g*w]/w] = share; share > c.tol && rz[g] > 0 {
				for j := range w {
					keep = append(keep, g*w+j)
				}
			}
		}
		residual = slices.Max(left)
		if c.progress != nil && iterations > 0 {
			c.progress(iterations, residual)
		}
		if len(keep) == 0 || iterations == c.most {
			return x, residual, iterations, nil
		}
		if len(keep) < len(open) {
			r, p = r.pick(keep), p.pick(keep)
			sums := make([]float64, len(keep)/w)
			for q, j := range keep {
				sums[q/w] = rz[j/w]
			}
			open, rz = pick(open, keep), sums
		}
		h, err := c.times(p, open)
		if err != nil {
			return x, residual, iterations, err
		}
		step := p.dots(h, w)
		for g, curvature := range step {
			if step[g] = 0; curvature > 0 { // else the system is done to the last digit
				step[g] = rz[g] / curvature
			}
		}
		for i := range len(r.v) / r.k {
			to, d, ri, hi := x.row(i), p.row(i), r.row(i), h.row(i)
			for q, j := range open {
				to[j] += step[q/w] * d[q]
				ri[q] -= step[q/w] * hi[q]
			}
		}
		z = c.precondition(r)
		next := r.dots(z, w)
		for i := range len(p.v) / p.k {
			d, zi := p.row(i), z.row(i)
			for q := range d {
				d[q] = zi[q] + next[q/w]/rz[q/w]*d[q]
			}
		}
		for g := range next {
			if step[g] == 0 {
				next[g] = 0
			}
		}
		rz = next
	}
}

// columns are k columns of numbers for the rows [n, k], or for the features [D + 1, k], the constant feature last;
// row-major.
type columns struct {
	k int
	v []float64
}

func newColumns(rows, k int) columns { return columns{k, make([]float64, rows*k)} }

func (c columns) row(i int) []float64 { return c.v[i*c.k : (i+1)*c.k] }

// dots are the inner products of groups of width columns with those of o.
func (c columns) dots(o columns, width int) []float64 {
	sums := make([]float64, c.k/width)
	for lo := 0; lo < len(c.v); lo += c.k {
		a, b := c.v[lo:lo+c.k], o.v[lo:lo+c.k]
		for g := range sums {
			for j := g * width; j < (g+1)*width; j++ {
				sums[g] += a[j] * b[j]
			}
		}
	}
	return sums
}

// pick is a copy of the columns at the given places.
func (c columns) pick(at []int) columns {
	out := newColumns(len(c.v)/c.k, len(at))
	for i := range len(c.v) / c.k {
		row := out.row(i)
		for q, j := range at {
			row[q] = c.v[i*c.k+j]
		}
	}
	return out
}

// addTo adds t times the columns d to the columns at the given places.
func (c columns) addTo(at []int, t []float64, d columns) {
	for i := range len(d.v) / d.k {
		to, row := c.row(i), d.row(i)
		for q, j := range at {
			to[j] += t[q] * row[q]
		}
	}
}

// pick are the numbers at the given places.
func pick(v, at []int) []int {
	out := make([]int, len(at))
	for q, j := range at {
		out[q] = v[j]
	}
	return out
}

// indices are 0, 1, ..., n-1.
func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// centre turns Zᵀ u into Zcᵀ u, for the means of the features in Z and the sums 1ᵀu.
func (c columns) centre(mean, sums []float64) {
	for j, m := range mean {
		floats.AddScaled(c.row(j), -m, sums)
	}
}
