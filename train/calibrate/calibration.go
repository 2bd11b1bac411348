// Package calibrate turns scores of held-out rows into calibrated probabilities, prediction intervals and prediction
// sets.
//
//   - Fit learns a Calibration from scores [n, k] and classes. A Calibration turns scores into probabilities, by one of
//     four methods or the best of them.
//   - ECE, NLL, Brier and Reliability measure how good probabilities are.
//   - FitIntervals learns Intervals from residuals: radii around a prediction that cover as often as asked.
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

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The methods of Fit, which turn scores into probabilities. An empty one is Automatic.
const (
	// Automatic chooses the method with the least negative log-probability under 5-fold cross-fitting among those below,
	// the first of equals. With fewer than 20 rows it chooses Temperature.
	Automatic = "automatic"
	// Temperature is p = softmax(s/T). Its one parameter does not change which class has the largest score. Scores are
	// logits, log-probabilities (LogProbabilities) or one-versus-rest scores. Guo, Pleiss, Sun and Weinberger (2017),
	// On calibration of modern neural networks.
	Temperature = "temperature"
	// TemperatureBias is p = softmax(s/T + b), with a bias b_c for each class, for a head that favours some classes.
	// Alexandari, Kundaje and Shrikumar (2020), Maximum likelihood with bias-corrected calibration is hard-to-beat at
	// label shift adaptation.
	TemperatureBias = "temperature-bias"
	// Platt is σ(a_c s_c + b_c) for each class c, normalised to the sum 1. It suits one-versus-rest scores, as ridge
	// regression and support vector machines have them. Platt (1999), Probabilistic outputs for support vector
	// machines, whose smoothed targets are (N₊+1)/(N₊+2) and 1/(N₋+2); Lin, Lin and Weng (2007), A note on
	// Platt's probabilistic outputs.
	Platt = "platt"
	// Isotonic is for each class the nondecreasing function of its score that is nearest to the labels, interpolated
	// linearly between its steps and normalised to the sum 1. It wants some thousand rows. Before normalisation no
	// probability is below 1/((n+2)(k-1)) for n rows and k classes. Zadrozny and Elkan (2002), Transforming classifier
	// scores into accurate multiclass probability estimates.
	Isotonic = "isotonic"
)

// Calibration turns scores into probabilities. Fit and UnmarshalJSON make one; it does not change and is safe for
// concurrent use.
type Calibration struct{ p Parameters }

// Parameters are the numbers of a method, and no others.
type Parameters struct {
	Method   string    `json:"method"`
	Classes  int       `json:"classes"`
	Inverse  *float64  `json:"inverseTemperature,omitempty"` // 1/T
	Bias     []float64 `json:"bias,omitempty"`               // of the classes
	Sigmoids []Sigmoid `json:"sigmoids,omitempty"`           // of the classes
	Floor    float64   `json:"floor,omitempty"`              // of the steps
	Steps    []Steps   `json:"steps,omitempty"`              // of the classes
}

// way is how a method is fitted, and how it turns a row of scores into probabilities.
type way struct {
	method string
	fit    func(p *Parameters, scores *mat.Dense, labels []int) error
	row    func(p *Parameters, dst, s []float64)
	has    [4]bool // whether it has Inverse, Bias, Sigmoids, and Floor or Steps
}

// ways are the methods that Automatic chooses among.
var ways = []way{
	{Temperature, (*Parameters).fitTemperature, (*Parameters).tempered, [4]bool{true}},
	{TemperatureBias, (*Parameters).fitBias, (*Parameters).tempered, [4]bool{true, true}},
	{Platt, (*Parameters).fitSigmoids, (*Parameters).platt, [4]bool{2: true}},
	{Isotonic, (*Parameters).fitSteps, (*Parameters).isotonic, [4]bool{3: true}},
}

// usable says whether the numbers that p has are in range.
func (p *Parameters) usable() bool {
	large := func(b float64) bool { return !(math.Abs(b) <= math.MaxFloat64/4) }
	return p.Classes >= 2 && (p.Inverse == nil || *p.Inverse >= 0 && finite(*p.Inverse)) &&
		(p.Bias == nil || len(p.Bias) == p.Classes && !slices.ContainsFunc(p.Bias, large)) &&
		(p.Sigmoids == nil || len(p.Sigmoids) == p.Classes && !slices.ContainsFunc(p.Sigmoids, Sigmoid.unusable)) &&
		(p.Steps == nil && p.Floor == 0 || len(p.Steps) == p.Classes && p.Floor > 0 && p.Floor <= .5 &&
			!slices.ContainsFunc(p.Steps, func(f Steps) bool { return !f.usable(p.Floor) }))
}

// wayOf returns the way of a method, or an error of unknown ones.
func wayOf(m string) (way, error) {
	for _, w := range ways {
		if w.method == m {
			return w, nil
		}
	}
	return way{}, fmt.Errorf("train: Calibration: there is no method %q; give one of %q, %q, %q, %q and %q: %w", m,
		Automatic, Temperature, TemperatureBias, Platt, Isotonic, domain.ErrParam)
}

// Fit learns a calibration from the scores [n, k] of held-out rows, one column for each class, and the class of each
// row as its column, 0..k-1. Two-class heads of this module have two columns. For a single score s of class 0 against
// class 1, pass the columns s and -s.
//
// Errors: domain.ErrShape for fewer than two columns, no rows, or another number of labels; domain.ErrDomain for a
// score that is not finite, for scores so large or small that differences lose all digits, and for a label outside
// 0..k-1; domain.ErrParam for nil scores and an unknown method.
func Fit(method string, scores *mat.Dense, labels []int) (*Calibration, error) {
	if err := classified("Calibration", "scores", scores, labels); err != nil {
		return nil, err
	}
	if method == Automatic || method == "" {
		var err error
		if method, err = choose(scores, labels); err != nil {
			return nil, err
		}
	}
	w, err := wayOf(method)
	if err != nil {
		return nil, err
	}
	c := &Calibration{Parameters{Method: method, Classes: scores.RawMatrix().Cols}}
	if err := w.fit(&c.p, scores, labels); err != nil {
		return nil, err
	}
	return c, nil
}

const (
	crossFolds = 5
	leastRows  = 20 // of which Automatic chooses
)

// choose returns the method with the least cross-fitted loss.
func choose(scores *mat.Dense, labels []int) (string, error) {
	best, least := Temperature, math.Inf(1)
	if len(labels) < leastRows {
		return best, nil
	}
	for _, w := range ways {
		loss, err := crossFit(w, scores, labels)
		if err != nil {
			return "", err
		}
		if loss < least {
			best, least = w.method, loss
		}
	}
	return best, nil
}

// crossFit returns the mean negative log-probability of the labels under calibrations that were fitted to other rows,
// in nats. A fixed shuffle deals the rows to 5 folds, and each fold is scored by a fit to the other four. It tells
// which method suits the scores.
func crossFit(w way, scores *mat.Dense, labels []int) (float64, error) {
	n, k := scores.Dims()
	order, total, p := rand.New(rand.NewPCG(5, 5)).Perm(n), 0.0, make([]float64, k)
	for fold := range crossFolds {
		lo, hi := fold*n/crossFolds, (fold+1)*n/crossFolds
		rest := slices.Concat(order[:lo], order[hi:])
		s, l := mat.NewDense(len(rest), k, nil), make([]int, len(rest))
		for i, r := range rest {
			s.SetRow(i, scores.RawRowView(r))
			l[i] = labels[r]
		}
		of := Parameters{Classes: k}
		if err := w.fit(&of, s, l); err != nil {
			return 0, err
		}
		for _, r := range order[lo:hi] {
			w.row(&of, p, scores.RawRowView(r))
			total -= math.Log(max(p[labels[r]], math.SmallestNonzeroFloat64))
		}
	}
	return total / float64(n), nil
}

// leftover is 1/(n+2), the probability that Laplace's rule of succession leaves to the other classes after n rows of a
// class.
func leftover(n int) float64 { return 1 / float64(n+2) }

// Parameters returns the numbers of c, which it shares.
func (c *Calibration) Parameters() Parameters { return c.p }

// Method returns the method that c was fitted with: for Automatic the method that was chosen.
func (c *Calibration) Method() string { return c.p.Method }

// Classes returns the number of classes k.
func (c *Calibration) Classes() int { return c.p.Classes }

// T returns the temperature of Temperature and TemperatureBias, +Inf if the scores carry no information about the
// classes, and 1 for other methods.
func (c *Calibration) T() float64 {
	if c.p.Inverse == nil {
		return 1
	}
	return 1 / *c.p.Inverse
}

// Probabilities returns the class probabilities [n, k] for scores [n, k] of any rows. Its rows sum to 1. Errors:
// domain.ErrShape for another number of classes and no rows, domain.ErrDomain for a score that is not finite,
// domain.ErrParam for nil scores and a calibration that Fit did not make.
func (c *Calibration) Probabilities(scores *mat.Dense) (*mat.Dense, error) {
	if c.p.Classes == 0 {
		return nil, errNotFitted
	}
	if err := check("Calibration", given{"scores", scores, notFinite}); err != nil {
		return nil, err
	}
	n, k := scores.Dims()
	if k != c.p.Classes {
		return nil, fmt.Errorf("train: Calibration: there are %d scores a row, and the calibration is of %d "+
			"classes; give the scores of the same head: %w", k, c.p.Classes, domain.ErrShape)
	}
	w, err := wayOf(c.p.Method)
	if err != nil {
		return nil, err
	}
	p := mat.NewDense(n, k, nil)
	for i := range n {
		w.row(&c.p, p.RawRowView(i), scores.RawRowView(i))
	}
	return p, nil
}

var errNotFitted = fmt.Errorf("train: Calibration: it has not been fitted; use Fit or UnmarshalJSON: %w",
	domain.ErrParam)

// softmax takes the place of logits.
func softmax(logits []float64) {
	most := floats.Max(logits)
	for j, v := range logits {
		logits[j] = math.Exp(v - most)
	}
	floats.Scale(1/floats.Sum(logits), logits)
}

// MarshalJSON writes the parameters of c without rounding. Errors: domain.ErrParam for a calibration that has not been
// fitted.
func (c *Calibration) MarshalJSON() ([]byte, error) {
	if c.p.Classes == 0 {
		return nil, errNotFitted
	}
	return json.Marshal(c.p)
}

// UnmarshalJSON reads and checks what MarshalJSON wrote; an error leaves c as it was. Errors: domain.ErrParam for
// parameters that are missing, out of range or of another method; the errors of encoding/json.
func (c *Calibration) UnmarshalJSON(text []byte) error {
	var p Parameters
	if err := strictly("Calibration", text, &p); err != nil {
		return err
	}
	w, err := wayOf(p.Method)
	if err != nil {
		return err
	}
	has := [4]bool{p.Inverse != nil, p.Bias != nil, p.Sigmoids != nil, p.Steps != nil || p.Floor != 0}
	if has != w.has || !p.usable() {
		return fmt.Errorf("train: Calibration: the JSON is no calibration by %v of %d classes: it lacks numbers, "+
			"or has some that do not belong; write it by MarshalJSON: %w", p.Method, p.Classes, domain.ErrParam)
	}
	c.p = p
	return nil
}

// strictly reads one JSON value and refuses unknown fields and anything after it.
func strictly(who string, text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("train: %s: %w", who, err)
	}
	if d.More() {
		return fmt.Errorf("train: %s: there is more behind the JSON: %w", who, domain.ErrParam)
	}
	return nil
}

const (
	// FarLogit is a logit at which a sigmoid is 0 or 1 to all digits.
	FarLogit = 700
	// LeastProbability is the least normal float32, the smallest probability that a softmax head in float32 can tell
	// from 0.
	LeastProbability = 0x1p-126
)

// LogProbabilities returns the logarithms of probabilities [n, k], the scores of a softmax head that Fit takes. A
// probability below 2⁻¹²⁶, the least normal float32, is raised to it. Errors: domain.ErrDomain for numbers that are not
// probabilities, domain.ErrShape for no rows or columns, domain.ErrParam for nil.
func LogProbabilities(p *mat.Dense) (*mat.Dense, error) {
	if err := checkProbabilities("LogProbabilities", p); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(p)
	out.Apply(func(_, _ int, v float64) float64 { return math.Log(max(v, LeastProbability)) }, out)
	return out, nil
}
