// Package sgd fits a head, and the map under it where its policy says so, by mini-batches on a Gorgonia graph.
//
// Fit is the solver, with checkpoints to go on from. MiniBatch is the same as a way to fit a train.Recipe. A graph of the
// caller's own, with other nodes below or between layers, is trained with Backprop and a solver of Gorgonia's.
package sgd
