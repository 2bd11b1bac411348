// Package layers holds feature maps of kernels as layers of a Gorgonia model, the heads on top of them, and the
// compositions of both. Start with a map, a head and a loss:
//
//	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2.5}, 16, 4096, layers.WithSeed(7))
//	head, err := layers.NewSoftmaxHead(4096, 10)
//	loss, err := head.Loss(rff.Fwd(x).Node(), y)    // in a graph: x [n, 16], y one-hot [n, 10]
//	z, err := rff.Transform(nil, rows)              // without one: [n, 4096]
//
// A layer owns its parameters as tensors and belongs to no graph. Fwd attaches it to the graph of its input, so the
// same weights serve a training graph and an inference graph of another batch size. Model returns the learnable nodes
// of the latest Fwd, ModelIn those of a given graph. A Policy (Tune) says which parameters a solver changes. Transform
// is safe for concurrent use; the function Transform takes dense rows, sparse rows (*ops.CSR) or sets of samples
// (*ops.Bags). Every layer satisfies golgi's Layer interface without this package importing golgi.
//
// The layers are
//
//   - for kernels of any rows: RandomLayer, by NewFourierLayer; by NewAdditiveLayer for sums of kernels of one column
//     each, NewPositiveLayer for the softmax kernel of attention and NewRandomReLULayer for the kernels of wide networks;
//     BinningLayer with sparse features of the Laplacian kernel; GORFLayer for kernels that are not positive definite,
//     whose features have signs (SignatureOf);
//   - for kernels of histograms: RandomLayer, by NewRandomLaplaceLayer and NewSkewedLayer; LevyLayer; HomogeneousLayer
//     without randomness, and ExponentiatedLayer on top of it;
//   - for sets of samples: BagLayer, of the densities of an HDDLayer or of the means of another map;
//   - fitted on a sample of rows: NystromLayer, AddKPCALayer, MajiBergLayer;
//   - for comparison, of the polynomial kernel of the sphere: RandomMaclaurinLayer, TensorSketchLayer and
//     NewFourierLayer of spectral.SRF;
//   - around a map: Dense, PeriodicLayer, Normalise, Identity; Sequential, Concat and Product compose
//     layers;
//   - heads: LinearHead, SoftmaxHead, HuberHead.
//
// A Spec describes a map, or a tree of layers, in a form that a file can hold; SpecOf returns the Spec of a layer that
// was built by hand. Entries lists the maps, and Register adds one of a kernel of your own, which package maptest
// tests. The parameters of a map are the tagged fields of its kernel and its form, see ParamDef. tensors.md beside this
// file has the formula of each map in its tensors.
//
// Summary returns a table of a model, Cite the BibTeX entries of the papers behind it, and Dot a picture of its graph.
//
// # Reading a tensor
//
// The results of Transform, the values of nodes, gradients and parameters are tensors. Float64s returns their cells,
// row by row, or Float32s if the element type is float32. Do not use Data: the garbage collector may free the cells
// before the slice exists. ops/gorgonia.md says why, and what else is unsafe.
//
//	cells := z.Float64s()
//	loss := float64(*value.(*gorgonia.F64)) // of the value of a scalar node; *gorgonia.F32 in float32
package layers
