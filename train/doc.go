// Package train fits a head, or a whole model, on the features of a map, evaluates it, and saves and loads it.
//
// A Recipe consists of scalers, a feature map, and a way to fit a head on its features. Recipe.Fit learns a Model from
// rows with labels or targets, in memory or in files. Every Model predicts, saves and loads in the same way.
//
// The ways to fit are RidgeOptions, CGOptions, SVMOptions and LogisticOptions of train/linear, which solve for the
// head, and MiniBatch of train/sgd, which can also tune the map. A program can add its own as a fits.Fitter
// (train/fits). Each of them is also a function of rows that are scaled already, in memory (data.Pairs) or read in
// blocks (data.Streamed), and then needs no Recipe.
//
// A data.Frame is a table with names, categories, dates and gaps. Recipe.Columns says how it becomes numbers,
// Model.Columns keeps what was learned, and Model.Rows and Model.Options apply it to other rows and files.
//
// Recipe.CrossValidate scores a recipe, its Tuner and its Fitter included, or variants of it from Grid, RandomSearch or
// Around. Recipe.Tuner chooses how to tune a map. Auto finds a model without a recipe. All of them fit on some rows and
// score on others, which are held out by a seed, with the classes in proportion, and with the rows of a group together
// (Recipe.Groups).
//
// Rows are a *tensor.Dense or, if they are sparse, an *ops.CSR. No function makes all sparse rows dense at once, except
// for a scaler that moves zeros (see Recipe.Afford).
//
// Readers, row blocks and scalers are in train/data; measures and pictures of a model in train/report, which a model
// server need not link; the file format in train/modelfile. Ridge regression on a cluster is in train/beam, a module of
// its own.
package train
