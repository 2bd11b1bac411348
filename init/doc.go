// Package spectral turns a kernel into random frequencies: kernel → spectral distribution → drawn frequencies. The
// spectral distribution is the probability distribution of the frequencies. This package calls it the law. Start with a
// kernel and a sampler:
//
//	k := spectral.Gaussian{Sigma: 2}                                    // k.At(x, z) is its exact value
//	w, err := spectral.Frequencies(k, spectral.Orthogonal{}, d, m, seed) // [d, m], one frequency a column
//	variance, err := spectral.PairVariance(k, x, z)                      // of the estimate from one frequency
//
// Many kernels are expectations over a random frequency w:
//
//	Fourier      k(x, z) = E cos(w·(x - z))                     Gaussian, Laplacian, Cauchy, Matern,
//	                                                            RationalQuadratic, SpectralMixture
//	Laplace      k(x, z) = E exp(-w·(x + z))                    ExpSemigroup, ReciprocalSemigroup
//	LogFourier   k(x, z) = E cos(w·(ln(x + c) - ln(z + c)))     SkewedChi2, SkewedIntersection
//	Additive     k(x, z) = E Σ cos(w_j (x_j - z_j))             AdditiveGaussian
//	Positive     k(x, z) = E exp(w·(x + z) - s²(‖x‖² + ‖z‖²)/2) Softmax
//	Step, ReLU   k(x, z) = 2 E f(w·x) f(w·z)                    ArcCosine; NeuralTangent has both (Tangent)
//
// The first is Bochner's theorem. The second is the theorem of Berg, Christensen and Ressel for the semigroup of
// non-negative vectors. The third is Bochner's theorem on a multiplicative group. The last are layers of infinitely
// many units f with random weights. Draw m frequencies and replace the expectation by their mean: the kernel becomes
// the inner product of two explicit feature vectors, and a linear model on the features is a kernel machine.
//
//   - A Kernel is a small struct with exported fields. Gram is its exact matrix, and MedianDistance estimates a first
//     bandwidth, as layers.SqrtDVar and layers.DMeanAbsDev do.
//   - Its Law draws a frequency, and has the quantile function of the coordinates if they are independent, and of the
//     norm if the direction is uniform. Custom is a kernel with a law of your own.
//   - A Sampler draws from a law. Samplers returns all; the comment of each says which laws it fits. All are unbiased
//     except Structured. Halton, Sobol and LatinHypercube gain most in few dimensions, along axes, and for many
//     frequencies, Orthogonal and Stratified in more dimensions, for close pairs. Every sampler other than IID has a
//     larger error than IID for some pairs of rows: samplers.md has the table, which go test ./init -run Promises
//     checks.
//   - Additive kernels on histograms need no random numbers. Chi2, Intersection, JensenShannon, HomogeneousGaussian and
//     Hellinger are Homogeneous: Harmonics are samples of their one-dimensional spectrum, which give a feature map for
//     each coordinate; FittedPeriod and OptimalPeriod choose its one parameter. Exponentiated is the Gaussian kernel of
//     the metric of such a kernel, Stationary the translation-invariant kernel with the same signature, and
//     DensityDistance a distance of probability densities.
//   - A Semigroup kernel is a Gaussian kernel up to a factor for each row, so that every sampler of the Gaussian fits:
//     semigroups.md has the proof and compares the three ways to features.
//   - A kernel k(x - z) that is not positive definite has a Fourier transform of both signs. Where its mass is finite
//     the kernel is a difference of two such expectations, a SignedLaw. Its Split is exact for DeltaGaussian and for
//     SpherePolynomial with some parameters. For others on the unit sphere (SpherePolynomial, ArcCosine, NeuralTangent)
//     it is a signed combination of Gaussians with a chosen error. A Coupling draws the frequencies of both signs
//     together and predicts the variance. For comparison there are products of random projections (DrawProducts), count
//     sketches (DrawCountSketches), and a positive density with a bias (SRF).
//
// # Conventions
//
//	x             [n, d], one instance a row
//	W             [d, m], one frequency a column, float64
//	features      D, the number of columns: 2m for the pair [cos | sin], m for the phase form and for Laplace
//	frequencies   angular: cos(w·x), no 2π
//	randomness    a seed or a rand.Source is an argument; named streams (Stream); never the clock, never a global
//	errors        sentinels for errors.Is: ErrDomain, ErrShape, ErrDtype, ErrParam, ErrSampler
//	panics        in functions without an error result: rows of different lengths, a nil source of random numbers
//
// train/from_python.md has the parameters of the same kernels in other libraries.
//
// # Names
//
// The package lives in the folder init, where Go forbids a package of that name. Import it as
//
//	spectral "github.com/bochner-go/bochner/init"
package spectral
