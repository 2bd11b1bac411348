package dense

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/ops/internal/simd"
)

// Eigen returns the eigenvalues of the symmetric matrix a [n, n] in descending order, and their eigenvectors as the
// rows of vectors [n, n], each with its largest component positive. It reads the lower triangle of a and overwrites a.
// The error for entries that are not finite or overflow wraps domain.ErrDomain. It panics if a is too short.
//
// It reduces a to a tridiagonal matrix as Reduce does to a band, and this to a diagonal one by the implicit QL iteration
// (Golub and Van Loan, section 8.3). The rotations of several sweeps are collected and applied to the vectors as rows, in
// strips of components that stay in cache.
func Eigen(a []float64, n int) (values, vectors []float64, err error) {
	check("Eigen", len(a), n, n)
	if n == 0 {
		return nil, nil, nil
	}
	ctx := context.Background()
	q := reduce(ctx, a, n, 1)
	z := make([]float64, n*n)
	for i := range n {
		z[i*n+i] = 1
	}
	q.Rotate(ctx, z, n, true)
	d, e := make([]float64, n), make([]float64, n)
	for i := range n {
		d[i], e[(i+n-1)%n] = q.b[2*i+1], q.b[2*i]
	}
	if err := iterate(d, e, z); err != nil {
		return nil, nil, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[j], d[i]) })
	values, vectors = make([]float64, n), make([]float64, n*n)
	for k, i := range order {
		values[k] = d[i]
		row := vectors[k*n : (k+1)*n]
		copy(row, z[i*n:(i+1)*n])
		largest := slices.MaxFunc(row, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
		if largest < 0 {
			for c := range row {
				row[c] = -row[c]
			}
		}
	}
	return values, vectors, nil
}

// rotation turns the rows i and i+1.
type rotation struct {
	i    int
	c, s float64
}

// pending is the number of rotations that are collected, at least a few sweeps.
const pending = 1 << 14

// iterate replaces the diagonal d of a tridiagonal matrix by its eigenvalues and applies the rotations to the rows of
// z. e has the elements next to the diagonal and one number more.
func iterate(d, e, z []float64) error {
	n := len(d)
	var turns []rotation
	flush := func() {
		rotateRows(z, n, turns)
		turns = turns[:0]
	}
	small := 0.0 // of the size of the matrix, as eigenvalues of 0 have no size of their own
	for i, v := range d {
		small = math.Max(small, 0x1p-53*(math.Abs(v)+math.Abs(e[i])))
	}
	if !(small <= math.MaxFloat64) {
		return fmt.Errorf("the eigenvalues of a matrix of %d rows are not finite numbers: %w", n, domain.ErrDomain)
	}
	for l := range n {
		for sweep := 0; ; sweep++ {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(e[m]) <= small {
					break
				}
			}
			if m == l {
				break
			}
			if sweep == 60 {
				return fmt.Errorf("the eigenvalues of a matrix of %d rows do not converge: %w", n, domain.ErrDomain)
			}
			turns = qlSweep(d, e, l, m, turns)
			if len(turns) >= pending {
				flush()
			}
		}
	}
	flush()
	return nil
}

// qlSweep is one implicit QL step with Wilkinson's shift on the rows l to m. It appends its rotations to turns.
func qlSweep(d, e []float64, l, m int, turns []rotation) []rotation {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1., 1., 0.
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the matrix falls apart here
			d[i+1] -= p
			e[m] = 0
			return turns
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		turns = append(turns, rotation{i, c, s})
	}
	d[l] -= p
	e[l], e[m] = g, 0
	return turns
}

// strip is the number of components of the vectors that are rotated at a time.
const strip = 64

// rotateRows applies rotations to the n rows of z.
func rotateRows(z []float64, n int, turns []rotation) {
	simd.Share(n, strip, func(from, to int) {
		for _, t := range turns {
			a, b := z[t.i*n+from:t.i*n+to], z[(t.i+1)*n+from:(t.i+1)*n+to]
			for k, v := range b {
				u := a[k]
				b[k] = t.s*u + t.c*v
				a[k] = t.c*u - t.s*v
			}
		}
	})
}
