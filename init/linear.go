package spectral

// Linear is the linear kernel k(x, z) = x·z on ℝ^d: the baseline. Its feature map is x itself, so it has no
// frequencies.
type Linear struct{}

// At returns x·z.
func (Linear) At(x, z []float64) float64 {
	sameLength(x, z)
	return sumOver(x, z, func(a, b float64) float64 { return a * b })
}

// Gradient returns z.
func (Linear) Gradient(dst, x, z []float64) []float64 {
	return gradient(dst, x, z, func(_, b float64) float64 { return b })
}

func (Linear) Domain() Domain { return Domain{} }
