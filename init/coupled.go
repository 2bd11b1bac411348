package spectral

import "math/rand/v2"

// Coupled is Orthogonal with norms that are coupled in pairs: columns 2i and 2i+1 have the norms F⁻¹(u) and F⁻¹(1-u),
// where F is the distribution function of the norm. A short frequency comes with a long one. Each single frequency
// still has exactly the kernel's law, so the features are unbiased. It needs the NormQuantile of the law.
//
// It has less variance than Orthogonal where ‖x - z‖ is small; no coupling of two norms has less there. In few
// dimensions it has more than IID for the Gaussian at three to four bandwidths: up to 1.64 times as much for d = 1,
// 1.37 for d = 2, 1.13 for d = 3 and 1.01 for d = 8. Reid, Markou, Choromanski, Turner and Weller (2025),
// Variance-Reducing Couplings for Random Features, section 3.
//
// For an odd d every second block begins with the partner of the last column before it. These two are coupled but not
// orthogonal.
//
//	sampler      d     m  x - z         .1      .5       1       2       3       4       5
//	Coupled      1   any  any          .56     .51     .36     .10     .88    1.63    1.28
//	Coupled      2   any  any          .59     .55     .42     .28    1.02    1.35     .91
//	Coupled      3   any  any          .42     .37     .26     .41    1.09    1.01     .94
//	Coupled      8   any  any          .21     .18     .14     .60    1.01    1.00    1.00
//	Coupled     64   any  any         .030    .029    .083     .69     .99    1.00    1.00
//
//guide:frequencies Haar blocks, norms coupled in pairs
//guide:for a uniform direction
//guide:errors .18, .14, .60, 1.01, 1.00, 1.00
//guide:worse few columns, three to four bandwidths: 1.64 in one, 1.37 in two, 1.13 in three
type Coupled struct{}

var _ Sampler = Coupled{}

func (Coupled) String() string { return "coupled" }

func (Coupled) papers() []string { return []string{"Yu et al. 2016", "Reid et al. 2025"} }

// Sample fills w block after block. The directions are those that Orthogonal draws from the same source. Errors are as
// in Sampler.
func (s Coupled) Sample(w []float64, d, m int, k Random, src rand.Source) error {
	if err := checkSample(s, w, d, m, k, src); err != nil {
		return err
	}
	law, err := radialLaw(s, k)
	if err != nil {
		return err
	}
	directions, norms := rand.New(subStream(src)), rand.New(subStream(src))
	var u float64
	orthogonalBlocks(w, d, m, directions, func(j int) float64 {
		if j%2 == 0 {
			u = openUniform(norms)
			return law.NormQuantile(d, u)
		}
		return law.NormQuantile(d, 1-u)
	})
	return nil
}
