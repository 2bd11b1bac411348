// Package layers holds feature maps of kernels as layers of a Gorgonia model, the heads on top of them, and the
// compositions of both.
//
//	kernel, sampler (package spectral) -> frequencies -> layer -> node
//
//	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.5}, 16, 4096,
//		layers.WithSampler(spectral.Orthogonal{}), layers.WithSeed(7))
//	z := rff.Fwd(x)                       // in a graph: x [n, 16] -> z [n, 4096]
//	f, err := rff.Transform(nil, rows)    // without one
//
// A layer owns its parameters as tensors and belongs to no graph. Fwd attaches it to the graph of its input, so the
// same weights serve a training graph and an inference graph of another batch size. Model returns the learnable nodes
// of the latest Fwd, ModelIn the nodes of a given graph. Transform computes the same features without a graph and is safe
// for concurrent use.
//
// Three layers for histograms draw frequencies: RandomLaplaceLayer, SkewedChi2Layer and SkewedIntersectionLayer.
// HomogeneousLayer maps each column without randomness, and ExponentiatedLayer is a Fourier map on top of it. LevyLayer
// is a second map of the kernels of RandomLaplaceLayer. HDDLayer maps densities, and sets of samples (ops.Bags) by
// FwdBags and TransformBags. Sparse rows, an *ops.CSR, go through TransformCSR or through a node that
// holds them. The function Transform takes dense rows, sparse rows or sets, for any Map that accepts them.
//
// NystromLayer, AddKPCALayer and MajiBergLayer are fitted on a sample of rows, by their constructors or by Spec.Fit.
// Their Params hold what was fitted.
//
// RandomReLULayer draws the units of a network, for the kernels of infinitely wide ones.
//
// Each feature of a kernel that is not positive definite (GORFLayer) has a sign, SignatureOf, which enters inner
// products. For comparison there are other maps of the polynomial kernel of the sphere: RandomMaclaurinLayer,
// TensorSketchLayer and SRFLayer.
//
// A Policy (Tune) says whether a solver changes the parameters of a map. A head is a layer, too. Every layer satisfies
// golgi's Layer interface without this package importing golgi.
//
// A Spec describes a feature map, or a tree of layers, in a form that a file can hold; SpecOf returns the Spec of a layer
// that was built by hand. The table of maps (table.go) has a line for each map. The parameters of a map are the tagged
// fields of its kernel and of its form, see ParamDef. Register adds a line for a kernel of your own, and package maptest
// tests it. Dense and Normalise are layers around a map; Sequential and Concat compose layers.
//
// Summary returns a table of a model, Cite the BibTeX entries of the papers behind it, and Dot a picture of its graph.
//
// # The tensors of each map
//
// A model file holds the Params of a map, with "map." before their names. Its card has the spec, with the params that
// the formulas name. examples/numpy/predict.py reads all of them. x is a row of d numbers, as the scaler returns it,
// and [A | B] are columns side by side. Of "A or B" an untuned map has A and a tuned map B. A is exp(B) if the name of
// B begins with log_.
//
// Fourier maps are [cos P | sin P]/√m of m frequencies, or with a tensor b [m] √(2/m) cos(P + b):
//
//	gaussian, laplacian, matern, cauchy, srf: W [d, m]
//	    P = xW. Row i of W is multiplied by exp(-log_bandwidth_i) if there is a log_bandwidth, [1] or [d].
//	the same with sampler structured: signs [3k, p], norms [m]
//	    P = xW, Wᵀ = p^(-3/2) diag(norms) H D₃ H D₂ H D₁ for each p norms, as in ops.StructuredFourier.
//	skewed-chi2, skewed-intersection: c or raw_c, [1] or [d], W [d, m]
//	    P = ln(x + c)W, c = ln(1 + exp(raw_c)).
//	exp-hellinger, exp-chi2, exp-intersection, exp-jensen-shannon: L or log_L, root_kappa, W
//	    P = Ψ(x)W, Ψ the map of hellinger, chi2 and so on. log_bandwidth has a number for each column of Ψ, or one.
//	    For exp-intersection without L and root_kappa, P = xW.
//
// Maps of semigroup kernels have f(u) = √u for exp-semigroup and ln(1 + u) for reciprocal-semigroup:
//
//	way=laplace, or none: W or log_W [d, m]
//	    exp(-xW)/√m, with a log_bandwidth as above.
//	way=normalised: also scale
//	    exp(-½ Σ_i f(2 s_i x_i)) exp(-xW)/‖exp(-xW)‖₂, s = scale·exp(-log_bandwidth).
//	way=levy: scale or log_scale, [1] or [d], W [q, m]; for exp-semigroup also L or log_L, and root_kappa
//	    exp(-½ Σ_i f(2 s_i x_i)) [cos P | sin P]/√m, P = Ψ(s∘x)W, s = scale.
//	    For exp-semigroup, Ψ is the homogeneous map of spectral.Levy, γ = ½.
//	    For reciprocal-semigroup, Ψ is ops.LogWaves with the q/2d waves of spectral.LogWaves. It has no tensors.
//
// Maps that make several numbers of each coordinate v, side by side:
//
//	hellinger, chi2, intersection, jensen-shannon: L or log_L, [1] or [d], root_kappa [n+1]
//	    r₀ |v|^(γ/2), √2 r_j |v|^(γ/2) cos(f_j L ln|v|), √2 r_j |v|^(γ/2) sin(f_j L ln|v|), ..., j = 1 to n,
//	    r = root_kappa; 0 for v = 0. For v < 0 they are negated (negative=sign), or stand after those for v > 0
//	    (negative=split). No tensor holds the f_j: they are 1, 2, ..., without those at which the spectrum is not
//	    positive, see spectral.NewHarmonics.
//	add-kpca, maji-berg: knots [d, k], table [d, k·w]
//	    ops.Table: linear in u = sign(v)|v|^p between knots. Beyond the knots, add-kpca is proportional to u and
//	    maji-berg is constant. p = γ/2 for add-kpca, p = 1 for maji-berg.
//
// Other maps of rows:
//
//	linear: none
//	    x.
//	arc-cosine, ntk: W [d, m]
//	    √(2/m) s(xW) or √(2/m) r(xW); √(4/m) [r(xA) | s(xA)∘(xV)] with W = [A | V], s the step function and r(t) =
//	    max(t, 0). A log_bandwidth as above.
//	sphere-polynomial, delta-gaussian: U [d, m] or [d, km], norms [km], roots or log_roots [k]
//	    [ρ₁ cos P₁ | ρ₁ sin P₁ | ρ₂ cos P₂ | ρ₂ sin P₂]/√m, ρ = roots, P_b = (xU_b)∘norms_b for the k = 1 or 2
//	    signs, which may share one U. A log_bandwidth multiplies the rows of U.
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
//	    P = φW, φ the mean over the samples of the map of the kernel or, if there are landmarks, of nystrom. The
//	    tensors of that map have the prefix inner.
//	hdd-js, hdd-hellinger, hdd-tv: kde_bandwidth [d], lambda [M], root_weight [M]
//	    P = AW. For each j, A holds the coefficients of r_j √q cos(λ_j ln q), then of r_j √q sin(λ_j ln q), of a
//	    density q on the basis, r = root_weight; for a single λ = 0 only the cosines. q is ops.KDE at the
//	    points of ops.NewGrid. The functions of several axes are the products, the last axis fastest, whose degrees
//	    sum to at most the degree of the last function of an axis. For d > 3 there are directions [d, R] and shift
//	    [R], kde_bandwidth is [R], and each column of x·directions + shift has a density and coefficients of its
//	    own, one after another. For hdd-tv without a lambda, P = qW.
//	l2-density: kde_bandwidth [d], for d > 3 [R] with directions and shift
//	    P = AW, A the coefficients of q.
//
// Trees have the tensors of their layers, each with the layer's name and a dot before it, as Spec.Leaves returns. The
// name of a part without a name consists of the name of the tree, its place and its map, as in sequential_0_dense. The
// name of a tree consists of the names of its parts, joined by "-":
//
//	sequential, concat
//	    One after the other; side by side, each times √weight.
//	dense: W, b
//	    activation(xW + b).
//	normalise: none
//	    x/‖x‖, and 0 for 0.
//
// The head has head.W and head.b: zW + b of the features z, and softmax(zW + b) for a softmax. head.delta belongs to
// the loss. The tensors of the scalers have "scaler.", their place and their name, as in scaler.0.minmax.min, see
// package data. The uncertainty of a model is under "posterior." (linear.Posterior.Tensors) or "laplace."
// (linear.Laplace.Tensors), in float64, and in the card.
//
// # Reading a tensor
//
// The results of Transform, the values of nodes, gradients and parameters are tensors. Float64s returns their cells,
// row by row, or Float32s if the element type is float32. The value of a scalar node, such as a loss, is a number:
//
//	z, err := rff.Transform(nil, rows)
//	cells := z.Float64s()
//	p := node.Value().(*tensor.Dense).Float64s()
//	loss := float64(*value.(*gorgonia.F64)) // *gorgonia.F32 in float32
//
// Do not use Data. In gorgonia.org/tensor v0.9.24 it passes on the address of the cells as a uintptr, which keeps
// nothing alive. If that is the last use of the tensor, as z.Data() would be above, the garbage collector may free the
// cells before the slice exists. The program then ends with "found bad pointer in Go heap", or reads other numbers.
// Float64s and Float32s return slices, which keep the cells alive, even without the tensor. Data is not the only unsafe
// function:
//
//   - Uintptr, and the package tensor/native;
//   - Inner, Outer, MatVecMul, Trace and Dot of a tensor that is not used afterwards. Keep it alive by
//     runtime.KeepAlive(t) after the call. MatMul is safe;
//   - gorgonia.Ones as an initialiser: give WithValue a tensor.Ones instead; and gorgonia.ScalarAsTensor of a scalar
//     that nothing else holds.
//
// Gorgonia's ops and solvers are safe in a machine, which holds what they read; package ops has the list.
//
// Float64s returns the memory, regardless of shape and element type: it makes no sense for a float32 tensor, and a view
// or a transpose has another order. Tensors that this library returns are contiguous; ops.Copy makes any other
// contiguous. A tensor that a machine computed belongs to the machine: clone it if it must outlive the next run.
package layers
