package layers

import (
	"fmt"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

// kernelParam is the parameter by which a map names another map, whose kernel and parameters it takes over.
const kernelParam = "kernel"

// borrower is the part of forms that take over the kernel of another map.
type borrower struct {
	first string              // the map whose kernel is the default
	fits  func(e *Entry) bool // the maps whose kernels it can take
	own   func() []ParamDef   // its parameters besides the kernel
}

// def declares the parameter kernel.
func (f borrower) def() ParamDef {
	d := ParamDef{Name: kernelParam, Doc: "the map whose kernel it is; its parameters go with it", Default: f.first}
	for _, e := range Entries() {
		if f.fits(e) {
			d.Words = append(d.Words, e.Name)
		}
	}
	return d
}

func (f borrower) params() []ParamDef { return append([]ParamDef{f.def()}, f.own()...) }

// of returns the map that the kernel is taken from, or nil if there is none of that name.
func (f borrower) of(v Values) *Entry {
	name, given := v[kernelParam].(string)
	if !given {
		name = f.first
	}
	if e, err := Lookup(name); err == nil && f.fits(e) {
		return e
	}
	return nil
}

// more returns the parameters of the kernel.
func (f borrower) more(v Values) (defs []ParamDef) {
	if e := f.of(v); e != nil {
		for _, p := range e.Form.params() {
			if !p.OfMap {
				defs = append(defs, p)
			}
		}
	}
	return defs
}

func (borrower) together(Values) error { return nil }

func (f borrower) fill(v Values, x ops.Matrix) error {
	if e := f.of(v); e != nil {
		return e.Form.fill(v, x)
	}
	return nil
}

// kernel returns the kernel with the parameters of s.
func (f borrower) kernel(s Spec) (spectral.Kernel, error) {
	e := f.of(s.Params)
	if e == nil {
		return nil, fmt.Errorf("layers: map %s: there is no kernel %q that it takes: %w", s.Map,
			s.Params.Word(kernelParam), ErrParam)
	}
	p, err := e.plan(s)
	return p.kernel, err
}

// kpcaForm is the form of AddKPCALayer.
type kpcaForm struct{ borrower }

func newKPCAForm() kpcaForm {
	return kpcaForm{borrower{first: "chi2",
		fits: func(e *Entry) bool { _, additive := e.Form.(Homogeneous); return additive },
		own: func() []ParamDef {
			return []ParamDef{
				{Name: "components", Doc: "columns for each input column", Whole: true, Max: MaxComponents,
					Default: 3.},
				{Name: "points", Doc: "knots of each column's table", Whole: true, Min: 1, Max: MaxTablePoints,
					Default: 64.},
			}
		}}}
}

func (kpcaForm) traits() Traits {
	return Traits{Fitted: true, Zeros: true, Width: "`components` columns for each input column"}
}

func (f kpcaForm) plan(s Spec) (plan, error) {
	k, err := f.kernel(s)
	if err != nil {
		return plan{}, err
	}
	h, err := kernelAs[spectral.Homogeneous](s, k)
	if err != nil {
		return plan{}, err
	}
	o := kpcaOptions{components: int(s.Params.Number("components")), points: int(s.Params.Number("points"))}
	return plan{kernel: h, columns: o.components * s.Dims, state: tableState(s.Dims, kpcaTables(h, o)),
		fit: func(sample *tensor.Dense, opts []Option) (Layer, error) {
			all := apply(opts)
			all.kpca = o
			return newAddKPCALayer(h, sample, s.Dims, all)
		}}, nil
}

// majiBergForm is the form of MajiBergLayer.
type majiBergForm struct{ simple }

func (majiBergForm) traits() Traits {
	return Traits{Fitted: true, Zeros: true, Width: "`bins` columns for each input column"}
}

func (majiBergForm) params() []ParamDef {
	return []ParamDef{{Name: "bins", Doc: "columns for each input column", Whole: true, Max: MaxBins, Default: 16.}}
}

func (majiBergForm) plan(s Spec) (plan, error) {
	bins := int(s.Params.Number("bins"))
	return plan{kernel: histogramIntersection{}, columns: bins * s.Dims,
		state: tableState(s.Dims, majiBergTables(bins)),
		fit: func(sample *tensor.Dense, opts []Option) (Layer, error) {
			return newMajiBergLayer(sample, s.Dims, apply(append(opts, WithBins(bins))))
		}}, nil
}

// nystromForm is the form of NystromLayer.
type nystromForm struct{ borrower }

func newNystromForm() nystromForm {
	return nystromForm{borrower{first: "gaussian", fits: func(e *Entry) bool { return e.lends },
		own: func() []ParamDef {
			return []ParamDef{
				{Name: "landmarks", Doc: "rows to compare with; 0 is one a feature", Whole: true, Closed: true,
					Max: MaxLandmarks, Default: 0.},
				{Name: "select", Doc: "how they are chosen", Words: landmarkChoices,
					Default: UniformLandmarks.String()},
			}
		}}}
}

func (nystromForm) traits() Traits { return Traits{Fitted: true} }

func (f nystromForm) plan(s Spec) (plan, error) {
	k, err := f.kernel(s)
	if err != nil {
		return plan{}, err
	}
	m := nystromLandmarks(s)
	return plan{kernel: k, state: map[string]tensor.Shape{"landmarks": {m, s.Dims}, "projection": {m, s.Features}},
		fit: func(sample *tensor.Dense, opts []Option) (Layer, error) {
			choice := LandmarkChoice(slices.Index(landmarkChoices, s.Params.Word("select")))
			opts = append(opts, WithSeed(s.Seed), WithLandmarks(m), WithLandmarkChoice(choice))
			return newNystromLayer(k, sample, s.Dims, s.Features, apply(opts))
		}}, nil
}

func nystromLandmarks(s Spec) int {
	if m := int(s.Params.Number("landmarks")); m != 0 {
		return m
	}
	return s.Features
}

// SampleRows is the largest number of rows that Spec.Fit fits a map on. A map with more landmarks than that or, if it
// does not give landmarks, more features, is fitted on up to as many rows.
const SampleRows = 10000

// Fit builds the map for rows x [n, Dims], dense or sparse. A map that is fitted on data (Entry.Fitted) is fitted on all
// rows or, if they are more than SampleRows, on a sample of them that Seed draws. The Params of the layer hold what was
// fitted; Restore makes the layer of them again. For any other map Fit is Build, and x may be nil. Errors: as for Build,
// or x is nil or has another number of columns (ErrShape).
func (s Spec) Fit(x ops.Matrix) (Layer, error) {
	e, p, err := s.plan()
	if err != nil || p.fit == nil {
		return s.build(nil)
	}
	if b, ok := x.(*ops.Bags); ok && e.Bags {
		x = b.Samples()
	}
	if t, dense := x.(*tensor.Dense); x == nil || dense && t == nil {
		return nil, fmt.Errorf("layers: map %s is fitted on rows [n, %d], got none: %w", s.Map, s.Dims, ErrShape)
	}
	if x.Dims() != 2 || s.Dims > 0 && x.Shape()[1] != s.Dims {
		return nil, fmt.Errorf("layers: map %s is fitted on rows [n, %d], got %v: %w", s.Map, s.Dims, x.Shape(),
			ErrShape)
	}
	sample, err := sampleRows(x, max(SampleRows, nystromLandmarks(s)), s.Seed)
	if err != nil {
		return nil, fmt.Errorf("layers: map %s: %w", s.Map, err)
	}
	return s.build(sample)
}

// sampleRows returns at most limit rows, dense: all, or some that the seed draws, in their order.
func sampleRows(x ops.Matrix, limit int, seed uint64) (*tensor.Dense, error) {
	if n := x.Shape()[0]; n > limit {
		return takeRows(x, drawRows(n, limit, seed))
	}
	return ops.Copy(nil, x, ops.Attr{})
}

// drawRows returns the numbers of limit of n rows, rising.
func drawRows(n, limit int, seed uint64) []int {
	rows := rand.New(spectral.Stream(seed, "sample")).Perm(n)[:limit]
	slices.Sort(rows)
	return rows
}

// someRows returns at most limit rows, sparse if x is.
func someRows(x ops.Matrix, limit int, seed uint64) (ops.Matrix, error) {
	switch n := x.Shape()[0]; s := x.(type) {
	case *ops.CSR:
		if n <= limit {
			return s, nil
		}
		return s.Take(drawRows(n, limit, seed)), nil
	default:
		if n <= limit {
			return x, nil
		}
		return takeRows(x, drawRows(n, limit, seed))
	}
}

// takeRows returns the rows of these numbers, dense.
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
		if err := ops.Assign(ops.Rows(out, k, k+1), view); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// State returns the shapes of the parameters that Fit fits, by name: a model file must hold them. It returns nil for a
// map that is not fitted on data.
func (s Spec) State() (map[string]tensor.Shape, error) {
	_, p, err := s.plan()
	return p.state, err
}
