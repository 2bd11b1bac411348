// Package spectral turns a kernel into random frequencies: kernel → spectral distribution → drawn frequencies.
// The spectral distribution is the probability distribution of the frequencies, which this package calls the law.
//
// Many kernels are expectations over a random frequency w:
//
//	Fourier      k(x, z) = E cos(w·(x - z))                     Gaussian, Laplacian, Matern
//	Laplace      k(x, z) = E exp(-w·(x + z))                    ExpSemigroup, ReciprocalSemigroup
//	LogFourier   k(x, z) = E cos(w·(ln(x + c) - ln(z + c)))     SkewedChi2, SkewedIntersection
//
// The first is Bochner's theorem, the second its twin for the semigroup of non-negative vectors by Berg, Christensen
// and Ressel, the third is Bochner's theorem on a multiplicative group. Draw m frequencies, replace the expectation by
// their mean, and the kernel becomes the inner product of two explicit feature vectors: a linear model on the features
// is a kernel machine.
//
// A kernel is a small struct, Gaussian{Sigma: 1}. It always knows its exact value, At, and its Domain. What is known of
// its law is an interface: Law draws a whole frequency, ProductLaw has independent coordinates with a known quantile,
// RadialLaw a uniform direction and a norm with a known quantile. Custom makes a kernel of any law of your own.
//
// Histograms have additive kernels besides, which need no chance: Chi2, Intersection, JensenShannon and Hellinger are
// Homogeneous. Harmonics are a few samples of a spectrum of one dimension, from which a feature map is made coordinate
// by coordinate, SupError says how far off it is, and FittedPeriod and OptimalPeriod choose its one parameter.
// Exponentiated is the Gaussian kernel of the metric of such a kernel, Stationary the translation-invariant kernel of
// the same signature. DensityDistance is such a kernel's distance of probability densities.
//
// A kernel that is not positive definite is a difference of two such expectations where its Fourier transform, which
// has both signs, has finite mass: a SignedLaw splits into the two, exactly (DeltaGaussian, SpherePolynomial for some
// parameters) or as a signed combination of Gaussians that is as close as is asked for (SpherePolynomial, ArcCosine,
// NeuralTangent, on the unit sphere). A Coupling draws the frequencies of both signs together and predicts the
// variance. To compare with there are, for the polynomial kernel of the sphere, random products of projections
// (DrawProducts), count sketches (DrawCountSketches) and a positive density that comes near it (SRF), with a bias.
//
// A Sampler draws the frequencies; Frequencies does the drawing:
//
//	w, err := spectral.Frequencies(spectral.Gaussian{Sigma: 2}, spectral.Orthogonal{}, d, m, seed)
//
// Gram computes the exact matrix to compare with, PairVariance and the samplers' Variance how far off the features will
// be, and SqrtDVar, DMeanAbsDev and MedianDistance bandwidths to start from. To read on: gaussian.go, iid.go,
// orthogonal.go, exp_semigroup.go.
//
// # Samplers
//
// Samplers are all of them, and SamplerNames their names. The comment of each says which laws it fits. All but
// Structured are unbiased. Leverage looks at rows, and its comment has errors on data. Each other but IID is worse than
// IID for some pairs of rows: the comment has a table of its
// mean squared error for the Gaussian, relative to IID with as many frequencies m, where x and z are .1 to 5 bandwidths
// apart: in any direction, along an axis, along the diagonal, or in two coordinates, i+j by the same amount and i-j by
// opposite ones. These two are the worst that a search found, or close to it. The lines for any m are for whole blocks
// and pairs. Go test ./init -run Promises checks the tables.
//
// The sequences gain where the dimensions are few, the data lie along few axes, or frequencies are many; a pair of
// coordinates of Sobol needs many more before it is even. The orthogonal samplers gain more as the dimensions grow, for
// close pairs.
//
// # Semigroup kernels by Gaussians
//
// The frequencies of a Laplace transform cannot be drawn orthogonal. But a Semigroup kernel is a Gaussian, up to a
// factor for each row:
//
//	k(x, z) = exp(-Σ f(x+z)) = √(k(x, x) k(z, z)) exp(-D²(x, z)/2),   D² = Σ 2f(x+z) - f(2x) - f(2z).
//
// Proof, for f with f(0) = 0 and a completely monotone derivative, a Bernstein function:
//
//	f(s) = bs + ∫ (1 - e^{-ws}) μ(dw), b >= 0 and μ >= 0, by Lévy and Khintchine;
//	bs cancels in D², and 1 does: 2f(x+z) - f(2x) - f(2z) = ∫ (e^{-2wx} - 2e^{-w(x+z)} + e^{-2wz}) μ(dw);
//	that is ∫ (e^{-wx} - e^{-wz})² μ(dw), the squared distance of two functions in L²(μ);
//	D² is the sum of such distances over the coordinates, so that exp(-D²/2) is a Gaussian kernel on that space;
//	Σ f(x+z) = D²/2 + Σ f(2x)/2 + Σ f(2z)/2, of which the last two are -ln √k(x, x) and -ln √k(z, z).
//
// What is left is a map Ψ, without randomness, to so few columns that ‖Ψ(x) - Ψ(z)‖² is about D². Then every sampler
// of the Gaussian applies. For ExpSemigroup f is β√s, and D² is β times the metric of Levy, which is homogeneous: its
// Harmonics of order n are 2n+1 columns for each of x. For ReciprocalSemigroup f is ln(1+s/λ), and exp(-D²/2) is the
// SkewedChi2 kernel of c = λ/2: LogWaves of order n are 2n columns. The ways to the features and what each is off by:
//
//	way         bias                                        variance from m frequencies      predicted by
//	laplace     none                                        (k(2x, 2z) - k(x, z)²)/m         PairVariance
//	normalised  of the order 1/m, below the standard error  NormalisedVariance has it        NormalisedVariance, both
//	levy        at most √(k(x,x) k(z,z)) |D² - ‖Ψ-Ψ'‖²|/2,  k(x,x) k(z,z) times the          LevyVariance; the bias by
//	            for any m                                   sampler's, at the distance D     SupError, LogWavesError
//
// The last two have k(x, x) exactly. The bias of order 1 for ExpSemigroup is .0005 of the kernel matrix of optdigits
// and .003 of the centred one, and of the dense histograms of scene15 in 59 bins, whose rows are closer, .0005 and
// .031; of order 3 it is .0001 and .0007, and .0001 and .005. Order 1 is all the same the better one up to 4096
// features of optdigits, since its Ψ has fewer columns.
//
// It pays where Haar blocks are whole or nearly so, from about 3d features on: of amazon, 800 columns, with 2048
// features normalised rows are nearer (.0101 against .0121, centred .226 and .228), at 4096 this way is (.0071 and
// .0047, centred .159 and .094). And it pays where D is below one or two, where orthogonal frequencies gain; at the
// default parameters it is. Other kernels that can be had so are all of f(s) = s^α, 0 < α < 1, by Harmonics as for
// √s, ln(1+s), s/(1+s), 1 - e^{-s}, and their sums. A product of completely monotone functions of x + z that is not
// infinitely divisible cannot: of g(s) = (e^{-s} + e^{-2s})/2, whose powers below one are not all positive definite,
// -ln g is no Bernstein function and D² no squared distance.
//
// What else can be split off was tried outside the library, on 500 rows, three draws, relative Frobenius error and
// the error of the centred matrices:
//
//   - SkewedChi2 is a Gaussian on LogWaves. On optdigits, 4096 features at the default c: independent frequencies
//     .031/.085, Sobol .019/.059, coupled on LogWaves of order 1 .017/.054. As D²/2 is one on average at that c, this
//     is not much.
//   - SkewedIntersection is one too, D² = Σ|t|, t = ln((x+c)/(z+c)), but the spectrum of |t| falls as 1/ω² only: the
//     triangle wave of 8 columns for each of x is off by .101/.078 on its own, with 4096 features .102/.105; Sobol
//     has .028/.120.
//   - The outer kernel of DensityDistance is a Gaussian on an embedding as it stands, and coupled frequencies apply:
//     one coordinate of musk1, Jensen-Shannon, 4096 features, .034/.040 independent and .028/.034 coupled.
//   - Of any Gaussian the terms of order 0 and 1 about the mean of Ψ can be taken out of the features and added as
//     columns, with a = Ψ - mean: e^{-‖a‖²/2} [1 | a | (e^{‖a‖²/2} cos aW - 1)/√m | (e^{‖a‖²/2} sin aW - aW)/√m]. It
//     needs more features than Ψ has columns, and a mean. ExpSemigroup on optdigits, 256, 1024 and 4096 features in
//     all: .0012/.037, .0006/.011 and .0005/.006, where coupled alone has .0080/.195, .0021/.052 and .0007/.016, so
//     that the bias of order 1 is all that is left; SkewedChi2, 4096: .011/.037; densities, 4096: .022/.029. A
//     classifier does not gain: ridge on 256 such features is right on .946 of optdigits, on coupled ones .954, on
//     Laplace features .961.
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
