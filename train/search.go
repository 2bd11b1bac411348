package train

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
)

// Candidate is a map for CrossValidate to score, and the lambdas to score it with.
type Candidate struct {
	Spec    layers.Spec
	Lambdas []float64 // nil: as in CVOptions
}

// The axes that are not parameters of a map.
const (
	AxisFeatures = "features" // Spec.Features
	AxisLambda   = "lambda"   // Candidate.Lambdas
)

// Axis is a setting that a search changes: AxisFeatures, AxisLambda, or a numeric parameter of the map by its name. The
// name of a parameter may have the prefix "map.", and needs it if it equals one of the two constants.
type Axis struct {
	Name   string
	Values []float64 // those to try, each once
	Lo, Hi float64   // without Values: the range that RandomSearch draws from, ends included
}

// Grid returns a copy of spec for every combination of the values of the axes. The last axis changes first. Every
// candidate has all values of AxisLambda.
//
// Errors (domain.ErrParam): a name that is not a parameter of the map, or not a numeric one; a value outside its
// domain; an axis without values, with a value twice, or with a range; the same axis twice; AxisFeatures for a map
// whose number of features is fixed.
func Grid(spec layers.Spec, axes ...Axis) ([]Candidate, error) {
	all, err := newAxes("Grid", spec, axes)
	if err != nil {
		return nil, err
	}
	out := []Candidate{{Spec: spec}}
	for _, a := range all {
		switch {
		case a.Values == nil:
			return nil, fmt.Errorf("train: Grid: %s has the range %v to %v and no values; list some, or draw by "+
				"RandomSearch: %w", a.Name, a.Lo, a.Hi, domain.ErrParam)
		case a.key == AxisLambda:
			for i := range out {
				out[i].Lambdas = slices.Clone(a.Values)
			}
		default:
			var more []Candidate
			for _, c := range out {
				for _, v := range a.Values {
					a.set(&c, v)
					more = append(more, c)
				}
			}
			out = more
		}
	}
	return out, nil
}

// RandomSearch returns n copies of spec. Each has a draw for every axis: one of its Values, or a number from its range.
// A range with Lo > 0 is drawn from log-uniformly, another one uniformly, and a whole-number parameter uniformly among
// its numbers. The number of features is rounded to a multiple of 4, which suits every map, if one lies in the range.
// Each axis has its own stream of random numbers under the seed: other axes do not change its draws, and more draws
// begin with the draws of fewer. Bergstra and Bengio (2012), Random search for hyper-parameter optimization.
//
// Errors: as for Grid, except that ranges are allowed; domain.ErrParam for n < 1, for no axes, for more candidates
// than memory holds, and unless Lo < Hi.
func RandomSearch(spec layers.Spec, n int, seed uint64, axes ...Axis) ([]Candidate, error) {
	all, err := newAxes("RandomSearch", spec, axes)
	if err != nil {
		return nil, err
	}
	if n < 1 || len(all) == 0 {
		return nil, fmt.Errorf("train: RandomSearch: %d draws along %d axes; want at least one of each: %w", n,
			len(all), domain.ErrParam)
	}
	if err := domain.CheckSize("train: RandomSearch", 512, n); err != nil { // a candidate and its parameters
		return nil, err
	}
	out := slices.Repeat([]Candidate{{Spec: spec}}, n)
	for _, a := range all {
		rng := rand.New(spectral.Stream(seed, "search/"+a.key))
		for i := range out {
			a.set(&out[i], a.draw(rng))
		}
	}
	return out, nil
}

// searchAxis is an Axis that has been checked, and what it does to a candidate. Errors name a parameter without "map.".
type searchAxis struct {
	Axis
	key   string // different for different axes
	whole bool   // whether all values between Lo and Hi are whole numbers
	check func(v float64) error
	set   func(c *Candidate, v float64)
}

// newAxes checks the axes against the map.
func newAxes(who string, spec layers.Spec, axes []Axis) ([]searchAxis, error) {
	e, err := layers.Lookup(spec.Map)
	if err != nil {
		return nil, err
	}
	var all []searchAxis
	for _, axis := range axes {
		name, param := strings.CutPrefix(axis.Name, "map.")
		a := searchAxis{Axis: axis, key: name}
		switch a.Name = name; {
		case !param && name == AxisLambda:
			a.check = given.CheckLambda
			a.set = func(c *Candidate, v float64) { c.Lambdas = []float64{v} }
		case !param && name == AxisFeatures:
			a.check = func(v float64) error { return checkFeatures(e, v) }
			a.set = func(c *Candidate, v float64) { c.Spec.Features = int(v) }
		default:
			a.key = "map." + name
			a.whole = slices.ContainsFunc(e.ParamsOf(spec.Params), func(p layers.ParamDef) bool { return p.Name == name && p.Whole })
			a.check = func(v float64) error { return e.Check(with(spec.Params, name, v)) }
			a.set = func(c *Candidate, v float64) { c.Spec.Params = with(c.Spec.Params, name, v) }
		}
		err := a.checkValues()
		if slices.ContainsFunc(all, func(b searchAxis) bool { return b.key == a.key }) {
			err = fmt.Errorf("%s is given twice: %w", axis.Name, domain.ErrParam)
		}
		if err != nil {
			return nil, fmt.Errorf("train: %s: %w", who, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// checkValues wants values, or a range, in the domain of the axis.
func (a searchAxis) checkValues() error {
	values := a.Values
	if values == nil {
		values = []float64{a.Lo, a.Hi}
		if !(a.Lo < a.Hi) {
			return fmt.Errorf("%s has no values, and the range %v to %v is none: %w", a.Name, a.Lo, a.Hi,
				domain.ErrParam)
		}
	} else if a.Lo != 0 || a.Hi != 0 || len(values) == 0 {
		return fmt.Errorf("%s has %d values and the range %v to %v; give one of the two: %w", a.Name, len(values),
			a.Lo, a.Hi, domain.ErrParam)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%s = %v is given twice: %w", a.Name, v, domain.ErrParam)
		}
		if err := a.check(v); err != nil {
			return err
		}
	}
	return nil
}

// checkFeatures wants a number of features that a map can have.
func checkFeatures(e *layers.Entry, v float64) error {
	switch {
	case !e.HasFeatures():
		return fmt.Errorf("map %s has no number of features to choose; it makes %s: %w", e.Name, e.Width,
			domain.ErrParam)
	case !(v >= 1 && v <= math.MaxInt32 && v == math.Trunc(v)):
		return fmt.Errorf("features = %v, want a whole number above 0: %w", v, domain.ErrParam)
	}
	return nil
}

// with is a copy of values with one of them set to v.
func with(values layers.Values, name string, v float64) layers.Values {
	out := layers.Values{}
	maps.Copy(out, values)
	out[name] = v
	return out
}

// draw is a value at random.
func (a searchAxis) draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	switch {
	case a.Values != nil:
		return a.Values[int(u*float64(len(a.Values)))]
	case a.whole:
		return math.Min(a.Lo+math.Floor(u*(a.Hi-a.Lo+1)), a.Hi)
	}
	v := a.Lo*(1-u) + a.Hi*u
	if a.Lo > 0 {
		v = math.Exp(math.Log(a.Lo) + u*(math.Log(a.Hi)-math.Log(a.Lo)))
	}
	v = math.Min(math.Max(v, a.Lo), a.Hi) // which rounding may have left
	if a.key != AxisFeatures {
		return v
	}
	if r := 4 * math.Round(v/4); r >= a.Lo && r <= a.Hi {
		return r
	}
	return math.Round(v)
}

// Around returns one candidate for each factor. Each is the spec that FillDefaults makes for x, with the first
// parameter that comes from the data multiplied by the factor. Errors: domain.ErrParam for a map whose parameters are
// all given or need no data; the errors of FillDefaults.
func Around(spec layers.Spec, x ops.Matrix, factors ...float64) ([]Candidate, error) {
	x, err := data.RowMajor("train: Around", "x", x)
	if err != nil {
		return nil, err
	}
	e, err := layers.Lookup(spec.Map)
	if err != nil {
		return nil, err
	}
	given := spec.Params
	spec.Dims = x.Shape()[1]
	if err := spec.FillDefaults(x); err != nil {
		return nil, err
	}
	for _, p := range e.ParamsOf(spec.Params) {
		_, fixed := given[p.Name]
		if value, number := spec.Params[p.Name].(float64); number && !fixed && p.Default == nil && !p.Whole {
			out := make([]Candidate, len(factors))
			for i, f := range factors {
				out[i].Spec = spec
				out[i].Spec.Params = with(given, p.Name, value*f)
				// what follows from the data and from this parameter
				if err := out[i].Spec.FillDefaults(x); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("train: Around: map %s has no parameter that comes from the data and is not given: %w",
		spec.Map, domain.ErrParam)
}

// The least and the largest factor by which CrossValidate extends its search.
const leastFactor, largestFactor = 1. / 64, 64.

// around scores the candidate by the factors of the options, and by more of them while the best is at an end.
func (p *prepared) around(ctx context.Context, candidates []Candidate, o CVOptions) (*Scores, error) {
	factors := slices.Sorted(slices.Values(o.Factors))
	if len(factors) == 0 || len(candidates) != 1 {
		return nil, fmt.Errorf("train: CrossValidate: %d Factors of %d candidates; give one factor at least, such "+
			"as 1, and one candidate: %w", len(factors), len(candidates), domain.ErrParam)
	}
	var r *Scores
	for more := factors; len(more) > 0; {
		around, err := Around(candidates[0].Spec, p.x, more...)
		if err != nil {
			return nil, err
		}
		for i := range around {
			around[i].Lambdas = candidates[0].Lambdas
		}
		next, err := p.scores(ctx, around, o)
		if err != nil {
			return nil, err
		}
		switch {
		case r == nil:
			r = next
		case more[0] < factors[0]:
			r.All, factors = slices.Concat(next.All, r.All), append(more, factors...)
		default:
			r.All, factors = append(r.All, next.All...), append(factors, more...)
		}
		r.choose()
		more = nil
		at := func(i int) string { return fmt.Sprint(r.All[i].Spec.Params) }
		switch last := len(factors) - 1; {
		case at(r.Chosen) == at(len(r.All)-1) && 2*factors[last] <= largestFactor:
			more = []float64{2 * factors[last]}
		case at(r.Chosen) == at(0) && factors[0]/2 >= leastFactor:
			more = []float64{factors[0] / 2}
		}
	}
	return r, nil
}
