package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Method is a way to turn scores into probabilities.
type Method int

const (
	// Automatic chooses the method with the least negative log-probability under 5-fold cross-fitting among those below, the first of equals. With fewer than 20
	// rows it chooses Temperature.
	Automatic Method = iota
	// Temperature is p = softmax(s/T). Its one parameter does not change which class has the largest score. Scores are
	// logits, log-probabilities (LogProbabilities) or one-versus-rest scores. Guo, Pleiss, Sun and Weinberger (2017),
	// On calibration of modern neural networks.
	Temperature
	// TemperatureBias is p = softmax(s/T + b), with a bias b_c for each class, for a head that favours some classes.
	// Alexandari, Kundaje and Shrikumar (2020), Maximum likelihood with bias-corrected calibration is hard-to-beat at
	// label shift adaptation.
	TemperatureBias
	// Platt is σ(a_c s_c + b_c) for each class c, normalised to the sum 1. It suits one-versus-rest scores, as ridge
	// regression and support vector machines have them. Platt (1999), Probabilistic outputs for support vector
	// machines, whose smoothed targets are (N₊+1)/(N₊+2) and 1/(N₋+2); the Newton steps of Lin, Lin and Weng (2007), A
	// note on Platt's probabilistic outputs.
	Platt
	// Isotonic is for each class the nondecreasing function of its score that is nearest to the labels, interpolated
	// linearly between its steps and normalised to the sum 1. It wants some thousand rows. Before normalisation no
	// probability is below 1/((n+2)(k-1)) for n rows and k classes. Zadrozny and Elkan (2002), Transforming classifier
	// scores into accurate multiclass probability estimates.
	Isotonic
)

var methodNames = []string{"automatic", "temperature", "temperature-bias", "platt", "isotonic"}

// String returns the name that ParseMethod reads.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methodNames) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return methodNames[m]
}

// ParseMethod returns the method with a name: automatic, temperature, temperature-bias, platt or isotonic. Errors:
// domain.ErrParam for another name.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(methodNames, name); i >= 0 {
		return Method(i), nil
	}
	return 0, fmt.Errorf("train: Calibration: there is no method %q; give one of %q: %w", name, methodNames, domain.ErrParam)
}

// Calibration turns scores into probabilities. Fit and UnmarshalJSON make one; it does not change and is safe for
// concurrent use.
type Calibration struct {
	method   Method
	classes  int
	inverse  float64   // 1/T
	bias     []float64 // of the classes, of TemperatureBias
	sigmoids []sigmoid // of the classes
	floor    float64   // of the steps
	steps    []steps   // of the classes
}

// Fit learns a calibration from the scores [n, k] of held-out rows, one column for each class, and the class of each
// row as its column, 0..k-1. Two-class heads of this module have two columns. For a single score s of class 0 against
// class 1, pass the columns s and -s.
//
// Errors: domain.ErrShape for fewer than two columns, no rows, or another number of labels; domain.ErrDomain for a
// score that is not finite, for scores so large or small that differences lose all digits, and for a label outside
// 0..k-1; domain.ErrParam for nil scores and an unknown method.
func Fit(method Method, scores *mat.Dense, labels []int) (*Calibration, error) {
	if err := scoresOf("Calibration", "scores", scores, labels); err != nil {
		return nil, err
	}
	if method == Automatic {
		var err error
		if method, err = choose(scores, labels); err != nil {
			return nil, err
		}
	}
	_, k := scores.Dims()
	c := &Calibration{method: method, classes: k}
	var err error
	switch method {
	case Temperature:
		c.inverse, err = fitTemperature(scores, labels)
	case TemperatureBias:
		c.inverse, c.bias, err = fitBiased(scores, labels)
	case Platt:
		c.sigmoids = make([]sigmoid, k)
		for j := range k {
			c.sigmoids[j] = fitSigmoid(mat.Col(nil, j, scores), labels, j)
		}
	case Isotonic:
		c.floor = leftover(len(labels)) / float64(k-1)
		c.steps = make([]steps, k)
		for j := range k {
			c.steps[j] = fitSteps(mat.Col(nil, j, scores), labels, j, c.floor)
		}
	default:
		err = fmt.Errorf("train: Calibration: %v is none of Automatic, Temperature, TemperatureBias, Platt and Isotonic: %w", method, domain.ErrParam)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// leftover is 1/(n+2), the probability that Laplace's rule of succession leaves to the other classes after n rows of a
// class.
func leftover(n int) float64 { return 1 / float64(n+2) }

// Method returns the method that c was fitted with: for Automatic the method that was chosen.
func (c *Calibration) Method() Method { return c.method }

// Classes returns the number of classes k.
func (c *Calibration) Classes() int { return c.classes }

// T returns the temperature of Temperature and TemperatureBias, +Inf if the scores carry no information about the
// classes, and 1 for other methods.
func (c *Calibration) T() float64 {
	if c.method != Temperature && c.method != TemperatureBias {
		return 1
	}
	return 1 / c.inverse
}

// Probabilities returns the class probabilities [n, k] for scores [n, k] of any rows. Its rows sum to 1. Errors:
// domain.ErrShape for another number of classes and no rows, domain.ErrDomain for a score that is not finite,
// domain.ErrParam for nil scores and a calibration that Fit did not make.
func (c *Calibration) Probabilities(scores *mat.Dense) (*mat.Dense, error) {
	if c.classes == 0 {
		return nil, errNotFitted
	}
	if err := matrix("Calibration", "scores", scores); err != nil {
		return nil, err
	}
	n, k := scores.Dims()
	if k != c.classes {
		return nil, fmt.Errorf("train: Calibration: there are %d scores a row, and the calibration is of %d classes; give the scores of the same head: %w", k, c.classes, domain.ErrShape)
	}
	p := mat.NewDense(n, k, nil)
	for i := range n {
		c.row(p.RawRowView(i), scores.RawRowView(i))
	}
	return p, nil
}

var errNotFitted = fmt.Errorf("train: Calibration: it has not been fitted; use Fit or UnmarshalJSON: %w", domain.ErrParam)

// row writes the probabilities of a row of scores.
func (c *Calibration) row(dst, s []float64) {
	switch c.method {
	case Temperature:
		softmax(dst, s, c.inverse)
	case TemperatureBias:
		most := s[top(s)]
		for j, v := range s {
			dst[j] = c.bias[j]
			if c.inverse > 0 {
				dst[j] += max(c.inverse*(v-most), -math.MaxFloat64/2)
			}
		}
		softmax(dst, dst, 1)
	case Platt:
		for j, f := range c.sigmoids {
			dst[j] = f.log(s[j])
		}
		softmax(dst, dst, 1)
	default:
		for j, f := range c.steps {
			dst[j] = f.at(s[j])
		}
		floats.Scale(1/floats.Sum(dst), dst)
	}
}

// softmax writes softmax(inverse·s); dst may be s.
func softmax(dst, s []float64, inverse float64) {
	most, sum := s[top(s)], 0.0
	for j, v := range s {
		dst[j] = 1
		if inverse > 0 {
			dst[j] = math.Exp(inverse * (v - most))
		}
		sum += dst[j]
	}
	floats.Scale(1/sum, dst)
}

// leastProbability is the least normal float32, the smallest probability that a softmax head in float32 can tell from
// 0.
const leastProbability = 0x1p-126

// LogProbabilities returns the logarithms of probabilities [n, k], the scores of a softmax head that Fit takes. A
// probability below 2⁻¹²⁶, the least normal float32, is raised to it. Errors: domain.ErrDomain for numbers that are not
// probabilities, domain.ErrShape for no rows or columns, domain.ErrParam for nil.
func LogProbabilities(p *mat.Dense) (*mat.Dense, error) {
	if err := matrix("LogProbabilities", "p", p); err != nil {
		return nil, err
	}
	n, k := p.Dims()
	out := mat.NewDense(n, k, nil)
	for i := range n {
		row := p.RawRowView(i)
		if err := distribution("LogProbabilities", i, row); err != nil {
			return nil, err
		}
		for j, v := range row {
			out.Set(i, j, math.Log(max(v, leastProbability)))
		}
	}
	return out, nil
}
