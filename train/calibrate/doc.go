// Package calibrate turns scores of held-out rows into calibrated probabilities, prediction intervals and prediction
// sets.
//
//   - Fit learns a Calibration from scores [n, k] and classes. A Calibration turns scores into probabilities, by one of
//     four methods or the best of them.
//   - ECE, NLL, Brier and Reliability measure how good probabilities are.
//   - FitIntervals learns Intervals from predictions and targets: radii around a prediction that cover as often as
//     asked.
//   - FitSets learns Sets from probabilities and classes: sets of classes that hold the true one as often as asked.
//   - Coverage and SetCoverage measure how often that was so.
//
// The model must not have learned from the rows, since a model is more confident on its own rows than on others.
// Held-out rows serve all of these functions. For ridge regression leave-one-out residuals serve the intervals, and no
// row is held out (train.Recipe.Uncertainty).
//
// A model that is fitted again to all rows can keep the calibration from a fit to a part of them: its scores are a
// little better and on nearly the same scale. The guarantee of Intervals and Sets is then no longer a theorem.
package calibrate
