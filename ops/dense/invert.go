package dense

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// smallTriangle is the largest triangle that is inverted number by number, and trianglePanel the number of rows or
// columns in a product.
const smallTriangle, trianglePanel = 16, 256

// InvertLower overwrites the lower triangle L of a [n, n] by its inverse and the other triangle by zeros. A zero on the
// diagonal gives numbers that are not finite. It panics if a is too short.
//
// It halves the triangle recursively, so that nearly all of the n³/3 multiply-adds are in products. The residual of L⁻¹
// L is as small as for solutions column by column: Higham (2002), Accuracy and stability of numerical algorithms,
// section 14.2.
func InvertLower(a []float64, n int) {
	check("InvertLower", len(a), n, n)
	for i := range n {
		clear(a[i*n+i+1 : (i+1)*n])
	}
	invert(general(n, n, n, a))
}

// invert overwrites a lower triangle: the inverse of [A 0; B C] is [A⁻¹ 0; -C⁻¹ B A⁻¹ C⁻¹].
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
	for i := 0; i < n-h; i += trianglePanel { // of C⁻¹ what is not above the diagonal, some rows at a time
		r := min(trianglePanel, n-h-i)
		multiply(blas.NoTrans, blas.NoTrans, 1, part(c, i, 0, r, i+r), b, 0, part(cb, i, 0, r, h))
	}
	for j := 0; j < h; j += trianglePanel { // of A⁻¹ likewise, some columns at a time
		k := min(trianglePanel, h-j)
		below := part(a, j, j, h-j, k)
		multiply(blas.NoTrans, blas.NoTrans, -1, part(cb, 0, j, n-h, h-j), below, 0, part(b, 0, j, n-h, k))
	}
}
