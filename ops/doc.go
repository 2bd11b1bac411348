// Package ops holds the feature maps as differentiable Gorgonia operations, one family a file, each with its forward and
// its backward written by hand.
//
//	Fourier   [cos(xW) | sin(xW)] / √m          Bochner kernels, pair form
//	Phase     √(2/m) cos(xW + b)                Bochner kernels, phase form
//	StructuredFourier, StructuredPhase     the same two for a W of Hadamard products, which is never formed
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
//	Columns, Concat                             maps over parts of the input, weighted
//
// x is [n, d], one instance a row; W is [d, m], one frequency a column. An op is a stateless value: everything it works
// on is an input node, and nothing here knows where the frequencies came from. Every op runs on both of Gorgonia's
// machines, in float32 and float64, and reads views, transposes and column-major tensors rightly. Its backward starts
// from what the forward left in the graph, never from a second product (but for Nystrom, Maclaurin and TensorSketch, whose outputs do not have what it takes),
// and builds nothing for the inputs that Attr.Frozen names.
//
// The rows x of every map may be sparse: a CSR in place of a tensor, for the Into functions and in a node of a graph. Nothing is then
// spread out; W has its gradient, and x, which is data, has none. Nystrom makes them dense.
//
// Shapes are checked while the graph is built; values when it runs. The functions that end in Into are the same forwards
// without a graph, into the caller's memory.
package ops

import (
	// Gorgonia refuses to start on today's Go without this version of it in go.mod, where a blank import keeps it.
	_ "go4.org/unsafe/assume-no-moving-gc"
)
