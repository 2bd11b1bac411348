package dense

import (
	fast "github.com/bochner-go/bochner/ops/blas"
	"gonum.org/v1/gonum/blas"
)

// smallTriangle is how large a triangle is inverted number by number.
const smallTriangle = 16

// InvertLower writes the inverse of the lower triangle of l [n, n] to the lower triangle of inv [n, n], whose upper
// triangle must be 0 and stays so; the upper triangle of l is not read. The diagonal of l must have no zero, as that of
// a Cholesky factor has none: the inverse is infinite there. It panics where l or inv is too short.
//
// It halves the triangle, so that nearly all of the 2n³/3 operations are in products:
//
//	[A 0; B C]⁻¹ = [A⁻¹ 0; -C⁻¹ B A⁻¹  C⁻¹]
func InvertLower(l, inv []float64, n int) {
	check("InvertLower", len(l), n, n)
	check("InvertLower", len(inv), n, n)
	invertLower(l, inv, n, n)
}

// invertLower is InvertLower for rows that are stride apart.
func invertLower(l, inv []float64, n, stride int) {
	if n <= smallTriangle {
		for j := range n {
			inv[j*stride+j] = 1 / l[j*stride+j]
			for i := j + 1; i < n; i++ {
				sum := 0.
				for t := j; t < i; t++ {
					sum += l[i*stride+t] * inv[t*stride+j]
				}
				inv[i*stride+j] = -sum / l[i*stride+i]
			}
		}
		return
	}
	h := n / 2
	low, right := h*stride, h*stride+h
	invertLower(l, inv, h, stride)
	invertLower(l[right:], inv[right:], n-h, stride)
	tmp, f := make([]float64, (n-h)*h), fast.Implementation{}
	f.Dgemm(blas.NoTrans, blas.NoTrans, n-h, h, n-h, 1, inv[right:], stride, l[low:], stride, 0, tmp, h)
	f.Dgemm(blas.NoTrans, blas.NoTrans, n-h, h, h, -1, tmp, h, inv, stride, 0, inv[low:], stride)
}
