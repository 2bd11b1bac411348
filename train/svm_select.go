package train

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// selectSVM fits every lambda, from the largest down and each from the one before, on the rows that are not set aside, and the best on all.
func selectSVM(src *rowSource, o SVMOptions) (*SVMFit, error) {
	train, held := ridgeSplit(src.n, RidgeOptions{HeldOut: o.HeldOut, Seed: o.Seed})
	part, err := newSVM(newSVMRows(src, train, o), o)
	if err != nil {
		return nil, err
	}
	rest := heldSVM(newSVMRows(src, held, o), part)
	scores, best := make([]LambdaScore, len(o.Lambdas)), 0
	for _, i := range descending(o.Lambdas) {
		fit, err := part.fit(o.Lambdas[i])
		if err != nil {
			return nil, err
		}
		loss, err := rest.error(fit)
		if err != nil {
			return nil, err
		}
		scores[i] = LambdaScore{o.Lambdas[i], loss}
	}
	for i, s := range scores {
		if s.MSE < scores[best].MSE {
			best = i
		}
	}
	all, err := newSVM(newSVMRows(src, nil, o), o)
	if err != nil {
		return nil, err
	}
	all.start(part)
	fit, err := all.fit(o.Lambdas[best])
	if err != nil {
		return nil, err
	}
	fit.Scores = scores
	return fit, nil
}

// error is that of a fit on these rows: the share of wrong classes, or the mean squared error.
func (s *svm) error(fit *SVMFit) (float64, error) {
	w, k := newColumns(s.src.features+1, s.w.k), s.w.k
	copy(w.v, fit.W.RawMatrix().Data)
	for j, b := range fit.B {
		w.row(s.src.features)[j] = b / s.bias
	}
	total := 0.0
	err := s.through(w, s.bias, nil, func(at int, u columns) {
		for i := range len(u.v) / k {
			y, f := s.y.row(at+i), u.row(i)
			switch {
			case s.o.Loss == SquaredInsensitive:
				for j := range f {
					total += (f[j] - y[j]) * (f[j] - y[j]) / float64(k)
				}
			case k == 1 && (f[0] >= 0) != (y[0] > 0), k > 1 && y[ArgMax(mat.NewDense(1, k, f))[0]] < 0:
				total++
			}
		}
	})
	return total / float64(s.n), err
}

// descending are the indices of the lambdas, the largest first.
func descending(lambdas []float64) []int {
	order := make([]int, len(lambdas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case lambdas[a] > lambdas[b]:
			return -1
		case lambdas[a] < lambdas[b]:
			return 1
		}
		return 0
	})
	return order
}
