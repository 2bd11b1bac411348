package layers

import "fmt"

// Product maps parts of the input, each by a layer of its own, and multiplies each column of one part by each column of
// the others, scaled by the roots of the weights:
//
//	z(x) = √β₁ z₁(x₁) ⊗ √β₂ z₂(x₂) ⊗ ...,   z(x)·z(x') ≈ Π β_p k_p(x_p, x'_p).
//
// This is the feature map of a product of kernels, an interaction of several descriptors, where Concat adds them up.
// Parts may overlap. The columns of the last part run fastest. Vedaldi and Zisserman (2012), equations (7) and (13).
//
// The parts draw different random numbers, so E Π k̂_p = Π E k̂_p: the product is unbiased if all parts are. With the
// variances v_p of the parts its variance is Π (k_p² + v_p) - Π k_p², which falls with the widths of the parts, not
// with their product.
//
// The widths multiply: two parts of 64 columns make 4096, and 3 columns of each of 10 make 59049. Use it for a few
// parts. For many columns use one map of a kernel that is a product itself, such as Gaussian, SkewedChi2 or
// Exponentiated: it has any width, and its error falls with all of it.
type Product struct{ *parallel }

// NewProduct makes a Product of parts for an input of dims columns. For a gradient of a leaf input, give WithInputGrad
// to NewProduct and to the layers of the parts. Errors: as for NewConcat; a weight of 0 (ErrParam); more than 2³¹ - 1
// features (ErrShape).
func NewProduct(dims int, parts []Part, opts ...Option) (*Product, error) {
	return newParallel[Product](true, dims, parts, opts)
}

// width returns how many columns parts of these widths make, side by side or multiplied.
func width(who string, product bool, parts []int) (all int, err error) {
	if product {
		all = 1
	}
	for _, m := range parts {
		switch {
		case !product:
			all += m
		case m > 0 && all > maxProduct/m:
			return 0, fmt.Errorf("%s: parts of %v features make more than %d together; use fewer or narrower parts, "+
				"or one map of a kernel of all their columns: %w", who, parts, maxProduct, ErrShape)
		default:
			all *= m
		}
	}
	return all, nil
}

// maxProduct is the largest number of features of a Product, as ops.Kronecker has no more columns.
const maxProduct = 1<<31 - 1
