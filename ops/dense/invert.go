package dense

import (
	fast "github.com/bochner-go/bochner/ops/blas"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// smallTriangle is how large a triangle is inverted number by number.
const smallTriangle = 16

// InvertLower overwrites the lower triangle L of a [n, n] by its inverse, and the other triangle by zeros. A zero on
// the diagonal gives numbers that are not finite. It panics where a is too short.
//
// It halves the triangle, so that nearly all the work, ⅔ n³ multiply-adds or less, is in products. The residual of L⁻¹
// L is that of a solution column by column: Higham (2002), Accuracy and stability of numerical algorithms, section
// 14.2.
func InvertLower(a []float64, n int) {
	check("InvertLower", len(a), n, n)
	for i := range n {
		clear(a[i*n+i+1 : (i+1)*n])
	}
	invert(general(n, n, n, a))
}

// invert overwrites a triangle, above which are zeros: the inverse of [A 0; B C] is [A⁻¹ 0; -C⁻¹ B A⁻¹ C⁻¹].
func invert(l blas64.General) {
	n := l.Rows
	if n <= smallTriangle {
		for i := range n {
			row := l.Data[i*l.Stride : i*l.Stride+i+1]
			d := 1 / row[i]
			for j := range i {
				sum := 0.
				for t := j; t < i; t++ {
					sum += row[t] * l.Data[t*l.Stride+j]
				}
				row[j] = -sum * d
			}
			row[i] = d
		}
		return
	}
	h := n / 2
	a, b, c := part(l, 0, 0, h, h), part(l, h, 0, n-h, h), part(l, h, h, n-h, n-h)
	invert(a)
	invert(c)
	cb := general(n-h, h, h, make([]float64, (n-h)*h))
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n-h, h, n-h, 1, c.Data, c.Stride, b.Data, b.Stride, 0, cb.Data, h)
	fast.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n-h, h, h, -1, cb.Data, h, a.Data, a.Stride, 0, b.Data, b.Stride)
}
