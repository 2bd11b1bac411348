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
// DensityDistance is such a kernel's distance of probability densities.
//
// A kernel that is not positive definite is a difference of two such expectations where its Fourier transform, which has both signs, has
// finite mass: a SignedLaw splits into the two, exactly (DeltaGaussian, SpherePolynomial for some parameters) or as a signed combination
// of Gaussians that is as close as is asked for (SpherePolynomial, ArcCosine, NeuralTangent, on the unit sphere). A Coupling draws the
// frequencies of both signs together and predicts the variance.
// To compare with there are, for the polynomial kernel of the sphere, random products of projections (DrawProducts), count sketches
// (DrawCountSketches) and a positive density that comes near it (SRF), with a bias.
//
// A Sampler draws the frequencies; Frequencies does the drawing:
//
//	w, err := spectral.Frequencies(spectral.Gaussian{Sigma: 2}, spectral.Orthogonal{}, d, m, seed)
//
// Gram computes the exact matrix to compare with, PairVariance and the samplers' Variance how far off the features will be, and
// SqrtDVar, DMeanAbsDev and MedianDistance bandwidths to start from. To read on: gaussian.go, iid.go, orthogonal.go, exp_semigroup.go.
//
// # Samplers
//
//	IID          independent frequencies                                        every law
//	Orthogonal   Haar blocks, independent norms                                 RadialLaw
//	Coupled      Haar blocks, norms coupled in pairs                            RadialLaw
//	Antithetic   opposite quantiles of each coordinate, in pairs                ProductLaw
//	Structured   Hadamard matrices, applied without being formed; some bias     RadialLaw, from 16 dimensions on
//	Halton       a scrambled Halton sequence                                    ProductLaw, RadialLaw, up to 1000 coordinates
//	Sobol        a scrambled Sobol' sequence                                    ProductLaw, RadialLaw, up to 1111 coordinates
//
// All but Structured are unbiased. The mean squared error for the Gaussian in 8 dimensions, relative to that of IID with as many
// frequencies m, where x - z lies along the diagonal or an axis and is .5, 1 or 2 bandwidths long:
//
//	             m      diagonal: .5    1     2       axis: .5      1       2
//	Orthogonal   any          .27   .24   .64          .27     .24     .64
//	Coupled      any          .18   .14   .60          .18     .14     .60
//	Antithetic   even         .94   .95   .98          .51     .36     .10
//	Halton       8            .93   .93   .97          .31     .18     .14
//	             64           .36   .39   .79          .034    .005    .014
//	             1024         .032  .075  .52          .0015   .0002   .0005
//	Sobol        8           1.11  1.12  1.12          .31     .19     .14
//	             64           .28   .32   .79          .034    .005    .014
//	             1024         .010  .044  .41          .0013   .0001   .0005
//
// (whole blocks for the first two). The sequences gain where the dimensions are few, the data lie along few axes, or frequencies are
// many; the orthogonal samplers gain more as the dimensions grow, for close pairs.
//
// # Conventions
//
//	x             [n, d], one instance a row
//	W             [d, m], one frequency a column, float64
//	features      D, the number of columns: 2m for the pair [cos | sin], m for the phase form and for Laplace
//	frequencies   angular: cos(w·x), no 2π
//	randomness    a seed or a rand.Source is an argument; named streams (Stream); never the clock, never a global
//	errors        sentinels for errors.Is: ErrDomain, ErrShape, ErrDtype, ErrParam, ErrSampler
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
//	DensityDistance.Kernel      exp(-ρ²/2σ²) of densities: JS in nats with the half, Hellinger with the half, TV = ∫|p - q|. On histograms
//	                            Exponentiated{JensenShannon} has σ²·2/ln 2 = 2.885σ², {Hellinger} 2σ², {Intersection} and {Chi2} σ²
//	Exponentiated{Of, Sigma: s} exp(-gamma D²) with gamma = 1/(2s²); scikit-learn chi2_kernel gamma on Chi2's D² = Σ (x-z)²/(x+z)
//
// # Names
//
// The package lives in the folder init, where Go forbids a package of that name. Import it as
//
//	spectral "github.com/bochner-go/bochner/init"
package spectral
