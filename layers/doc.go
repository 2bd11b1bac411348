// Package layers holds what a user composes: feature maps of kernels as layers of a Gorgonia model, and the heads on
// top of them.
//
//	kernel, sampler (package spectral) -> frequencies -> layer -> node
//
//	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.5}, 16, 4096,
//		layers.WithSampler(spectral.Orthogonal{}), layers.WithSeed(7))
//	z := rff.Fwd(x)                       // in a graph: x [n, 16] -> z [n, 4096]
//	f, err := rff.Transform(nil, rows)    // without one
//
// A layer owns its parameters as tensors and belongs to no graph: Fwd attaches it to the graph of its input, so one
// layer serves a training graph and an inference graph of another batch size with the same weights. Model returns the
// learnable nodes of the latest Fwd, ModelIn the learnable nodes of a given graph. Transform runs the same arithmetic
// without a graph and is safe for concurrent use.
//
// Histograms have maps of their own: RandomLaplaceLayer, SkewedChi2Layer and SkewedIntersectionLayer draw frequencies,
// HomogeneousLayer does without, column by column. ExponentiatedLayer is a Fourier map on top of a HomogeneousLayer.
// HDDLayer is its like for densities, and takes sets of samples, ops.Bags, by FwdBags and TransformBags. Sparse rows,
// an *ops.CSR, go through TransformCSR and through a node that holds them; the function Transform takes rows of either
// kind for any Map.
//
// NystromLayer, AddKPCALayer and MajiBergLayer need data. Their constructors, or Spec.Fit, fit them on a sample of
// rows. Their Params hold what was fitted.
//
// Each feature of a kernel that is not positive definite (GORFLayer) has a sign, SignatureOf, which enters inner
// products. The polynomial kernel of the sphere also has RandomMaclaurinLayer, TensorSketchLayer and SRFLayer, which
// are there for comparison.
//
// Whether the spectral parameters are frozen or tuned is a Policy (Tune), not a type. A head is a layer too. Every
// layer satisfies golgi's Layer interface without this package importing golgi.
//
// Spec is the serialisable description of a feature map or of a tree of layers. The table behind it (table.go) has a
// line for each map: a description, and the Form that declares its parameters, finds their defaults, and builds and
// restores it. Register adds a line for a kernel of your own, and Check holds it to its promises. Dense and Normalise
// are the layers that a network has around a map; Sequential and Concat compose.
//
// Summary is a table of a model, Cite the BibTeX of the papers behind it, and Dot a picture of its graph.
//
// # The tensors of each map
//
// A model file holds the Params of a map under "map." and their names; its card has the spec, with the params that the
// formulas name. examples/numpy/predict.py reads all of them. x is a row of d numbers, as the scaler leaves it, and
// columns side by side are [A | B]. Of "A or B" a tuned map has B, from which A = exp(B) for names with log_.
//
// Fourier maps are [cos P | sin P]/√m of m frequencies, or with a tensor b [m] √(2/m) cos(P + b):
//
//	gaussian, laplacian, matern, cauchy, srf: W [d, m]
//	    P = xW. Row i of W is multiplied by exp(-log_bandwidth_i), where there is a log_bandwidth, [1] or [d].
//	the same with sampler structured: signs [3k, p], norms [m]
//	    P = xW, Wᵀ = p^(-3/2) diag(norms) H D₃ H D₂ H D₁ for each p norms, as in ops.StructuredFourier.
//	skewed-chi2, skewed-intersection: c or raw_c, [1] or [d], W [d, m]
//	    P = ln(x + c)W, c = ln(1 + exp(raw_c)).
//	exp-hellinger, exp-chi2, exp-intersection, exp-jensen-shannon: L or log_L, root_kappa, W
//	    P = Ψ(x)W, Ψ the map of hellinger, chi2 and so on. log_bandwidth has a number for each column of Ψ, or one.
//
// Maps of semigroup kernels have f(u) = √u for exp-semigroup and ln(1 + u) for reciprocal-semigroup:
//
//	way=laplace, or none: W or log_W [d, m]
//	    exp(-xW)/√m, with a log_bandwidth as above.
//	way=normalised: scale besides
//	    exp(-½ Σ_i f(2 s_i x_i)) exp(-xW)/‖exp(-xW)‖₂, s = scale·exp(-log_bandwidth).
//	way=levy: scale or log_scale, [1] or [d], W [q, m], of exp-semigroup L or log_L and root_kappa
//	    exp(-½ Σ_i f(2 s_i x_i)) [cos P | sin P]/√m, P = Ψ(s∘x)W, s = scale. Ψ is the homogeneous map of spectral.Levy,
//	    γ = ½; of reciprocal-semigroup it is ops.LogWaves, with the q/2d waves of spectral.LogWaves, and has no tensors.
//
// Maps that make several numbers of each coordinate v, side by side:
//
//	hellinger, chi2, intersection, jensen-shannon: L or log_L, [1] or [d], root_kappa [n+1]
//	    r₀ |v|^(γ/2), √2 r_j |v|^(γ/2) cos(f_j L ln|v|), √2 r_j |v|^(γ/2) sin(f_j L ln|v|), ..., j = 1 to n, r =
//	    root_kappa; 0 for v = 0. For v < 0 they are negated (negative=sign), or stand after those for v > 0 (split). The
//	    f_j are in no tensor: 1, 2, ..., without those where the spectrum has no positive sample, as
//	    spectral.NewHarmonics chooses.
//	add-kpca, maji-berg: knots [d, k], table [d, k·w]
//	    ops.Table: linear in u = sign(v)|v|^p between knots. add-kpca has p = γ/2, and beyond the knots what is in
//	    proportion to u; maji-berg has p = 1, and what is constant.
//
// Other maps of rows:
//
//	linear: none
//	    x.
//	sphere-polynomial, delta-gaussian, arc-cosine, ntk: U [d, m] or [d, km], norms [km], roots or log_roots [k]
//	    [ρ₁ cos P₁ | ρ₁ sin P₁ | ρ₂ cos P₂ | ρ₂ sin P₂]/√m, ρ = roots, P_b = (xU_b)∘norms_b for the k = 1 or 2 signs,
//	    which may share one U. Its rows have the log_bandwidth.
//	random-maclaurin: W [d, pm], degrees [m], scales [m]
//	    s_i/√m Π_j (xW)_(jm+i), 0 <= j < degrees_i, s = scales.
//	tensor-sketch: buckets [p, d+1], signs [p, d+1]
//	    The circular convolution of p count sketches of [√(2/a²) x | √(1 - 2/a²)], as in ops.TensorSketch.
//	nystrom: landmarks [k, d], projection [k, m]
//	    k(x, landmarks)·projection, with the kernel and its parameters from the params.
//
// Maps of sets of samples are Fourier maps, with W, b and log_bandwidth as above:
//
//	mean-map: inner.*
//	    P = φW, φ the mean over the samples of the map of the kernel, or of nystrom where there are landmarks, whose
//	    tensors have the prefix inner.
//	hdd-js, hdd-hellinger, hdd-tv: kde_bandwidth [d], lambda [M], root_weight [M]
//	    P = AW, A the coefficients of r_j √q cos(λ_j ln q), then of r_j √q sin(λ_j ln q), for each j, r = root_weight,
//	    of a density q on the basis; a lone λ = 0 has the coefficients of the cosine alone. q is ops.KDE at the points
//	    of ops.NewGrid. The functions of several axes are the products, the last axis fastest, whose degrees sum to no
//	    more than the degree of the last function of an axis. With d > 3 each coordinate has a density and coefficients
//	    of its own, one after another.
//	l2-density: kde_bandwidth [d]
//	    P = AW, A the coefficients of q.
//
// Trees have the tensors of their layers, each under the layer's name and a dot, as Spec.Leaves returns. A part without
// a name has the name of the tree, its place and its map, as in sequential_0_dense, and a tree the names of its parts,
// joined by "-":
//
//	sequential, concat
//	    One after the other; side by side, each times √weight.
//	dense: W, b
//	    activation(xW + b).
//	normalise: none
//	    x/‖x‖, and 0 for 0.
//
// The head is head.W and head.b: zW + b of the features z, and softmax(zW + b) where it is a softmax; head.delta
// belongs to a loss. The tensors of the scalers are under scaler., their place and their name, as scaler.0.minmax.min:
// package data. What a model knows of its errors is under posterior. (linear.Posterior.Tensors) or laplace.
// (linear.Laplace.Tensors), in float64, and in the card.
//
// # Reading a tensor
//
// What Transform returns, the values of nodes, gradients and parameters are tensors. Their cells are Float64s, or
// Float32s where the element type is float32, row by row. The value of a scalar node, such as a loss, is a number:
//
//	z, err := rff.Transform(nil, rows)
//	cells := z.Float64s()
//	p := node.Value().(*tensor.Dense).Float64s()
//	loss := float64(*value.(*gorgonia.F64)) // *gorgonia.F32 in float32
//
// Data is not safe. In gorgonia.org/tensor v0.9.24 it hands the address of the cells on as a uintptr, which keeps
// nothing alive. Where that is the last use of the tensor, as z.Data() would be above, the collector may free the cells
// before the slice exists. The program then ends with "found bad pointer in Go heap", or the numbers belong to
// something else. More goroutines and more garbage make it likelier. Float64s and Float32s are slices all along: they
// keep the cells alive, also when the tensor is gone. Others that go by the address alone:
//
//   - Uintptr, and the package tensor/native;
//   - Inner, Outer, MatVecMul, Trace and Dot of a tensor that is not used afterwards. Hold it: runtime.KeepAlive(t)
//     behind the call. MatMul is safe;
//   - gorgonia.Ones as an initialiser, in place of which WithValue takes tensor.Ones; and gorgonia.ScalarAsTensor of a
//     scalar that nothing else holds.
//
// Gorgonia's ops and solvers are safe in a machine, which holds what they read; package ops has the list.
//
// Float64s is the memory, whatever shape and element type say: of a float32 tensor it is nonsense, and of a view or a
// transpose it is in another order. Tensors that this library returns are contiguous; ops.Copy makes any other
// contiguous. A tensor that a machine computed belongs to it: clone what must outlive the next run.
package layers
