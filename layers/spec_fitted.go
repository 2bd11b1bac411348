package layers

import (
	"fmt"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// kernelParam is the parameter of a map that names another map, whose kernel it takes with the parameters of that.
const kernelParam = "kernel"

// fittedMaps are the maps that are fitted on data, for the kernels of others.
func fittedMaps(others []*Entry) []*Entry {
	return []*Entry{addKPCAEntry(others), majiBergEntry(), nystromEntry(others)}
}

func addKPCAEntry(others []*Entry) *Entry {
	var additive []*Entry
	for _, e := range others {
		if e.additive {
			additive = append(additive, e)
		}
	}
	options := func(v Values) kpcaOptions {
		return kpcaOptions{components: int(v.Number("components")), points: int(v.Number("points"))}
	}
	return &Entry{Name: "add-kpca", Formula: "that of the additive map `kernel`, with its parameters", Inputs: "x >= 0", Paper: "Perronnin et al. 2010", Fitted: true,
		Params: []ParamDef{
			kernelDef(additive, "chi2"),
			{Name: "components", Doc: "columns for each input column", Whole: true, Max: MaxComponents, Default: 3.},
			{Name: "points", Doc: "knots of each column's table", Whole: true, Min: 1, Max: MaxTablePoints, Default: 64.},
		},
		Width: "`components` columns for each input column", columns: func(v Values, dims int) int { return int(v.Number("components")) * dims },
		kernels: additive,
		state: func(s Spec, v Values) map[string]tensor.Shape {
			return tableState(s.Dims, kpcaTables(spectral.Chi2{}, options(v))) // of any kernel
		},
		fit: func(k spectral.Kernel, s Spec, sample *tensor.Dense, opts []Option) (Layer, error) {
			o := apply(opts)
			o.kpca = options(s.Params)
			h, err := kernelAs[spectral.Homogeneous](s, k)
			if err != nil {
				return nil, err
			}
			return newAddKPCALayer(h, sample, s.Dims, o)
		}}
}

func majiBergEntry() *Entry {
	bins := func(v Values) int { return int(v.Number("bins")) }
	return &Entry{Name: "maji-berg", Formula: "Σ min(x, z)", Inputs: "x >= 0", Paper: "Maji and Berg 2009", Fitted: true,
		Params: []ParamDef{{Name: "bins", Doc: "columns for each input column", Whole: true, Max: MaxBins, Default: 16.}},
		Width:  "`bins` columns for each input column", columns: func(v Values, dims int) int { return bins(v) * dims },
		kernel: func(Values) spectral.Kernel { return histogramIntersection{} },
		state:  func(s Spec, v Values) map[string]tensor.Shape { return tableState(s.Dims, majiBergTables(bins(v))) },
		fit: func(_ spectral.Kernel, s Spec, sample *tensor.Dense, opts []Option) (Layer, error) {
			return newMajiBergLayer(sample, s.Dims, apply(append(opts, WithBins(bins(s.Params)))))
		}}
}

func nystromEntry(others []*Entry) *Entry {
	others = slices.DeleteFunc(slices.Clone(others), func(e *Entry) bool { return e.Signed }) // of an indefinite kernel there is no root
	return &Entry{Name: "nystrom", Formula: "that of the map `kernel`, with its parameters", Inputs: "those of the kernel", Paper: "Williams and Seeger 2001", Fitted: true,
		Params: []ParamDef{
			kernelDef(others, "gaussian"),
			{Name: "landmarks", Doc: "rows to compare with; 0 is one a feature", Whole: true, Closed: true, Max: MaxLandmarks, Default: 0.},
			{Name: "select", Doc: "how they are chosen", Words: []string{UniformLandmarks.String(), PlusPlusLandmarks.String()}, Default: UniformLandmarks.String()},
		},
		kernels: others,
		state: func(s Spec, v Values) map[string]tensor.Shape {
			m := nystromLandmarks(s, v)
			return map[string]tensor.Shape{"landmarks": {m, s.Dims}, "projection": {m, s.Features}}
		},
		fit: func(k spectral.Kernel, s Spec, sample *tensor.Dense, opts []Option) (Layer, error) {
			opts = append(opts, WithSeed(s.Seed), WithLandmarks(nystromLandmarks(s, s.Params)))
			if s.Params.Word("select") == PlusPlusLandmarks.String() {
				opts = append(opts, WithLandmarkChoice(PlusPlusLandmarks))
			}
			return newNystromLayer(k, sample, s.Dims, s.Features, apply(opts))
		}}
}

func nystromLandmarks(s Spec, v Values) int {
	if m := int(v.Number("landmarks")); m != 0 {
		return m
	}
	return s.Features
}

// kernelDef is the parameter that names one of some maps.
func kernelDef(maps []*Entry, first string) ParamDef {
	d := ParamDef{Name: kernelParam, Doc: "the map whose kernel it is; its parameters go with it", Default: first}
	for _, e := range maps {
		d.Words = append(d.Words, e.Name)
	}
	return d
}

// named is the map that a kernel is taken from, nil where the map has its own.
func (e *Entry) named(v Values) *Entry {
	name, given := v[kernelParam].(string)
	if !given && len(e.Params) > 0 {
		name, _ = e.Params[0].Default.(string)
	}
	for _, k := range e.kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// ParamsOf are the declarations of the parameters that there are with the values given: to its own a map with a parameter kernel has those
// of that kernel, and one with way=levy or auto the order.
func (e *Entry) ParamsOf(v Values) []ParamDef {
	all := slices.Clone(e.Params)
	if e.more != nil {
		all = append(all, e.more(v)...)
	}
	if k := e.named(v); k != nil {
		for _, p := range k.Params {
			if !p.OfMap {
				all = append(all, p)
			}
		}
	}
	return all
}

// kernelOf is the kernel of a full set of parameters.
func (e *Entry) kernelOf(v Values) spectral.Kernel {
	if k := e.named(v); k != nil {
		if e.outer != nil {
			return e.outer(k.kernel(v), v)
		}
		return k.kernel(v)
	}
	return e.kernel(v)
}

// fillFromData fills in what depends on the data.
func (e *Entry) fillFromData(v Values, x ops.Matrix) error {
	if e.defaults != nil {
		return e.defaults(v, x)
	}
	if k := e.named(v); k != nil {
		return k.fillFromData(v, x)
	}
	return nil
}

// SampleRows is how many rows a map is fitted on at most, or as many as it has landmarks where those are more.
const SampleRows = 10000

// Fit builds the map for the rows x [n, Dims], dense or sparse, that it is for. A map that is fitted on data (Entry.Fitted) is fitted on a
// sample of them, which Seed draws: all rows, or SampleRows of them. Any other map does not look at them, and Fit is Build. What was fitted
// is in the layer's Params, from which Restore makes the map again.
func (s Spec) Fit(x ops.Matrix) (Layer, error) {
	e, v, err := s.resolve()
	if err != nil || !e.fitted(v) {
		return s.build(nil)
	}
	if b, ok := x.(*ops.Bags); ok && e.Bags {
		x = b.Samples()
	}
	if t, dense := x.(*tensor.Dense); x == nil || dense && t == nil {
		return nil, fmt.Errorf("layers: map %s is fitted on rows [n, %d], got none: %w", s.Map, s.Dims, ErrShape)
	}
	if x.Dims() != 2 || s.Dims > 0 && x.Shape()[1] != s.Dims {
		return nil, fmt.Errorf("layers: map %s is fitted on rows [n, %d], got %v: %w", s.Map, s.Dims, x.Shape(), ErrShape)
	}
	sample, err := sampleRows(x, max(SampleRows, nystromLandmarks(s, v)), s.Seed)
	if err != nil {
		return nil, fmt.Errorf("layers: map %s: %w", s.Map, err)
	}
	return s.build(sample)
}

// sampleRows are at most limit rows, dense: all, or some that the seed draws, in their order.
func sampleRows(x ops.Matrix, limit int, seed uint64) (*tensor.Dense, error) {
	n := x.Shape()[0]
	if n > limit {
		rows := rand.New(spectral.Stream(seed, "sample")).Perm(n)[:limit]
		slices.Sort(rows)
		return takeRows(x, rows)
	}
	return ops.Copy(nil, x, ops.Attr{})
}

// takeRows are some rows, dense.
func takeRows(x ops.Matrix, rows []int) (*tensor.Dense, error) {
	if s, ok := x.(*ops.CSR); ok {
		return s.Take(rows).Dense(nil)
	}
	all, cols := x.(*tensor.Dense), x.Shape()[1]
	out := tensor.New(tensor.WithShape(len(rows), cols), tensor.Of(x.Dtype()))
	for k, i := range rows {
		row, err := all.Slice(tensor.S(i, i+1))
		if err != nil {
			return nil, err
		}
		view := row.(*tensor.Dense)
		if err := view.Reshape(1, cols); err != nil {
			return nil, err
		}
		if err := ops.Assign(part(out, k, 1), view); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// State are the shapes of the parameters that Fit fits, by name; nil for a map that is not fitted on data. A model file must hold them.
func (s Spec) State() (map[string]tensor.Shape, error) {
	e, v, err := s.resolve()
	if err != nil || !e.fitted(v) {
		return nil, err
	}
	return e.state(s, v), nil
}
