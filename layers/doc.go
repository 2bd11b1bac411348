// Package layers holds what a user composes: feature maps of kernels as layers of a Gorgonia model, and the heads on top of
// them.
//
//	kernel, sampler (package spectral) -> frequencies -> layer -> node
//
//	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.5}, 16, 4096,
//		layers.WithSampler(spectral.Orthogonal{}), layers.WithSeed(7))
//	z := rff.Fwd(x)                       // in a graph: x [n, 16] -> z [n, 4096]
//	f, err := rff.Transform(nil, rows)    // without one
//
// A layer owns its parameters as tensors and belongs to no graph: Fwd attaches it to the graph of its input, so one layer
// serves a training graph and an inference graph of another batch size with the same weights. Model returns the learnable
// nodes of the latest Fwd, ModelIn those of a given graph. Transform runs the same arithmetic without a graph and is safe for
// concurrent use.
//
// Histograms have maps of their own: RandomLaplaceLayer, SkewedChi2Layer and SkewedIntersectionLayer draw frequencies, HomogeneousLayer
// does without, column by column, and ExponentiatedLayer is a Fourier map on top of it. HDDLayer is the like for densities, and takes sets of
// samples, ops.Bags, by FwdBags and TransformBags.
// Sparse rows, an *ops.CSR, go through TransformCSR and through a node that holds them; the function Transform takes rows of either kind for
// any Map.
//
// Maps that need data, NystromLayer, AddKPCALayer and MajiBergLayer, are fitted on a sample of rows by their constructors, or by Spec.Fit; what
// was fitted are their Params.
//
// The features of a kernel that is not positive definite (GORFLayer) have a sign each, SignatureOf, for what takes inner products of them.
// The polynomial kernel of the sphere has RandomMaclaurinLayer, TensorSketchLayer and SRFLayer besides, other people's maps to compare with.
//
// Whether the spectral parameters are frozen or tuned is a Policy (Tune), not a type. A head is a layer too. Every layer
// satisfies golgi's Layer interface without this package importing golgi.
//
// Spec is the serialisable description of a feature map or of a tree of layers. The table behind it (table.go) has a line
// for each map: a description, and the Form that declares its parameters, finds their defaults, and builds and restores
// it. Register adds a line for a kernel of your own, and Check holds it to its promises. Dense and Normalise are the
// layers that a network has around a map; Sequential and Concat compose.
//
// Summary is a table of a model, Cite the BibTeX of the papers behind it, and Dot a picture of its graph.
//
// # Reading a tensor
//
// What Transform returns, the values of nodes, gradients and parameters are tensors. Their cells are Float64s, or Float32s
// where the element type is float32, row by row. The value of a scalar node, such as a loss, is a number:
//
//	z, err := rff.Transform(nil, rows)
//	cells := z.Float64s()
//	p := node.Value().(*tensor.Dense).Float64s()
//	loss := float64(*value.(*gorgonia.F64)) // *gorgonia.F32 in float32
//
// Data is not safe. In gorgonia.org/tensor v0.9.24 it hands the address of the cells on as a uintptr, which keeps nothing
// alive. Where that is the last use of the tensor, as z.Data() would be above, the collector may free the cells before the
// slice exists. The program then ends with "found bad pointer in Go heap", or the numbers are those of something else. More
// goroutines and more garbage make it likelier. Float64s and Float32s are slices all along: they keep the cells alive, also
// when the tensor is gone. Others that go by the address alone:
//
//   - Uintptr, and the package tensor/native;
//   - Inner, Outer, MatVecMul, Trace and Dot of a tensor that is not used afterwards. Hold it: runtime.KeepAlive(t) behind
//     the call. MatMul is safe;
//   - gorgonia.Ones as an initialiser, in place of which WithValue takes tensor.Ones; and gorgonia.ScalarAsTensor of a scalar
//     that nothing else holds.
//
// Gorgonia's ops and solvers are safe in a machine, which holds what they read; package ops has the list.
//
// Float64s is the memory, whatever shape and element type say: of a float32 tensor it is nonsense, and of a view or a
// transpose it is in another order. Tensors that this library returns are contiguous; of any other ops.Copy makes one that
// is. A tensor that a machine computed belongs to it: clone what must outlive the next run.
package layers
