package spectral

import (
	"fmt"
	"math/rand/v2"
)

// IID draws independent frequencies. It fits every law. Rahimi and Recht (2007); Yang et al. (2014), algorithm 1.
//
//guide:frequencies independent
//guide:for every law
//guide:errors 1
type IID struct{}

var _ Sampler = IID{}

func (IID) String() string { return "iid" }

// Sample draws column after column: by Draw if the kernel is a Law, else by the quantile of each coordinate, else by
// the norm and a uniform direction. Errors are as in Sampler.
func (s IID) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	rng := rand.New(src)
	col := make([]float64, d)
	var draw func()
	switch law := k.(type) {
	case Law:
		draw = func() { law.Draw(col, rng) }
	case ProductLaw:
		draw = func() {
			for i := range col {
				col[i] = law.Quantile(openUniform(rng))
			}
		}
	case RadialLaw:
		draw = func() {
			direction(col, rng)
			r := law.NormQuantile(d, openUniform(rng))
			for i := range col {
				col[i] *= r
			}
		}
	default:
		return &SamplerError{s, k, fmt.Sprintf("%T has no law to draw from; give it Draw, Quantile or NormQuantile", k)}
	}
	for j := range m {
		draw()
		for i, v := range col {
			w[i*m+j] = v
		}
	}
	return nil
}
