// Package train fits a head, or a whole model, on the features of a map, evaluates it, and saves and loads it.
//
// A Recipe is scalers, a feature map, and a way to fit a head on its features. Recipe.Fit takes rows with labels or targets,
// in memory or in files, to a Model, which has one way to predict, save and load. The ways to fit are RidgeOptions,
// CGOptions, SVMOptions and LogisticOptions of train/linear, which solve, and MiniBatch of train/sgd, which also tunes the
// map; a caller's own is a fits.Fitter (train/fits). Each is also a function of rows that are scaled already, in memory
// (data.Pairs) or read in blocks (data.Streamed), and needs no Recipe.
//
// A data.Frame, a table with names, categories, dates and gaps, becomes numbers on the way: Recipe.Columns says how,
// Model.Columns keeps what was learned, and Model.Rows and Model.Options apply it to other rows and files.
//
// CrossValidate scores maps and lambdas under any of these heads, which share features and what else they can; the maps
// come from Grid, RandomSearch or Around.
//
// Rows are a *tensor.Dense or, where they are sparse, an *ops.CSR, which none of these spreads out as a whole.
//
// Readers, row blocks and scalers are in train/data; numbers and pictures about a model in train/report, which a model server
// need not link; the file format in train/modelfile. Ridge on a cluster is in train/beam, a module of its own.
package train

// Version is the library's version, as written to model files.
const Version = "0.1.0"
