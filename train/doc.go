// Package train fits a head, or a whole model, on the features of a map, evaluates it, and saves and loads it.
//
// A Recipe is scalers, a feature map, and a way to fit a head on its features. Recipe.Fit takes rows with labels or targets,
// in memory or in files, to a Model, which has one way to predict, save and load. The ways to fit are RidgeOptions,
// CGOptions, SVMOptions, LogisticOptions and MiniBatch. Each is also a function of rows that are scaled already, in memory
// (data.Pairs) or read in blocks (data.Streamed):
//
//	FitRidge        closed form, by the smaller of two linear systems, in row blocks; one factorisation for many lambdas
//	RidgeStats      its sums as a value: added file by file, written, merged, solved
//	FitRidgeCG      the same system by conjugate gradients, where a matrix of it cannot be held
//	CrossValidate   the errors of maps and lambdas under any of these heads, which share features and what else they can; the maps come from
//	                Grid, RandomSearch or Around
//	Fit             mini-batches on a Gorgonia graph, by Adam or SGD; fine-tunes the map under the head when its policy says so;
//	                Checkpoints to go on from
//	FitSVM          the linear support vector machine of LIBLINEAR, primal, squared loss, by Newton steps over row blocks
//	FitLogistic     multinomial logistic regression, a softmax head on frozen features, to its optimum by Newton steps
//	FitKernelRidge  on an exact kernel matrix: the limit that the features approach; FitKreinRidge on that of an indefinite kernel
//
// A graph of the caller's own, with other nodes below or between layers, is trained with Backprop and a solver of Gorgonia's.
//
// Rows are a *tensor.Dense or, where they are sparse, an *ops.CSR, which none of these spreads out as a whole.
//
// Readers, row blocks and scalers are in train/data; numbers and pictures about a model in train/report, which a model server
// need not link; the file format in train/modelfile. Ridge on a cluster is in train/beam, a module of its own.
package train

// Version is the library's version, as written to model files.
const Version = "0.1.0"
