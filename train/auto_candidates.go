package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"github.com/bochner-go/bochner/train/sgd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// candidate is a recipe that Auto tries at one size or another.
type candidate struct {
	Recipe
	kind   kind
	factor float64 // of the parameter that comes from the data
	number int
}

// kind says what learns in a candidate, and so what its time depends on.
type kind int

const (
	frozen  kind = iota // the head alone
	scaled              // scales of the columns, by StepEvidence, and the head
	tuned               // a map and the head, by mini-batches
	network             // all layers of a network
)

func (k kind) String() string { return [...]string{"frozen", "scaled", "tuned", "network"}[k] }

// origin is the same for all ways to tune one map.
func (c candidate) origin() string { return fmt.Sprint(c.Scale, " ", c.Spec.Map, c.factor) }

// drawn says whether a fit depends on random numbers.
func (c candidate) drawn() bool {
	e, err := layers.Lookup(c.Spec.Map)
	return c.kind >= tuned || err == nil && e.Sampled
}

// candidate numbers a recipe, and gives its layers names and random numbers of their own.
func (a *race) candidate(k kind, r Recipe, factor float64) candidate {
	a.numbers++
	r.Columns, r.Groups, r.Afford = a.Columns, a.Groups, a.Afford
	r.Spec = renumbered(r.Spec, a.Seed, a.numbers)
	r.Spec.Dtype = a.Dtype
	seed := r.Spec.Seed
	r.descend(func(o *sgd.FitOptions) { o.Seed = seed })
	return candidate{r, k, factor, a.numbers}
}

// seedsApart lie between the seeds of members of an ensemble, for the seeds of their parts.
const seedsApart = 16

// renumbered is a spec with the names and seeds of member n of an ensemble.
func renumbered(s layers.Spec, seed uint64, n int) layers.Spec {
	s.Name, s.Seed = fmt.Sprintf("%s%d", s.Map, n), seed+seedsApart*uint64(n)
	last := s.Seed
	s.Parts = numbered(s.Parts, &last)
	return s
}

// numbered are parts with seeds that follow the last one, without names.
func numbered(parts []layers.Spec, last *uint64) []layers.Spec {
	parts = slices.Clone(parts)
	for i := range parts {
		*last++
		parts[i].Name, parts[i].Seed = "", *last
		parts[i].Parts = numbered(parts[i].Parts, last)
	}
	return parts
}

// anyWidth is a spec without what follows from the columns of the rows, so that it fits rows of other columns too.
func anyWidth(s layers.Spec) layers.Spec {
	s.Dims = 0
	if e, err := layers.Lookup(s.Map); err == nil && !e.HasFeatures() {
		s.Features = 0
	}
	s.Parts = slices.Clone(s.Parts)
	for i, p := range s.Parts {
		s.Parts[i] = anyWidth(p)
	}
	return s
}

// descend changes the options of the mini-batches of a recipe, and says whether it has any.
func (r *Recipe) descend(change func(*sgd.FitOptions)) bool {
	if f, ok := r.Fitter.(sgd.MiniBatch); ok {
		change(&f.FitOptions)
		r.Fitter = f
		return true
	}
	if r.Tuner == nil || !r.Tuner.descends() {
		return false
	}
	t := *r.Tuner
	change(&t.Descent)
	r.Tuner = &t
	return true
}

// look describes the rows and returns the maps that suit them, frozen, the more promising ones first, and the scalers
// that suit networks; none for bags.
func (a *race) look() (kind string, maps []candidate, scales []string) {
	add := func(scale, name string, factor float64) {
		r := Recipe{Scale: scale, Spec: layers.Spec{Map: name, Tune: layers.Frozen.String()}, Fitter: a.Fitter}
		origin := candidate{Recipe: r, factor: factor}.origin()
		if !slices.ContainsFunc(maps, func(c candidate) bool { return c.origin() == origin }) {
			maps = append(maps, a.candidate(frozen, r, factor))
		}
	}
	rows, columns := a.set.Rows(), a.set.Dims()
	if _, bags := a.set.X.(*ops.Bags); bags {
		for _, c := range [][2]string{{"standard", "mean-map"}, {"cube", "hdd-js"}, {"cube", "hdd-hellinger"},
			{"none", "mean-map"}, {"cube", "l2-density"}, {"cube", "hdd-tv"}} {
			add(c[0], c[1], 1)
		}
		add("standard", "mean-map", .5)
		add("standard", "mean-map", 2)
		return "sets of samples", maps, nil
	}
	positive := ops.CheckRows(domain.NonNegative(), "", a.set.X) == nil
	unit := ops.CheckRows(domain.UnitSphere(1e-6), "", a.set.X) == nil
	standard := "standard"
	if a.set.Columns != nil {
		standard = "auto" // which leaves the columns of categories as they are
	}
	_, sparse := a.set.X.(*ops.CSR)
	kind = map[bool]string{true: "sparse", false: "dense"}[sparse]
	if sparse && float64(rows)*float64(columns) > 1e7 {
		standard = "" // it would make them dense
	}
	if positive {
		kind += ", not negative"
	}
	length := "l2"
	if unit {
		kind, length = kind+", of length 1", "none"
	}
	scales = []string{standard, "none"}
	switch {
	case standard == "":
		scales = []string{length, "none"}
	case !unit && !sparse && standardised(a.set.X):
		scales, kind = []string{"none"}, kind+", standardised"
	case sparse && positive:
		scales = []string{"none", standard}
	}
	scales = slices.Compact(scales)
	add(scales[0], "gaussian", 1)
	add(scales[0], "linear", 1)
	if positive {
		add("l1", "exp-chi2", 1)
		add("l1", "exp-semigroup", 1)
	}
	for _, s := range scales[1:] {
		add(s, "gaussian", 1)
	}
	var others []string
	if !sparse && !unit {
		others = []string{"quantile", "robust", "quantile|" + standard}
	}
	for _, s := range others {
		add(s, "gaussian", 1)
	}
	if !slices.Contains(scales, length) {
		add(length, "gaussian", 1)
	}
	if length == "l2" && scales[0] != "none" && scales[0] != "l2" {
		length = scales[0] + ",l2"
	}
	if positive {
		add("l1", "exp-hellinger", 1)
		add("l1", "hellinger", 1)
		add("cube", "exp-chi2", 1)
		add("cube", "exp-hellinger", 1)
	}
	add(length, "arc-cosine", 1)
	if sparse {
		add("l2", "linear", 1)
	}
	add(scales[0], "laplacian", 1)
	add(scales[0], "gaussian", .5)
	add(scales[0], "gaussian", 2)
	return fmt.Sprintf("%d rows of %d columns, %s", rows, columns, kind), maps, append(scales[:1:1], others...)
}

// tuning are the ways to tune a map that was tried frozen.
func (a *race) tuning(of candidate) (all []candidate) {
	e, err := layers.Lookup(of.Spec.Map)
	if err != nil || !e.Tunable || e.Signed && a.classes != nil || of.Spec.Map == "laplacian" {
		return nil // a softmax head knows no signs, and the largest of Cauchy frequencies outweighs all others
	}
	spec := layers.Spec{Map: of.Spec.Map}
	steps := func(k kind, step string) candidate {
		t := &Tuner{Steps: []string{step}, Seed: a.Seed, Descent: mapRates}
		return a.candidate(k, Recipe{Scale: of.Scale, Spec: spec, Tuner: t, Fitter: a.Fitter}, of.factor)
	}
	if a.Fitter == nil {
		ways := []sgd.FitOptions{mapRates, shrunk(mapRates), calmRates}
		if a.classes == nil {
			turned := mapRates
			turned.Directions = true
			ways = append([]sgd.FitOptions{turned}, ways...)
		}
		for _, o := range ways {
			all = append(all, a.descent(tuned, of.Scale, withTune(spec), of.factor, o))
		}
	}
	all = slices.Insert(all, min(1, len(all)), steps(tuned, StepBoth))
	return append(all, steps(tuned, StepSolved), steps(scaled, StepEvidence))
}

func withTune(s layers.Spec) layers.Spec {
	s.Tune = layers.All.String()
	return s
}

// descent is a candidate that mini-batches fit.
func (a *race) descent(k kind, scale string, s layers.Spec, factor float64, o sgd.FitOptions) candidate {
	f := sgd.MiniBatch{FitOptions: o}
	if a.classes != nil {
		f.Head = "softmax"
	}
	return a.candidate(k, Recipe{Scale: scale, Spec: s, Fitter: f}, factor)
}

// shrunk are options for rows with much noise.
func shrunk(o sgd.FitOptions) sgd.FitOptions {
	o.MapDecay *= 10
	o.Epochs = 10
	return o
}

// mapRates are options for a map, which shrinks a little. With calmRates a head follows noisy labels less.
var (
	mapRates  = sgd.FitOptions{MapDecay: .03, LabelSmoothing: -1}
	calmRates = sgd.FitOptions{LearnRate: .002, MapRate: .03, MapDecay: .1, LabelSmoothing: -1}
)

// networks are the networks for rows under each of some scalers, the better one first.
func (a *race) networks(scales ...string) (all []candidate) {
	if a.Fitter != nil || len(scales) == 0 {
		return nil
	}
	linear := withTune(layers.Spec{Map: "dense", Features: min(32, a.MaxFeatures),
		Params: layers.Values{"activation": "linear"}})
	waves := withTune(layers.Spec{Map: "gaussian", Features: a.MaxFeatures})
	of := func(o sgd.FitOptions, scale string, parts ...layers.Spec) {
		all = append(all, a.descent(network, scale, layers.Spec{Map: "sequential", Parts: parts}, 1, o))
	}
	fine, outputs := fineColumns(a.set.X), min(layerWidth, a.MaxFeatures)
	hidden := networkLayers(wavesOf(fine, smooth), outputs)
	of(netRates, scales[0], hidden...)
	if waves := wavesOf(fine, steep); waves != nil {
		of(netRates, scales[0], networkLayers(waves, outputs)...)
	}
	of(shrunk(netRates), scales[0], hidden...)
	for _, scale := range scales[1:] {
		of(netRates, scale, hidden...)
	}
	of(netRates, scales[0], waves, linear, waves)
	of(netRates, scales[0], append(hidden[:len(hidden)-1:len(hidden)-1], waves)...)
	return all
}

// sharp is a network of sharp columns under the first of some scalers, if there are rows enough for one; few of them would
// say nothing of it.
func (a *race) sharp(scales []string, rows int) []candidate {
	const epochs = 10
	waves := wavesOf(fineColumns(a.set.X), sharp)
	if a.Fitter != nil || len(scales) == 0 || a.classes == nil || rows <= shortRows || waves == nil {
		return nil
	}
	o := sharpRates
	o.Epochs = epochs
	spec := layers.Spec{Map: "sequential", Parts: networkLayers(waves, min(layerWidth, a.MaxFeatures))}
	return []candidate{a.descent(network, scales[0], spec, 1, o)}
}

// variants are a candidate with one setting changed, or where mini-batches fit nothing, with other random numbers.
func (a *race) variants(of candidate) (all []candidate) {
	if r := of.Recipe; !r.descend(func(*sgd.FitOptions) {}) {
		if of.drawn() {
			all = append(all, a.candidate(of.kind, r, of.factor))
		}
		return all
	}
	for _, change := range []func(o *sgd.FitOptions){
		func(o *sgd.FitOptions) { o.MapDecay *= 3 },
		func(o *sgd.FitOptions) { o.MapRate *= 2 },
		func(o *sgd.FitOptions) { o.Epochs = (o.Epochs + 1) / 2 },
		func(o *sgd.FitOptions) { o.MapDecay /= 3 },
		func(o *sgd.FitOptions) { o.MapRate /= 2 },
	} {
		r := of.Recipe
		r.descend(func(o *sgd.FitOptions) {
			o.MapRate, o.Epochs = cmp.Or(o.MapRate, .1), cmp.Or(o.Epochs, epochs(a.learned()))
			change(o)
		})
		all = append(all, a.candidate(of.kind, r, of.factor))
	}
	return all
}

// size is the size of a trial.
type size struct{ rows, features int }

// at is the recipe of a candidate at some size. Penalties are in proportion to the rows.
func (a *race) at(c candidate, s size) Recipe {
	r := c.Recipe
	e, err := layers.Lookup(r.Spec.Map)
	if err == nil && e.HasFeatures() {
		r.Spec.Features = min(s.features, a.MaxFeatures)
	}
	if a.classes != nil && r.Fitter == nil && err == nil && !e.Signed {
		n := float64(s.rows)
		r.Fitter = linear.LogisticOptions{Seed: a.Seed, Lambdas: []float64{1e-3 * n, 1e-5 * n}, Tol: 1e-3}
	}
	r.descend(func(o *sgd.FitOptions) {
		o.Batch = batchOf(s.rows)
		o.Epochs = cmp.Or(o.Epochs, epochs(s.rows))
	})
	return r
}

// epochs is a number of passes for so many rows.
func epochs(rows int) int {
	if rows < 8000 {
		return 40
	}
	return 30
}

// standardised says whether each column of dense rows has a mean of about 0 and a standard deviation of about 1.
func standardised(m ops.Matrix) bool {
	x := data.RowRange(m, 0, min(2000, m.Shape()[0])).(*tensor.Dense)
	rows := mat.NewDense(x.Shape()[0], x.Shape()[1], ops.Float64s(x))
	for j := range x.Shape()[1] {
		if mean, dev := stat.PopMeanStdDev(mat.Col(nil, j, rows), nil); math.Abs(mean) > .2 || dev < .8 || dev > 1.25 {
			return false
		}
	}
	return true
}
