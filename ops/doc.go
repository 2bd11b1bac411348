// Package ops holds the feature maps as differentiable Gorgonia operations, one family a file, each with its forward
// and its backward written by hand.
//
//	Fourier   [cos(xW) | sin(xW)] / √m          Bochner kernels, pair form
//	Phase     √(2/m) cos(xW + b)                Bochner kernels, phase form
//	StructuredFourier, StructuredPhase     the same two for a W of Hadamard products, formed for few columns alone
//	SignedFourier  [ρ₀cos, ρ₀sin | ρ₁cos, ρ₁sin]/√m of (xU)∘r      kernels of several measures, as indefinite ones
//	Laplace   exp(-xW) / √m                     semigroup kernels
//	Homogeneous [√κ̂₀x^{γ/2}, √2κ̂₁x^{γ/2}cos(L ln x), ...]     homogeneous kernels, coordinate by coordinate
//	Table     piecewise linear functions of each coordinate     fitted additive maps
//	Maclaurin     s_i/√m Π_j x·w_ij           polynomials of x·z, products of projections
//	TensorSketch  FFT⁻¹(Π_j FFT(C_j x))       the same, convolved count sketches
//	Nystrom   k(x, L) P                         any Kernel, by its values at landmarks
//	KDE       kernel density estimates of Bags, sets of samples in the unit cube, at the points of a Grid
//	HDD       coefficients of √p cos(λ_j ln p), √p sin(λ_j ln p): information-theoretic distances of densities
//	LogShift  ln(x + c)                         the prologue of the skewed kernels
//	SkewedFourier, SkewedPhase             Fourier and Phase of it
//	Bandwidth W·exp(-ρ)                         a trainable bandwidth
//	Affine    xW + b                            heads, and the projection of the phase form
//	Softmax, LogSoftmax                         class probabilities and their logarithms
//	CrossEntropy  -Σ t ln Softmax(x)            the loss of each row
//	Columns, Concat                             maps over parts of the input, weighted
//
// x is [n, d], one instance a row; W is [d, m], one frequency a column. An op is a stateless value: everything it works
// on is an input node, and nothing here knows where the frequencies came from. Every op has its forward and its
// backward on both of Gorgonia's machines, in float32 and float64, and reads views, transposes and column-major tensors
// rightly. Its backward starts from what the forward left in the graph, never from a second product (but for Nystrom,
// Maclaurin and TensorSketch, whose outputs do not have what it takes), and builds nothing for the inputs that
// Attr.Frozen names.
//
// The rows x of every map may be sparse: a CSR in place of a tensor, for the Into functions and in a node of a graph.
// Nothing is then spread out; W has its gradient, and x, which is data, has none. Nystrom makes them dense.
//
// Shapes are checked while the graph is built; values when it runs. The functions that end in Into are the same
// forwards without a graph, into the caller's memory.
//
// # The LispMachine
//
// gorgonia.NewLispMachine (v0.9.18) has these limits, with any ops; where they are in the way use a TapeMachine.
//
//   - A machine runs once. After Reset a second RunAll computes nothing and returns no error: loss and gradients stay
//     as they are. Make a new machine of the same graph for each step; the steps are then the same as a TapeMachine
//     makes.
//   - It computes the gradients of all leaves. That of an input that is frozen, or data, stays 0, where gorgonia.Grad
//     would be an error.
//   - Every node that nothing depends on must be a scalar. Class probabilities beside the loss are an error of RunAll.
//   - An input without a value ends the process, and a machine whose RunAll has failed still works on its graph. Throw
//     both away.
//
// # Errors
//
// Both machines hide the error of an op from errors.Is and errors.As; Cause brings it back.
//
// # Memory
//
// Values are read by Float32s and Float64s, never by Data, whose cells the collector may free meanwhile (package
// layers, Reading a tensor). Gorgonia v0.9.18 itself names Data in 66 places. None is a danger to a graph, because
// something holds the tensor until the slice exists:
//
//   - ops that read an input (repeat, type conversion, diag, dropout, sparsemax, im2col, pooling, and the products of
//     package tensor): the register of the machine or the node that it comes from;
//   - ops that write an output (the same, and batch normalisation): the op returns it, or has it in a field;
//   - reshape of a scalar, as in the gradient of Sum (ScalarAsTensor, by Uintptr): the register or node of the scalar;
//   - Memset by the derivative of a scalar (sum, products), printing: Data of a scalar is a copy;
//   - the looks for NaN and Inf: the register; StandardEngine.Transpose: its caller returns the tensor;
//   - Barzilai-Borwein: a deferred call has it. The other solvers do not call Data;
//   - memory by address alone (makeValueFromMem): only on devices other than the CPU;
//   - comparisons of values (ValueClose): no machine calls them.
//
// Two functions are dangers outside of a graph, the initialiser Ones and ScalarAsTensor. The check .ci/tools/tensordata
// refuses them, Data and Uintptr.
package ops

import (
	// Gorgonia refuses to start on today's Go without this version of it in go.mod, where a blank import keeps it.
	_ "go4.org/unsafe/assume-no-moving-gc"
)
