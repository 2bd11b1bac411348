package linear

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// columns are k columns of numbers for the rows [n, k], or for the features [D + 1, k], the constant feature last;
// row-major.
type columns struct {
	k int
	v []float64
}

func newColumns(rows, k int) columns { return columns{k, make([]float64, rows*k)} }

func (c columns) row(i int) []float64 { return c.v[i*c.k : (i+1)*c.k] }

// norm is the Euclidean norm of column j.
func (c columns) norm(j int) float64 { return math.Sqrt(c.dot(c, j)) }

func (c columns) dot(o columns, j int) (sum float64) {
	for i := j; i < len(c.v); i += c.k {
		sum += c.v[i] * o.v[i]
	}
	return sum
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

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Data: v, Inc: 1} }
