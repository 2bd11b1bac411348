package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// drawn are n rows of k logits, of which the classes are drawn by softmax(s/temperature), and what that is.
func drawn(n, k int, temperature float64, seed uint64) (scores, p *mat.Dense, labels []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	scores, p, labels = mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), make([]int, n)
	for i := range n {
		for j := range k {
			scores.Set(i, j, 4*rng.NormFloat64())
		}
		softmax(p.RawRowView(i), scores.RawRowView(i), 1/temperature)
		labels[i] = pick(rng, p.RawRowView(i))
	}
	return scores, p, labels
}

func pick(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for j, v := range p {
		if u -= v; u < 0 {
			return j
		}
	}
	return len(p) - 1
}

func fitted(t *testing.T, m Method, scores *mat.Dense, labels []int) *Calibration {
	t.Helper()
	c, err := Fit(m, scores, labels)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func probabilities(t *testing.T, c *Calibration, scores *mat.Dense) *mat.Dense {
	t.Helper()
	p, err := c.Probabilities(scores)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two classes whose scores are ±1, m of n rows being right: p of the right class is the mean of the smoothed targets.
func TestTemperatureClosedForm(t *testing.T) {
	const n, m = 41, 34
	for _, unit := range []float64{1, 1e-200, 1e200} {
		scores, labels := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			labels[i] = i % 2
			class := labels[i]
			if i >= m {
				class = 1 - class
			}
			scores.SetRow(i, []float64{-unit, -unit})
			scores.Set(i, class, unit)
		}
		c := fitted(t, Temperature, scores, labels)
		rest := 1. / (n + 2)
		share := float64(m) / n
		mean := share*(1-rest) + (1-share)*rest
		if want := 2 / math.Log(mean/(1-mean)) * unit; math.Abs(c.T()-want) > 1e-12*want {
			t.Errorf("unit %v: T = %v, want %v", unit, c.T(), want)
		}
		if p := probabilities(t, c, scores).At(0, 0); math.Abs(p-mean) > 1e-12 {
			t.Errorf("unit %v: p = %v, want %v", unit, p, mean)
		}
	}
}

// The derivative of the definition is 0 at the fit, by central differences.
func TestTemperatureIsLeast(t *testing.T) {
	scores, _, labels := drawn(300, 5, 2, 3)
	c := fitted(t, Temperature, scores, labels)
	loss := func(beta float64) (sum float64) {
		p, rest := make([]float64, 5), 1./302
		for i, l := range labels {
			softmax(p, scores.RawRowView(i), beta)
			for j, v := range p {
				target := rest / 4
				if j == l {
					target = 1 - rest
				}
				sum -= target * math.Log(v) / 300
			}
		}
		return sum
	}
	const h = 1e-5
	if d := (loss(c.inverse+h) - loss(c.inverse-h)) / (2 * h); math.Abs(d) > 1e-9 {
		t.Errorf("the derivative at 1/T = %v is %v", c.inverse, d)
	}
}

// T is that of the law, within 4 standard errors by its Fisher information: the variance of the scores under p.
func TestTemperatureOfLaw(t *testing.T) {
	const n, want = 4000, 2.5
	scores, p, labels := drawn(n, 6, want, 4)
	information := 0.0
	for i := range n {
		mean, square := 0.0, 0.0
		for j, v := range scores.RawRowView(i) {
			mean += p.At(i, j) * v
			square += p.At(i, j) * v * v
		}
		information += square - mean*mean
	}
	c := fitted(t, Temperature, scores, labels)
	if off, se := math.Abs(1/c.T()-1/want), 1/math.Sqrt(information); off > 4*se {
		t.Errorf("1/T = %v is off by %v, standard error %v", 1/c.T(), off, se)
	}
}

func TestTemperatureAtEnds(t *testing.T) {
	right := mat.NewDense(3, 2, []float64{5, 0, 0, 1, 2, 1})
	if c := fitted(t, Temperature, right, []int{0, 1, 0}); !(c.T() > 0) || !finite(c.T()) {
		t.Errorf("all rows right: T = %v", c.T())
	}
	wrong := fitted(t, Temperature, right, []int{1, 0, 1})
	if !math.IsInf(wrong.T(), 1) {
		t.Errorf("all rows wrong: T = %v", wrong.T())
	}
	same := fitted(t, Temperature, mat.NewDense(2, 2, []float64{7, 7, 3, 3}), []int{0, 1})
	for _, c := range []*Calibration{wrong, same} {
		if p := probabilities(t, c, right); p.At(0, 0) != .5 || p.At(0, 1) != .5 {
			t.Errorf("scores that say nothing: %v", p)
		}
	}
}

// A score of two values: the sigmoid is the mean of Platt's targets at each. And in general the gradient of his loss is 0.
func TestPlatt(t *testing.T) {
	var s []float64
	var labels []int
	add := func(score float64, label, times int) {
		for range times {
			s, labels = append(s, score), append(labels, label)
		}
	}
	add(-3, 0, 20)
	add(-3, 1, 5)
	add(7, 0, 4)
	add(7, 1, 31)
	hi, lo := 37./38, 1./26
	f := fitSigmoid(s, labels, 1)
	for _, c := range []struct{ score, want float64 }{{-3, (5*hi + 20*lo) / 25}, {7, (31*hi + 4*lo) / 35}} {
		if got := math.Exp(f.log(c.score)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c.score, got, c.want)
		}
	}

	rng := rand.New(rand.NewPCG(1, 2))
	s, labels = s[:0], labels[:0]
	for i := range 500 {
		add(100+float64(i%3)+2*rng.NormFloat64(), min(i%3, 1), 1)
	}
	f = fitSigmoid(s, labels, 1)
	positive := 0
	for _, l := range labels {
		positive += l
	}
	g0, g1 := 0.0, 0.0
	for i, v := range s {
		target := 1 / float64(500-positive+2)
		if labels[i] == 1 {
			target = float64(positive+1) / float64(positive+2)
		}
		d := math.Exp(f.log(v)) - target
		g0, g1 = g0+d, g1+d*(v-100)
	}
	if math.Abs(g0) > 1e-9 || math.Abs(g1) > 1e-9 {
		t.Errorf("the gradient of the loss is %v, %v", g0, g1)
	}
}

// Of two classes with the scores s and -s the two sigmoids are each other's complement, so that the sum is 1 without normalising.
func TestPlattOfTwo(t *testing.T) {
	scores, _, labels := drawn(200, 2, 3, 8)
	for i := range 200 {
		scores.Set(i, 1, -scores.At(i, 0))
	}
	c := fitted(t, Platt, scores, labels)
	p := probabilities(t, c, scores)
	for i := range 200 {
		if one := math.Exp(c.sigmoids[0].log(scores.At(i, 0))); math.Abs(one-p.At(i, 0)) > 1e-9 {
			t.Fatalf("row %d: %v and %v", i, one, p.At(i, 0))
		}
	}
}

// Against the min-max formula of isotonic regression: the value of row i is max over a <= i of min over b >= i of the mean of a..b.
func TestIsotonicDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 50 {
		n := 1 + trial
		s, labels := make([]float64, n), make([]int, n)
		for i := range n {
			s[i] = float64(rng.IntN(1 + trial)) // with equal ones
			labels[i] = rng.IntN(2)
		}
		const floor = 1e-3
		f := fitSteps(s, labels, 1, floor)
		values := slices.Clone(s)
		slices.Sort(values)
		values = slices.Compact(values)
		mean := func(lo, hi float64) float64 {
			hits, rows := 0, 0
			for i, v := range s {
				if v >= lo && v <= hi {
					rows++
					hits += labels[i]
				}
			}
			return float64(hits) / float64(rows)
		}
		for _, v := range values {
			want := 0.0
			for _, a := range values {
				least := 1.0
				for _, b := range values {
					if a <= v && b >= v {
						least = min(least, mean(a, b))
					}
				}
				if a <= v {
					want = max(want, least)
				}
			}
			if got := f.at(v); math.Abs(got-max(want, floor)) > 1e-12 {
				t.Fatalf("%d rows: %v at %v, want %v", n, got, v, want)
			}
		}
		if !f.usable(floor) {
			t.Fatalf("%d rows: knots %v are not those of an increasing function", n, f)
		}
		if f.at(-1) != f.Y[0] || f.at(1e300) != f.Y[len(f.Y)-1] {
			t.Fatalf("%d rows: it is not constant outside", n)
		}
	}
	line := steps{X: []float64{0, 4}, Y: []float64{.25, .75}}
	if got := line.at(1); got != .375 {
		t.Errorf("between two knots: %v, want .375", got)
	}
}

// What calibration is for: probabilities that were too sure are nearly true after it, by all methods.
func TestCalibrationHelps(t *testing.T) {
	scores, _, labels := drawn(3000, 4, 3, 11)
	test, truth, testLabels := drawn(3000, 4, 3, 12)
	before := mat.NewDense(3000, 4, nil)
	for i := range 3000 {
		softmax(before.RawRowView(i), test.RawRowView(i), 1)
	}
	worst, err := NLL(before, testLabels)
	if err != nil {
		t.Fatal(err)
	}
	best, err := NLL(truth, testLabels)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Temperature, Platt, Isotonic} {
		p := probabilities(t, fitted(t, m, scores, labels), test)
		nll, err := NLL(p, testLabels)
		if err != nil {
			t.Fatal(err)
		}
		ece, err := ECE(p, testLabels, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: NLL %.4f (before %.4f, true %.4f), ECE %.4f", m, nll, worst, best, ece)
		if m == Temperature && nll > best+.005 || nll > best+.4*(worst-best) {
			t.Errorf("%v: NLL %.4f, before %.4f, of the law %.4f", m, nll, worst, best)
		}
	}
	if c := fitted(t, Automatic, scores, labels); c.Method() != Temperature {
		t.Errorf("Automatic took %v of a law with a temperature", c.Method())
	}
}

// Scores squared are no logits of anything, but in the right order within a class: isotonic is the one that follows. Automatic takes the least CrossFit.
func TestAutomatic(t *testing.T) {
	scores, p, labels := drawn(4000, 2, 1, 13)
	for i := range 4000 {
		for j := range 2 {
			scores.Set(i, j, math.Pow(p.At(i, j), 9)+.3*math.Floor(3*p.At(i, j)))
		}
	}
	best, least := Automatic, math.Inf(1)
	for _, m := range []Method{Temperature, Platt, Isotonic} {
		loss, err := CrossFit(m, scores, labels)
		if err != nil {
			t.Fatal(err)
		}
		if loss < least {
			best, least = m, loss
		}
	}
	if c := fitted(t, Automatic, scores, labels); c.Method() != best || best == Temperature {
		t.Errorf("Automatic took %v, the least CrossFit is that of %v", c.Method(), best)
	}
	few := mat.DenseCopyOf(scores.Slice(0, 19, 0, 2))
	if c := fitted(t, Automatic, few, labels[:19]); c.Method() != Temperature {
		t.Errorf("Automatic took %v of 19 rows", c.Method())
	}
}

// Rows sum to 1 and no number is NaN, whatever the scores, and the zero that Isotonic has is its floor.
func TestProbabilitiesSumToOne(t *testing.T) {
	scores, _, labels := drawn(100, 3, 1, 17)
	for i := range labels {
		labels[i] = min(labels[i], 1) // the class 2 has no row
	}
	extreme := mat.NewDense(4, 3, []float64{1e300, -1e300, 0, -1e300, -1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 1, 5e-324, 0, -5e-324})
	for _, m := range []Method{Temperature, Platt, Isotonic} {
		c := fitted(t, m, scores, labels)
		for _, s := range []*mat.Dense{scores, extreme} {
			p := probabilities(t, c, s)
			n, _ := p.Dims()
			for i := range n {
				if sum := floats.Sum(p.RawRowView(i)); !(math.Abs(sum-1) < 1e-14) {
					t.Errorf("%v: row %v of %v sums to %v", m, p.RawRowView(i), s.RawRowView(i), sum)
				}
				if m == Isotonic && floats.Min(p.RawRowView(i)) < 1./(102*2)/2 {
					t.Errorf("%v: %v is under the floor", m, p.RawRowView(i))
				}
			}
		}
	}
}

func TestCalibrationErrors(t *testing.T) {
	good, labels := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 0}), []int{0, 1, 0}
	nan := mat.NewDense(3, 2, []float64{1, 0, 0, math.NaN(), 1, 0})
	huge := mat.NewDense(3, 2, []float64{1e308, -1e308, 0, 1, 1, 0})
	for _, c := range []struct {
		name   string
		method Method
		scores *mat.Dense
		labels []int
		want   error
	}{
		{"nil", Platt, nil, labels, domain.ErrParam},
		{"empty", Platt, &mat.Dense{}, nil, domain.ErrShape},
		{"one column", Platt, mat.NewDense(3, 1, nil), labels, domain.ErrShape},
		{"two labels", Platt, good, labels[:2], domain.ErrShape},
		{"a label of no class", Platt, good, []int{0, 2, 0}, domain.ErrDomain},
		{"a negative label", Platt, good, []int{0, -1, 0}, domain.ErrDomain},
		{"NaN", Platt, nan, labels, domain.ErrDomain},
		{"differences that overflow", Temperature, huge, labels, domain.ErrDomain},
		{"no method", Method(9), good, labels, domain.ErrParam},
	} {
		if _, err := Fit(c.method, c.scores, c.labels); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := CrossFit(Platt, good, labels); !errors.Is(err, domain.ErrShape) {
		t.Errorf("CrossFit of 3 rows: %v", err)
	}
	c := fitted(t, Platt, good, labels)
	if _, err := c.Probabilities(mat.NewDense(1, 3, nil)); !errors.Is(err, domain.ErrShape) {
		t.Errorf("three scores of two classes: %v", err)
	}
	if _, err := c.Probabilities(nan); !errors.Is(err, domain.ErrDomain) {
		t.Errorf("NaN: %v", err)
	}
	var none Calibration
	if _, err := none.Probabilities(good); !errors.Is(err, domain.ErrParam) {
		t.Errorf("not fitted: %v", err)
	}
	if m, err := ParseMethod("isotonic"); m != Isotonic || err != nil {
		t.Error(m, err)
	}
	if _, err := ParseMethod("none"); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	if s := Method(9).String() + Platt.String(); s != "Method(9)platt" {
		t.Error(s)
	}
}

func TestLogProbabilities(t *testing.T) {
	l, err := LogProbabilities(mat.NewDense(1, 2, []float64{1, 0}))
	if err != nil || l.At(0, 0) != 0 || l.At(0, 1) != -126*math.Ln2 {
		t.Errorf("%v, %v", l, err)
	}
	if _, err := LogProbabilities(mat.NewDense(1, 2, []float64{.5, .6})); !errors.Is(err, domain.ErrDomain) {
		t.Error(err)
	}
}
