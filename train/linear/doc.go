// Package linear fits heads on the features of a map that stays as it is drawn, to the optimum.
//
//	FitRidge        closed form, by the smaller of two linear systems, in row blocks; one factorisation for many lambdas
//	RidgeStats      its sums as a value: added file by file, written, merged, solved, removed and forgotten
//	Posterior       the distribution of such a head: noise, variance of a prediction, functions drawn; Evidence chooses lambda
//	NewJackknife    intervals of ridge regression from its leave-one-out fits, in closed form: no held-out rows
//	FitRidgeCG      the same system by conjugate gradients, where a matrix of it cannot be held
//	FitSVM          the linear support vector machine of LIBLINEAR, primal, squared loss, by Newton steps over row blocks
//	FitLogistic     multinomial logistic regression, a softmax head, by Newton steps
//	FitLaplace      the Gaussian posterior of such a head, and probabilities that know it
//	FitKernelRidge  on an exact kernel matrix: the limit that the features approach; FitKreinRidge for an indefinite kernel
//
// The options of FitRidge, FitRidgeCG, FitSVM and FitLogistic are ways to fit a train.Recipe (fits.Fitter).
package linear
