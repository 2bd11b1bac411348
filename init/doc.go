// Package spectral turns a kernel into random frequencies: kernel → law of the frequencies → drawn frequencies.
//
// Many kernels are expectations over a random frequency w:
//
//	Fourier      k(x, z) = E cos(w·(x - z))                     Gaussian, Laplacian, Matern
//	Laplace      k(x, z) = E exp(-w·(x + z))                    ExpSemigroup, ReciprocalSemigroup
//	LogFourier   k(x, z) = E cos(w·(ln(x + c) - ln(z + c)))     SkewedChi2, SkewedIntersection
//
// The first is Bochner's theorem, the second its twin for the semigroup of non-negative vectors by Berg, Christensen and Ressel,
// the third is Bochner's theorem on a multiplicative group. Draw m frequencies, replace the expectation by their mean, and the
// kernel becomes the inner product of two explicit feature vectors: a linear model on the features is a kernel machine.
//
// A kernel is a small struct, Gaussian{Sigma: 1}. It always knows its exact value, At, and its Domain. What is known of its law
// is an interface: Law draws a whole frequency, ProductLaw has independent coordinates with a known quantile, RadialLaw a
// uniform direction and a norm with a known quantile. Custom makes a kernel of any law of your own.
//
// Histograms have additive kernels besides, which need no chance: Chi2, Intersection, JensenShannon and Hellinger are Homogeneous.
// Harmonics are a few samples of a spectrum of one dimension, from which a feature map is made coordinate by coordinate, SupError
// says how far off it is, and FittedPeriod and OptimalPeriod choose its one parameter. Exponentiated is the Gaussian kernel
// of the metric of such a kernel, Stationary the translation-invariant kernel of the same signature.
//
// A Sampler draws the frequencies. IID fits every law; Orthogonal, for a RadialLaw, has less variance; Structured, from 16
// dimensions on, is a product of Hadamard matrices that is applied without being formed. Frequencies does the drawing:
//
//	w, err := spectral.Frequencies(spectral.Gaussian{Sigma: 2}, spectral.Orthogonal{}, d, m, seed)
//
// Gram computes the exact matrix to compare with, PairVariance how far off the features will be, and SqrtDVar, DMeanAbsDev
// and MedianDistance bandwidths to start from. To read on: gaussian.go, iid.go, orthogonal.go, exp_semigroup.go, chi2.go.
//
// # Conventions
//
//	x             [n, d], one instance a row
//	W             [d, m], one frequency a column, float64
//	features      D, the number of columns: 2m for the pair [cos | sin], m for the phase form and for Laplace
//	frequencies   angular: cos(w·x), no 2π
//	randomness    a seed or a rand.Source is an argument; named streams (Stream); never the clock, never a global
//	errors        sentinels for errors.Is: ErrDomain, ErrShape, ErrDtype, ErrParam, ErrSampler, ErrNotBuilt
//	panics        rows of different lengths in At and Gradient, and nothing else
//
// # Conversions
//
//	here                        elsewhere
//	Gaussian{Sigma: s}          scikit-learn rbf gamma = 1/(2s²); GPyTorch RBFKernel lengthscale = s
//	Gaussian{Sigma: SqrtDVar}   scikit-learn gamma="scale" = 1/(d Var)
//	Laplacian{Sigma: s}         scikit-learn laplacian gamma = 1/s
//	Matern{Nu: v, Ell: l}       scikit-learn Matern nu = v, length_scale = l; GPyTorch MaternKernel nu = v, lengthscale = l
//	Matern{Nu: 0.5, Ell: l}     exp(-‖x-z‖₂/l); Laplacian has ‖x-z‖₁ and is the same kernel for d = 1 only
//	Matern{Nu: ∞, Ell: l}       Gaussian{Sigma: l}
//	ExpSemigroup{Beta: b}       libskylark ExpSemigroupRLT_t beta = b; Lévy law of scale b²/2
//	SkewedChi2{C: c}            scikit-learn SkewedChi2Sampler skewedness = c
//	Chi2, order n, period Λ     VLFeat order n and period Λ; its period -1 is FittedPeriod. scikit-learn AdditiveChi2Sampler
//	                            sample_steps = n+1, sample_interval = 2π/Λ, with the columns of a harmonic together
//	JensenShannon               to base 2; k in nats is k·ln 2. SquaredMetric is 2 JS, JS = ½KL(x|m) + ½KL(z|m) in bits
//	Exponentiated{Of, Sigma: s} exp(-gamma D²) with gamma = 1/(2s²); scikit-learn chi2_kernel gamma on Chi2's D² = Σ (x-z)²/(x+z)
//
// # Names
//
// The package lives in the folder init, where Go forbids a package of that name. Import it as
//
//	spectral "github.com/bochner-go/bochner/init"
package spectral
