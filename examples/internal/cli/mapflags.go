package cli

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"gorgonia.org/tensor"
)

// MapFlags are the flags that describe the scaler and the feature map.
type MapFlags struct {
	Map, Params, Sampler, Dtype, Scale string
	Features                           int
	Seed                               uint64
}

// Register adds the flags to a set. extra ends the help of -sampler, for a program that takes more than the samplers'
// names.
func (m *MapFlags) Register(fs *flag.FlagSet, defaultMap, extra string) {
	names := make([]string, 0, 8)
	for _, e := range layers.Entries() {
		names = append(names, e.Name)
	}
	fs.StringVar(&m.Map, "map", defaultMap, "feature `map`: "+strings.Join(names, ", "))
	fs.StringVar(&m.Params, "params", "", "parameters of the map, `name=value,...`; those left out come from the data (layers/maps.md)")
	fs.IntVar(&m.Features, "features", 4096, fmt.Sprintf("output `columns` of the map (nystrom: %d); those of an additive one follow from its parameters", fittedFeatures))
	fs.StringVar(&m.Sampler, "sampler", "iid", fmt.Sprint("`sampler` of the frequencies: ", spectral.Samplers(), " (init/samplers.md); that of the semigroup maps follows by default from their way"+extra))
	fs.Uint64Var(&m.Seed, "seed", 1, "`seed` of the draw, of the order of the rows and of splits")
	fs.StringVar(&m.Dtype, "dtype", "", "element `type`: float32, float64 (default float64)")
	fs.StringVar(&m.Scale, "scale", "none", "scalers in order, fitted on the training rows: none, l1, l2, minmax, cube (minmax, and later rows clipped to it; minmax is cube for a map of x >= 0 or x > -c), standard, auto (standard, but for columns of 0 and 1; cube for such a map), robust (median and quartiles, outliers to ±3), quantile (ranks to a normal distribution), quantile-uniform, as a `list` a,b")
}

// CheckDtype checks -dtype.
func (m *MapFlags) CheckDtype() error {
	if m.Dtype != "" && m.Dtype != "float64" && m.Dtype != "float32" {
		return Usage("-dtype %s: want float32 or float64", m.Dtype)
	}
	return nil
}

// Spec checks the flags and returns the map's spec, without the width of the input.
func (m *MapFlags) Spec(given map[string]bool) (layers.Spec, error) {
	fail := func(err error) (layers.Spec, error) { return layers.Spec{}, &UsageError{err} }
	e, err := layers.Lookup(m.Map)
	if err != nil {
		return fail(err)
	}
	values, err := layers.ParseValues(m.Map, m.Params)
	if err != nil {
		return fail(err)
	}
	if err := m.CheckDtype(); err != nil {
		return layers.Spec{}, err
	}
	spec := layers.Spec{Map: m.Map, Params: values, Dtype: m.Dtype, Seed: m.Seed, Name: m.Map}
	if _, err := train.ScalersFor(spec, m.Scale); err != nil {
		return fail(err)
	}
	if !e.HasFeatures() && given["features"] {
		return fail(fmt.Errorf("-features does not apply to -map %s, which makes %s%s", m.Map, e.Width, orderHint(e)))
	}
	if !e.Sampled && given["sampler"] {
		return fail(fmt.Errorf("-sampler does not apply to -map %s, which draws no frequencies", m.Map))
	}
	if e.Signed && given["sampler"] {
		return fail(fmt.Errorf("-sampler does not apply to -map %s, which draws its two signs by a coupling; say -params coupling=NAME", m.Map))
	}
	if e.HasFeatures() {
		if e.Fitted && !given["features"] {
			m.Features = fittedFeatures
		}
		if err := CheckFeatures("features", m.Features); err != nil {
			return fail(err)
		}
		spec.Features = m.Features
	}
	if e.Discrete && given["sampler"] {
		return fail(fmt.Errorf("-sampler does not apply to -map %s, which draws random signs and no frequencies", m.Map))
	}
	if spec.Sampler = m.Sampler; !e.HasSampler {
		spec.Sampler = ""
	} else if spec.Sampler == "" {
		return fail(fmt.Errorf("-sampler is empty; want one of %v", spectral.Samplers()))
	} else if e.Has("way") && !given["sampler"] {
		spec.Sampler = "" // which follows from the way
	}
	return spec, nil
}

// Recipe is a recipe without a Fitter, for the flags and a spec that Spec returned. It refuses sparse rows that a
// scaler would make too large.
func (m *MapFlags) Recipe(spec layers.Spec) train.Recipe {
	return train.Recipe{Scale: m.Scale, Spec: spec, Afford: func(what string, bytes float64) error {
		return Afford(what, bytes, "scale by l1 or l2")
	}}
}

// CheckBags checks that a map takes sets of samples where bags is set, and rows where it is not. rows is the remedy for
// the second case.
func CheckBags(mapName string, bags bool, rows string) error {
	e, err := layers.Lookup(mapName)
	switch {
	case err != nil || e.Bags == bags:
		return nil
	case bags:
		return Usage("-map %s is a map of rows; of sets of samples there are %s", mapName, strings.Join(layers.BagMaps(), ", "))
	}
	return Usage("-map %s is a map of sets of samples; %s", mapName, rows)
}

// orderHint names the flag that sets the order of a map, and so its columns.
func orderHint(e *layers.Entry) string {
	if e.Has("order") {
		return "; say -params order=N"
	}
	return ""
}

// fittedFeatures are the default features of a map that is fitted, in time cubic in them: a part of a second.
const fittedFeatures = 512

// What a map may take: columns of its features, and coordinates of its frequencies (16 GiB).
const (
	maxFeatures          = 1 << 24
	maxCoordinates int64 = 1 << 31
)

// SamplerOf is the name of the sampler that a finished spec draws by, "" where it has none.
func SamplerOf(spec layers.Spec) string {
	if name, err := spec.SamplerName(); err == nil {
		return name
	}
	return spec.Sampler
}

// CheckFeatures wants a number of features that a map may have.
func CheckFeatures(flagName string, n int) error {
	if n < 1 || n > maxFeatures {
		return Usage("-%s %d: want 1 to %d", flagName, n, maxFeatures)
	}
	return nil
}

// Probe builds the map for a few columns, so that a flag that does not fit it is found before any data are read. What
// it cannot tell without the data is no error here.
func Probe(spec layers.Spec) error {
	columns := 16 // enough for every sampler
	if e, err := layers.Lookup(spec.Map); err == nil && e.Bags {
		columns = max(2, 1+strings.Count(spec.Params.Word("bandwidth"), ":"))
	}
	x := tensor.New(tensor.WithShape(2, columns), tensor.Of(tensor.Float64))
	for j := range columns {
		x.Float64s()[columns+j] = 1
	}
	if Fit(&spec, x) != nil {
		return nil
	}
	_, err := Build(spec, nil)
	return err
}

// Fit finishes a spec for the scaled rows x: its width, and the parameters that come from the data.
func Fit(spec *layers.Spec, x ops.Matrix) error {
	spec.Dims = x.Shape()[1]
	return spec.FillDefaults(x)
}

// Check refuses a finished spec of a map that is too large: a wrong flag, or more memory than there is.
func Check(spec layers.Spec) error {
	dims, err := spec.FrequencyDims()
	if err == nil && spec.Features > 0 && int64(dims) > maxCoordinates/int64(spec.Features) {
		return Usage("-features %d: the frequencies in %d dimensions are too large; ask for at most %d features", spec.Features, dims, maxCoordinates/int64(dims))
	}
	if cols, err := spec.Columns(); err == nil && cols > maxFeatures {
		return Usage("-map %s makes %d columns of %d, and %d are the most; lower its order", spec.Map, cols, spec.Dims, maxFeatures)
	}
	return affordMap(spec, dims)
}

// Build makes the map of a finished spec that Check does not refuse, for the scaled rows x where it is fitted on them.
// Without rows it only looks at the flags of a map that is fitted.
func Build(spec layers.Spec, x ops.Matrix) (layers.Layer, error) {
	if err := Check(spec); err != nil {
		return nil, err
	}
	if state, err := spec.State(); err != nil || state != nil && x == nil {
		return nil, AsUsage(err)
	}
	l, err := spec.Fit(x)
	return l, AsUsage(err)
}

// AsUsage makes a wrong parameter a wrong flag.
func AsUsage(err error) error {
	if errors.Is(err, ops.ErrParam) || errors.Is(err, spectral.ErrSampler) {
		return &UsageError{err}
	}
	return err
}
