// Package linear fits heads on the features of a frozen map, to the optimum.
//
//   - FitRidge is ridge regression in closed form, by the smaller of two linear systems. Rows go over the map in
//     blocks, and one factorisation serves many lambdas.
//   - RidgeStats are the sums of ridge regression as a value: add rows, write, merge, solve and forget.
//   - Posterior is Bayesian ridge regression: noise, predictive variance and function draws. RidgeStats.Evidence
//     chooses its lambda.
//   - FitRidgeCG solves the system of FitRidge by conjugate gradients if memory cannot hold its matrix.
//   - FitSVM is the linear support vector machine of LIBLINEAR in the primal, with squared loss, by Newton steps over
//     row blocks.
//   - FitLogistic is multinomial logistic regression, a softmax head, by Newton steps.
//   - FitLaplace is the Gaussian posterior of a softmax head; Laplace.Probabilities takes it into account.
//   - FitKernelRidge is ridge regression on an exact kernel matrix, the limit that features approach.
//
// RidgeOptions, CGOptions, SVMOptions and LogisticOptions are ways to fit the head of a train.Recipe (fits.Fitter).
package linear
