// Package calibrate turns the scores of rows that no fit has seen into probabilities, intervals and sets that can be trusted.
//
//	Fit          scores [n, k] and classes to a Calibration: scores to probabilities, by Temperature, Platt, Isotonic, or the best of them
//	ECE, NLL, Brier, Reliability   how good probabilities are
//	FitIntervals predictions and targets to Intervals: a radius about a prediction that covers the target as often as is asked
//	FitSets      probabilities and classes to Sets: the classes among which the true one is as often as is asked
//	Coverage, SetCoverage          how often that was so
//
// The rows must be others than those of the fit: a fit is surer of its own rows than of any other. Held-out rows serve all of this. For ridge
// regression the leave-one-out residuals of linear.Jackknife serve the intervals, and no row is held out.
package calibrate
