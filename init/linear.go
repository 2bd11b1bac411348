package spectral

// Linear is the linear kernel k(x, z) = x·z on ℝ^d: the baseline. Its feature map is x itself, so it has no
// frequencies.
type Linear struct{}

var _ Gradienter = Linear{}

// At returns x·z.
func (Linear) At(x, z []float64) float64 {
	sameLength(x, z)
	sum := 0.0
	for i, v := range x {
		sum += v * z[i]
	}
	return sum
}

// Gradient returns z.
func (Linear) Gradient(dst, x, z []float64) []float64 {
	dst = gradientDst(dst, x)
	sameLength(x, z)
	copy(dst, z)
	return dst
}

// Domain is ℝ^d.
func (Linear) Domain() Domain { return Domain{} }
