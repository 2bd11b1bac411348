// Package ops holds feature maps, layers and losses as differentiable Gorgonia operations, each with a forward and a
// backward written by hand.
//
//	z, err := ops.Fourier(attr).Node(x, w)          // of nodes
//	z, err := ops.Fourier(attr).Into(dst, rows, w)  // of tensors, W packed by Pack or not
//
// An Op is a value that a constructor makes. Node adds it to a graph; Into computes the same numbers, bit for bit,
// without one, into the caller's memory. The ops are
//
//	Fourier                    [cos(xW) | sin(xW)] / √m, √(2/m) cos(xW + b)   Bochner kernels, pair and phase form
//	StructuredFourier          the same two                              W is a product of Hadamard matrices
//	SkewedFourier              the same two of ln(x + c)                 skewed kernels
//	SignedFourier              [ρ_b cos P_b | ρ_b sin P_b]/√m            indefinite kernels
//	Units                      √(2/m) max(xW, 0), ...                    arc-cosine kernels, the neural tangent kernel
//	Laplace                    exp(-xW) / √m                             semigroup kernels
//	UnitLaplace, Damp          Laplace with rows of norm 1, √k(x, x)     semigroup kernels
//	Positive                   exp(xW - ‖x‖²/2σ²) / √m                   softmax kernel
//	Homogeneous                √κ̂₀x^{γ/2}, √2κ̂₁x^{γ/2}cos(L ln x), ...   homogeneous kernels, by coordinate
//	LogWaves                   a_j cos(ω_j u), a_j sin(ω_j u)            metric of a semigroup kernel
//	Table                      piecewise linear functions of x_i         fitted additive maps
//	Maclaurin                  s_i/√m Π_j x·w_ij                         polynomials of x·z
//	TensorSketch               FFT⁻¹(Π_j FFT(C_j x))                     polynomials of x·z
//	Binning                    ±1/√R in the column of a cell of a grid   Laplacian kernel
//	Nystrom                    k(x, L) P                                 any Kernel, by landmarks
//	KDE                        kernel density estimates                  samples of sets, on a Grid
//	HDD                        Φᵀ√p cos(λ_j ln p), Φᵀ√p sin(λ_j ln p)    distances of densities p
//	Coefficients               pΦ                                        L² distances of densities p
//	BagMean                    means of the rows of bags                 mean embeddings of sets
//	Bandwidth                  W·exp(-ρ)                                 a trainable bandwidth
//	ScaleColumns, Normalise    x·diag(s), x/‖x‖                          units, norms
//	Columns, Concat            scale·x[:, from:to], [w₀x₀ | w₁x₁ | ...]  maps over parts of the input
//	Kronecker                  w₀x₀ ⊗ w₁x₁ ⊗ ... of each row             products of kernels
//	Affine, Activate           xW + b, relu(x), tanh(x), ...             heads, dense layers
//	Softmax                    exp(x_j)/Σ_k exp(x_k)                     class probabilities
//	CrossEntropy, Huber        -Σ t ln Softmax(x); r²/2 or δ(|r| - δ/2)  losses
//	Pinball                    (1-q)r or -qr                             the loss of a quantile
//
// x is [n, d], one instance a row; W is [d, m], one frequency a column. An op has no state: all it works on is an input
// node. Every op has a forward and a backward on both of Gorgonia's machines, in float32 and float64, and accepts
// views, transposes and column-major tensors. The backward starts from what the forward left in the graph and does not
// repeat a product, except where its comment says that something is computed again. It computes nothing for the inputs
// that Attr.Frozen names.
//
// The rows x of a kernel map may be sparse: a node, and Into, accept a CSR in place of a tensor. W then has its
// gradient, and x, which is data, has none. Maps by coordinate and Binning make sparse features of sparse rows
// (Op.Sparse). Nystrom, Normalise, Concat and Kronecker make sparse rows dense.
//
// Shapes are checked while the graph is built; values are checked when it runs. The errors are the same without a
// graph.
//
// Both machines hide the error of an op from errors.Is and errors.As; Cause recovers it. gorgonia.md, beside this file,
// has the limits of Gorgonia's machines, and which functions of its tensors are unsafe.
package ops

import (
	// Gorgonia refuses to start on today's Go without this version of it in go.mod, where a blank import keeps it.
	_ "go4.org/unsafe/assume-no-moving-gc"
)

// Gorgonia v0.9.18 calls Data in 66 places. In a graph something holds the tensor until the slice exists:
//
//   - ops that read an input (repeat, type conversion, diag, dropout, sparsemax, im2col, pooling, and the products of
//     package tensor): the register of the machine, or the node of the input;
//   - ops that write an output (the same, and batch normalisation): the op returns it, or has it in a field;
//   - reshape of a scalar, as in the gradient of Sum (ScalarAsTensor, by Uintptr): the register or node of the scalar;
//   - Memset by the derivative of a scalar (sum, products), printing: Data of a scalar is a copy;
//   - the checks for NaN and Inf: the register; StandardEngine.Transpose: its caller returns the tensor;
//   - Barzilai-Borwein: a deferred call holds it. The other solvers do not call Data;
//   - memory by address alone (makeValueFromMem): only on devices other than the CPU;
//   - comparisons of values (ValueClose): no machine calls them.
//
// The check .ci/tools/tensordata refuses Data, Uintptr, Ones and ScalarAsTensor.
