package spectral

import "math/rand/v2"

// IID draws independent frequencies. It fits every law. Rahimi and Recht (2007); Yang et al. (2014), algorithm 1.
type IID struct{}

func (IID) String() string { return "iid" }

// Sample draws column after column. Errors are as in Sampler.
func (s IID) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	law, rng := k.Law(), rand.New(src)
	if err := suits(law.drawable(), s, k, "it has no law to draw from; give it Draw, Quantile or NormQuantile"); err != nil {
		return err
	}
	fillColumns(w, d, m, func(col []float64) { law.draw(col, rng) })
	return nil
}

// fillColumns fills w, row-major [d, m], with one draw a column.
func fillColumns(w []float64, d, m int, draw func(col []float64)) {
	col := make([]float64, d)
	for j := range m {
		draw(col)
		for i, v := range col {
			w[i*m+j] = v
		}
	}
}

// drawable reports whether the law has a function.
func (l Law) drawable() bool { return l.Draw != nil || l.Quantile != nil || l.NormQuantile != nil }

// draw draws a frequency by Draw, or else by the quantile of each coordinate, or by the norm and a uniform direction.
func (l Law) draw(dst []float64, rng *rand.Rand) {
	switch {
	case l.Draw != nil:
		l.Draw(dst, rng)
	case l.Quantile != nil:
		for i := range dst {
			dst[i] = l.Quantile(openUniform(rng))
		}
	default:
		direction(dst, rng)
		r := l.NormQuantile(len(dst), openUniform(rng))
		for i := range dst {
			dst[i] *= r
		}
	}
}
