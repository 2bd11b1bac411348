// Package sgd fits a head, and the map under it if its policy says so, by mini-batches on a Gorgonia graph.
//
// Fit is the solver, with checkpoints to resume from. MiniBatch makes it a way to fit a train.Recipe. A program trains
// its own graph, with other nodes below or between layers, by Backprop and a solver of Gorgonia.
package sgd
