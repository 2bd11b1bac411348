// Package spectral turns a kernel into random frequencies: kernel → spectral distribution → drawn frequencies. The
// spectral distribution is the probability distribution of the frequencies. This package calls it the law.
//
// Many kernels are expectations over a random frequency w:
//
//	Fourier      k(x, z) = E cos(w·(x - z))                     Gaussian, Laplacian, Matern
//	Laplace      k(x, z) = E exp(-w·(x + z))                    ExpSemigroup, ReciprocalSemigroup
//	LogFourier   k(x, z) = E cos(w·(ln(x + c) - ln(z + c)))     SkewedChi2, SkewedIntersection
//	Step, ReLU   k(x, z) = 2 E f(w·x) f(w·z)                    ArcCosine; NeuralTangent has both (Tangent)
//
// The first is Bochner's theorem. The second is the theorem of Berg, Christensen and Ressel for the semigroup of
// non-negative vectors. The third is Bochner's theorem on a multiplicative group. The last are
// layers of infinitely many units f with random weights. Draw m frequencies and replace the
// expectation by their mean: the kernel becomes the inner product of two explicit feature vectors, and a linear model
// on the features is a kernel machine.
//
// A kernel is a small struct, such as Gaussian{Sigma: 1}. Its method At is its exact value, and Domain the set of
// inputs. Law is the distribution of its frequencies: a function that draws one, the quantile function of its
// coordinates if they are independent, and of its norm if its direction is uniform. Custom is a kernel with a law of
// your own.
//
// Additive kernels on histograms need no random numbers. Chi2, Intersection, JensenShannon and Hellinger are
// Homogeneous: Harmonics are samples of their one-dimensional spectrum, which give a feature map for each coordinate.
// SupError is its largest error; FittedPeriod and OptimalPeriod choose its one parameter. Exponentiated is the Gaussian
// kernel of the metric of such a kernel, Stationary the translation-invariant kernel with the same signature, and
// DensityDistance a distance of probability densities.
//
// A kernel k(x - z) that is not positive definite has a Fourier transform of both signs. Where its mass is finite the
// kernel is a difference of two such expectations, a SignedLaw. Its Split is exact for DeltaGaussian and for
// SpherePolynomial with some parameters. For others on the unit sphere (SpherePolynomial, ArcCosine, NeuralTangent) it
// is a signed combination of Gaussians with a chosen error. A Coupling draws the frequencies of both
// signs together and predicts the variance. Three other methods for the polynomial kernel on the sphere serve for
// comparison: products of random projections (DrawProducts), count sketches (DrawCountSketches), and a positive density
// with a bias (SRF).
//
// A Sampler draws the frequencies; Frequencies calls it with a seed:
//
//	w, err := spectral.Frequencies(spectral.Gaussian{Sigma: 2}, spectral.Orthogonal{}, d, m, seed)
//
// Gram computes the exact kernel matrix. PairVariance and the samplers' Variance predict the error of the features.
// SqrtDVar, DMeanAbsDev and MedianDistance estimate a first bandwidth.
//
// # Samplers
//
// The function Samplers returns all samplers. The comment of each says which laws it fits. All are unbiased except
// Structured.
//
// Every sampler other than IID has a larger error than IID for some pairs of rows. The file samplers.md has a table of
// the mean squared error for the Gaussian kernel, which go test ./init -run Promises checks.
//
// Halton, Sobol and LatinHypercube gain most in few dimensions, along axes, and for many frequencies. Orthogonal
// gains more in more dimensions, for close pairs.
//
// # Semigroup kernels by Gaussians
//
// The frequencies of a Laplace transform have no negative coordinates, so they cannot be drawn as an orthogonal matrix.
// But a Semigroup kernel is a Gaussian kernel up to a factor for each row:
//
//	k(x, z) = exp(-Σ f(x+z)) = √(k(x, x) k(z, z)) exp(-D²(x, z)/2),   D² = Σ 2f(x+z) - f(2x) - f(2z).
//
// Here f is a Bernstein function with f(0) = 0: its derivative is completely monotone. Proof:
//
//	f(s) = bs + ∫ (1 - e^{-ws}) μ(dw), b >= 0 and μ >= 0, by Lévy and Khintchine;
//	in D² the terms bs and 1 cancel: 2f(x+z) - f(2x) - f(2z) = ∫ (e^{-2wx} - 2e^{-w(x+z)} + e^{-2wz}) μ(dw);
//	this is ∫ (e^{-wx} - e^{-wz})² μ(dw), the squared distance of two functions in L²(μ);
//	D² is the sum of such distances over the coordinates, so exp(-D²/2) is a Gaussian kernel on that space;
//	Σ f(x+z) = D²/2 + Σ f(2x)/2 + Σ f(2z)/2, and the last two terms are -ln √k(x, x) and -ln √k(z, z).
//
// So it suffices to have a deterministic map Ψ to few columns with ‖Ψ(x) - Ψ(z)‖² ≈ D². Every sampler of the Gaussian
// then applies.
//
//   - ExpSemigroup has f(s) = β√s, and D² is β times the metric of Levy. Its Harmonics of order n make 2n+1 columns of
//     each column of x.
//   - ReciprocalSemigroup has f(s) = ln(1+s/λ), and exp(-D²/2) is the SkewedChi2 kernel with c = λ/2. LogWaves of order
//     n make 2n columns of each.
//
// There are three ways to features:
//
//	way         bias                                        variance from m frequencies      predicted by
//	laplace     none                                        (k(2x, 2z) - k(x, z)²)/m         PairVariance
//	normalised  of the order 1/m, below the standard error  NormalisedVariance has it        NormalisedVariance, both
//	levy        at most √(k(x,x) k(z,z)) |D² - ‖Ψ-Ψ'‖²|/2,  k(x,x) k(z,z) times the          LevyVariance; the bias by
//	            for any m                                   sampler's, at the distance D     SupError, LogWavesError
//
// The last two give k(x, x) exactly. The third pays with at least about three features for each column of x, where
// blocks of orthogonal frequencies are nearly whole, and for D below one or two.
//
// The same works for f(s) = s^α with 0 < α < 1, ln(1+s), s/(1+s), 1 - e^{-s}, and sums of these. It fails for a kernel
// that is not infinitely divisible, such as the product of g(x+z) with g(s) = (e^{-s} + e^{-2s})/2: some powers of g
// below one are not positive definite, and D² is then no squared distance.
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
// # Conversions
//
//	here                        elsewhere
//	Gaussian{Sigma: s}          scikit-learn rbf gamma = 1/(2s²); GPyTorch RBFKernel lengthscale = s
//	Gaussian{Sigma: SqrtDVar}   scikit-learn gamma="scale" = 1/(d Var)
//	Laplacian{Sigma: s}         scikit-learn laplacian gamma = 1/s
//	Matern{Nu: v, Ell: l}       scikit-learn Matern nu = v, length_scale = l;
//	                            GPyTorch MaternKernel nu = v, lengthscale = l
//	Matern{Nu: 0.5, Ell: l}     exp(-‖x-z‖₂/l); Laplacian has ‖x-z‖₁ and is the same kernel for d = 1 only
//	Matern{Nu: ∞, Ell: l}       Gaussian{Sigma: l}
//	ExpSemigroup{Beta: b}       libskylark ExpSemigroupRLT_t beta = b; Lévy law of scale b²/2
//	SkewedChi2{C: c}            scikit-learn SkewedChi2Sampler skewedness = c
//	Chi2, order n, period Λ     VLFeat order n and period Λ; its period -1 is FittedPeriod.
//	                            scikit-learn AdditiveChi2Sampler sample_steps = n+1, sample_interval = 2π/Λ,
//	                            with the columns of a harmonic together
//	JensenShannon               to base 2; k in nats is k·ln 2.
//	                            SquaredMetric is 2 JS, JS = ½KL(x|m) + ½KL(z|m) in bits
//	DensityDistance.Kernel      exp(-ρ²/2σ²) of densities: JS in nats with the half, Hellinger with the half,
//	                            TV = ∫|p - q|. On histograms Exponentiated{JensenShannon} has σ²·2/ln 2 = 2.885σ²,
//	                            {Hellinger} 2σ², {Intersection} and {Chi2} σ²
//	Exponentiated{Of, Sigma: s} exp(-gamma D²) with gamma = 1/(2s²);
//	                            scikit-learn chi2_kernel gamma on Chi2's D² = Σ (x-z)²/(x+z)
//
// # Names
//
// The package lives in the folder init, where Go forbids a package of that name. Import it as
//
//	spectral "github.com/bochner-go/bochner/init"
package spectral
