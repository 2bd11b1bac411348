// Package calibrate turns the scores of rows that no fit has seen into probabilities, intervals and sets that can be
// trusted.
//
//	Fit          scores [n, k] and classes to a Calibration, which makes probabilities of scores: by one of four methods, or the best
//	ECE, NLL, Brier, Reliability   how good probabilities are
//	FitIntervals predictions and targets to Intervals: a radius about a prediction, which covers as often as asked
//	FitSets      probabilities and classes to Sets: the classes among which the true one is as often as is asked
//	Coverage, SetCoverage          how often that was so
//
// The fit must not have learned from the rows: a fit is surer of its own rows than of any other. Held-out rows serve
// all of this. For ridge regression the leave-one-out residuals of linear.Jackknife serve the intervals, and no row is
// held out.
//
// A model that is fitted again to all rows can keep the calibration that a fit to a part of them gave: its scores are a
// little better and on nearly the same scale. With a fifth of the rows held out and the method Automatic, the log loss
// on the test rows of usps, letter and adult was lower so for each of the heads softmax, ridge and support vector
// machine, and the calibration error the same. The guarantee of Intervals and Sets is then no longer a theorem.
package calibrate
