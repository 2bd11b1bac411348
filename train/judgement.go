package train

import (
	"math"
	"slices"

	"github.com/bochner-go/bochner/train/calibrate"
	"github.com/bochner-go/bochner/train/fits"
	"gonum.org/v1/gonum/stat"
)

// judgement says how good the predictions of an outcome are.
type judgement struct {
	logs   []float64 // predicted targets, or logarithms of probabilities, in the order of the outcome
	losses []float64 // of the rows: mean squared errors, or log losses
	loss   float64   // their mean
	score  float64   // the root mean squared error, or the error rate
	// temperature is what the scores of classes are divided by: with the least log loss, it makes probabilities of them.
	temperature float64
}

// judge computes the losses of the predictions.
func (o *outcome) judge(classes bool) (r judgement, err error) {
	if !classes {
		r.logs, r.losses = o.scores, o.losses(fits.MeanSquaredError)
		r.loss = stat.Mean(r.losses, nil)
		r.score = math.Sqrt(r.loss)
		return r, nil
	}
	logits := o.matrix(o.logs())
	c, err := calibrate.Fit(calibrate.Temperature, logits, ArgMax(o.matrix(o.y)))
	if err != nil {
		return r, err
	}
	r.temperature = c.T()
	logits.Scale(1/r.temperature, logits)
	r.logs = logits.RawMatrix().Data
	normalise(r.logs, o.k)
	for i, v := range r.logs {
		if o.y[i] > 0 {
			r.losses = append(r.losses, -v)
		}
	}
	r.loss, r.score = stat.Mean(r.losses, nil), stat.Mean(o.losses(fits.ErrorRate), nil)
	return r, nil
}

// logs are a copy of the scores, or the logarithms of scores that are probabilities.
func (o *outcome) logs() []float64 {
	const least = 1e-12
	logs := slices.Clone(o.scores)
	for i, p := range logs {
		if o.classifies {
			logs[i] = math.Log(max(p, least))
		}
	}
	return logs
}
