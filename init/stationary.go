package spectral

// Stationary is the translation-invariant kernel with the signature of a homogeneous kernel,
//
//	k(x, z) = Σ_i 𝒦(z_i - x_i)
//
// on ℝ^d, such as Σ sech((z-x)/2) for Chi2. Vedaldi and Zisserman (2012), equations (5) and (6) and section 2.1.2.
type Stationary struct {
	Of Homogeneous // the kernel with the signature; its degree and extension are not used
}

var (
	_ Kernel    = Stationary{}
	_ Validator = Stationary{}
)

// At returns Σ 𝒦(z - x).
func (k Stationary) At(x, z []float64) float64 {
	sameLength(x, z)
	of, sum := present(k.Of), 0.0
	for i, v := range x {
		sum += of.Signature(z[i] - v)
	}
	return sum
}

// Domain is ℝ^d.
func (k Stationary) Domain() Domain { return Domain{} }

// Validate returns the error of the homogeneous kernel.
func (k Stationary) Validate() error { return validate(k.Of) }
