package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/cmd/program"
	"gorgonia.org/tensor"
)

type mapsCmd struct{}

// Run prints a row for each map: its name, its kernel, its parameters with their defaults, its inputs and its paper.
func (mapsCmd) Run() error {
	fmt.Println("| map | kernel k(x, z) | parameters | inputs | source |")
	fmt.Println("|---|---|---|---|---|")
	for _, e := range layers.Entries() {
		var params []string
		for _, p := range e.Params() {
			def := "from the data"
			if p.Default != nil {
				def = fmt.Sprint(p.Default)
			}
			if def == "" { // a list
				def = "none"
			}
			params = append(params, fmt.Sprintf("`%s` (%s)", p.Name, def))
		}
		fmt.Printf("| `%s` | %s | %s | %s | %s |\n", e.Name, strings.ReplaceAll(e.Formula, "|", "\\|"), strings.Join(params, ", "), e.Inputs, e.Paper)
	}
	return nil
}

// mapFlags describe the scalers and the feature map.
type mapFlags struct {
	Scale    string  `placeholder:"LIST" help:"Scalers, in order: none, l1, l2, minmax, cube, standard, auto, robust or quantile. A bar puts the columns of two lists side by side: quantile|l1,cube. A map that mini-batches tune has the best of auto, none, quantile and robust; otherwise a table with names or texts has auto, which is cube for maps of x >= 0, and bags have cube (default none)."`
	Map      string  `placeholder:"NAME" help:"Feature map, see bochner maps (default gaussian, two or four with different random numbers, or networks or a linear model where these have less loss; exp-semigroup for synthetic data; hdd-js for bags)."`
	Params   string  `placeholder:"LIST" help:"Parameters of the map, name=value,... (default from the data)."`
	Features *int    `placeholder:"N" help:"Output columns of the map. A map that mini-batches tune has 1024, and one that is fitted on rows 512, or half the rows if that is less (default 4096)."`
	Sampler  *string `placeholder:"NAME" help:"Sampler of the frequencies, see init/samplers.md (default iid)."`
	Dtype    *string `enum:"float32,float64" placeholder:"TYPE" help:"Element type: float32 or float64 (default float64; float32 where mini-batches tune the map)."`
	Seed     *uint64 `placeholder:"N" help:"Seed of the draws, of the order of the rows and of splits (default 1)."`
}

// defaultMap is the map where nothing names one, and its scalers; "" leaves the scalers to the recipe.
func defaultMap(bags, synthetic bool) (scale, name string) {
	switch {
	case bags:
		return "cube", "hdd-js"
	case synthetic:
		return "l1", "exp-semigroup"
	}
	return "", "gaussian"
}

// spec is the spec of a recipe with the flags, checked as far as no data are needed.
func (f mapFlags) spec(s layers.Spec, scale string, tunes bool) (layers.Spec, error) {
	if f.Map != "" && f.Map != s.Map {
		s.Map, s.Params = f.Map, nil
	}
	s.Name = s.Map
	e, err := layers.Lookup(s.Map)
	if err != nil {
		return s, err
	}
	if f.Params != "" {
		values, err := layers.ParseValues(s.Map, f.Params)
		if err != nil {
			return s, err
		}
		merged := layers.Values{}
		maps.Copy(merged, s.Params)
		maps.Copy(merged, values)
		s.Params = merged
	}
	s.Dtype = cmp.Or(deref(f.Dtype), s.Dtype)
	if s.Seed = cmp.Or(s.Seed, 1); f.Seed != nil {
		s.Seed = *f.Seed
	}
	if _, err := (train.Recipe{Scale: scale, Spec: s}).NewScaler(); err != nil {
		return s, err
	}
	if tunes {
		own := s
		own.Sampler = cmp.Or(deref(f.Sampler), s.Sampler)
		if policy, err := own.DefaultPolicy(); err == nil && policy != layers.Frozen { // other errors are found below
			s.Tune = policy.String()
		}
	}
	switch {
	case !e.HasFeatures() && f.Features != nil:
		hint := ""
		if e.Has("order") {
			hint = "; say --params order=N"
		}
		return s, fmt.Errorf("--features does not apply to --map %s, which makes %s%s", s.Map, e.Width, hint)
	case f.Features != nil:
		s.Features = *f.Features
	case s.Features == 0 && e.HasFeatures() && !e.Fitted:
		if s.Features = 4096; s.Tuned() {
			s.Features = tunedFeatures
		}
	}
	if s.Features != 0 || f.Features != nil {
		if err := checkFeatures("--features", s.Features); err != nil {
			return s, err
		}
	}
	if f.Sampler != nil {
		switch {
		case e.Signed:
			return s, fmt.Errorf("--sampler does not apply to --map %s, which draws its two signs by a coupling; say --params coupling=NAME", s.Map)
		case e.Discrete:
			return s, fmt.Errorf("--sampler does not apply to --map %s, which draws random signs and no frequencies", s.Map)
		case !e.Sampled || !e.HasSampler:
			return s, fmt.Errorf("--sampler does not apply to --map %s, which draws no frequencies", s.Map)
		case *f.Sampler == "":
			return s, fmt.Errorf("--sampler is empty; want one of %v", spectral.Samplers())
		}
		s.Sampler = *f.Sampler
	}
	if s.Sampler == "" && e.HasSampler && !e.Has("way") { // whose sampler follows from the way
		s.Sampler = "iid"
	}
	return s, probe(s)
}

// tunedFeatures are the default features of a map that mini-batches tune.
const tunedFeatures = 1024

// What a map may take: columns of its features, and numbers (16 GiB).
const (
	maxFeatures = 1 << 24
	maxSize     = 1 << 31
)

// checkFeatures wants a number of features that a map may have.
func checkFeatures(flag string, n int) error {
	if n < 1 || n > maxFeatures {
		return program.Usage("%s %d: want 1 to %d", flag, n, maxFeatures)
	}
	return nil
}

// probe builds the map for a few columns, so that a flag that does not fit it is found before any data are read. What
// it cannot tell without the data is no error here.
func probe(spec layers.Spec) error {
	columns := 16 // enough for every sampler
	if e, err := layers.Lookup(spec.Map); err == nil && e.Bags {
		columns = max(2, 1+strings.Count(spec.Params.Word("bandwidth"), ":"))
	}
	x := tensor.New(tensor.WithShape(2, columns), tensor.Of(tensor.Float64))
	for j := range columns {
		x.Float64s()[columns+j] = 1
	}
	if spec.Dims = columns; spec.FillDefaults(x) != nil {
		return nil
	}
	_, err := build(spec, nil)
	return err
}

// checkSize refuses a finished spec of a map that is too large: a wrong flag, or more memory than there is.
func checkSize(spec layers.Spec) error {
	size, err := spec.Size()
	if err != nil {
		return asUsage(err)
	}
	if size > maxSize && spec.Features > 0 {
		return program.Usage("--features %d: the map of %d dimensions is too large; ask for at most %.0f features",
			spec.Features, spec.Dims, math.Floor(maxSize/size*float64(spec.Features)))
	}
	if cols, err := spec.Columns(); err == nil && cols > maxFeatures {
		return program.Usage("--map %s makes %d columns of %d, and %d are the most; lower its order", spec.Map, cols, spec.Dims, maxFeatures)
	}
	return affordMap(spec, size)
}

// build makes the map of a finished spec that checkSize does not refuse, for the scaled rows x where it is fitted on
// them. Without rows it only looks at the flags of a map that is fitted.
func build(spec layers.Spec, x ops.Matrix) (layers.Layer, error) {
	if err := checkSize(spec); err != nil {
		return nil, err
	}
	if t, err := spec.Traits(); err != nil || t.Fitted && x == nil {
		return nil, asUsage(err)
	}
	l, err := spec.Fit(x)
	return l, asUsage(err)
}

// asUsage makes a wrong parameter a wrong flag.
func asUsage(err error) error {
	if errors.Is(err, ops.ErrParam) || errors.Is(err, spectral.ErrSampler) {
		return &program.UsageError{Err: err}
	}
	return err
}
