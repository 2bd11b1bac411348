package layers

import (
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

const bagInputs = "sets of samples in [0, 1]^l"

// Density is the kernel exp(-ρ²(p, q)/2σ²) of densities on the unit cube, and how an HDDLayer embeds them. Of the
// fields besides Sigma, 0 stands for a default.
type Density struct {
	// ρ², as spectral.JensenShannonDivergence; the zero value is ∫ (p - q)²
	Distance spectral.DensityDistance
	// σ > 0, in the unit of ρ
	Sigma float64 `param:"sigma" doc:"bandwidth σ"`
	// The bandwidth of the density estimate of bags, in the unit of the samples: one number for all axes or one for
	// each, as ops.ScottBandwidth or ops.CrossValidatedBandwidth finds on the training bags. With more than three axes,
	// where densities are one-dimensional, find them for each axis by itself (ops.Bags.Axis). A layer without it takes
	// densities only, not bags. Whether the points of the grid can show it is checked when bags come, see ops.KDE.
	Bandwidth []float64 `param:"bandwidth" words:"scott,cv" default:"scott"`
	// The number M of frequencies λ. 0 is 5, or for the total variation no embedding, see HDDLayer. The squared
	// Hellinger distance has the only frequency 0, and ∫ (p - q)² none.
	Lambdas int                 `param:"lambdas" words:"auto=0" range:"(0,65536]" default:"auto"`
	Rule    spectral.LambdaRule `param:"rule" words:"gauss,quantile,drawn" default:"gauss" doc:"where they are"`
	// The basis, and the number of its functions on each axis. 0 is 10.
	Basis     Basis `param:"basis" words:"cosine,fourier" default:"cosine" doc:"orthonormal basis of an axis"`
	Functions int   `param:"functions" range:"(0,4096]" default:"10" doc:"basis functions of an axis"`
	// The number of points of the grid, one for all axes or one for each. The default is 128 on one axis, 48 on each of
	// two and 20 on each of three. With more than three axes each direction has a grid of its own: give one number for
	// all, by default 128.
	Points []int `param:"points" words:"auto=0" range:"(0,4096]" default:"auto"`
	// At replaces the grid, of at most three axes, by the rows of a matrix [V, l] (ops.NewPoints). With uniform points,
	// as in the paper, integrals have an error of the order V^(-1/2); a grid is more accurate and much faster.
	At *tensor.Dense
	// Box takes all products of functions of l axes into the basis. The default is the products whose degrees sum to at
	// most the degree of the last function of an axis, about Functions^l/l!. The two are the same for l = 1 and for
	// l > 3, where each direction has a basis of its own.
	Box bool
}

// l2 says whether the distance is ∫ (p - q)².
func (d Density) l2() bool { return d.Distance == (spectral.DensityDistance{}) }

// direct says whether the map has frequencies on the values of densities, without an embedding.
func (d Density) direct() bool {
	_, ok := d.Distance.Kernel(1, 1).Laplacian()
	return ok && d.Lambdas == 0
}

// unused returns an error for a field that would change nothing.
func (d Density) unused() error {
	switch {
	case d.Lambdas != 0 && (d.l2() || d.Distance.Of != nil && pointMass(d.Distance.Of)):
		return fmt.Errorf("the field Lambdas is %d, and the distance has the one frequency 0, with which the map is "+
			"exact; leave it out: %w", d.Lambdas, ErrParam)
	case d.direct() && (d.Functions != 0 || d.Basis != CosineBasis || d.Box):
		return fmt.Errorf("without Lambdas the map of this distance has frequencies on the values of densities, and no "+
			"basis; leave Basis, Functions and Box out: %w", ErrParam)
	}
	return nil
}

// defaultLambdas is the number of frequencies λ of a distance that is an integral over them.
const defaultLambdas = 5

// filled returns d with defaults for fields of 0.
func (d Density) filled() Density {
	d = orDefaults(d)
	if d.Lambdas == 0 && !d.direct() {
		d.Lambdas = defaultLambdas
	}
	return d
}

// densityForm is the form of a kernel of the densities behind sets of samples.
type densityForm struct {
	Density
	Phase bool `param:"phase"`
}

// hides hides the frequencies λ unless the distance is an integral over λ, which the features replace by a sum.
func (f densityForm) hides(name string) bool {
	return (f.l2() || f.Distance == spectral.SquaredHellinger) && (name == "lambdas" || name == "rule")
}

// check returns an error for a parameter of an embedding that the map does not have, and for a bandwidth that is not
// above 0.
func (f densityForm) check(mapName string, given Values) error {
	for _, p := range []struct {
		name   string
		absent any
	}{{"rule", "gauss"}, {"basis", "cosine"}, {"functions", 10.}} {
		if value, stated := given.plain()[p.name]; f.direct() && stated && value != p.absent {
			return fmt.Errorf("layers: map %s: %s = %v is of an embedding, and without lambdas the map has "+
				"frequencies on the values of densities; give lambdas, or leave %s out: %w", mapName, p.name, value,
				p.name, ErrParam)
		}
	}
	for _, w := range f.Bandwidth {
		if !(w > 0) {
			return fmt.Errorf("layers: map %s: bandwidth = %v, want finite numbers above 0: %w", mapName, w, ErrParam)
		}
	}
	return nil
}

func (f densityForm) plan(s Spec) (plan, error) {
	d := f.filled()
	dims := max(1, s.Dims)
	lifted := densityCount(dims) * d.count(gridAxes(dims))
	if d.direct() {
		g, err := d.grid(dims)
		if err != nil {
			return plan{}, fmt.Errorf("layers: map %s: %w", s.Map, err)
		}
		lifted = densityCount(dims) * g.Len()
	} else if !f.hides("lambdas") {
		lifted *= 2 * d.Lambdas
	}
	k := &densityKernel{d}
	return plan{kernel: k, size: s.fourier(lifted, f.Phase), build: func(o options) (Layer, error) {
		if d.Bandwidth == nil {
			return nil, fmt.Errorf("layers: map %s: bandwidth = %s is found on data: fill it in by FillDefaults, or "+
				"give numbers: %w", s.Map, s.Params.Word("bandwidth"), ErrParam)
		}
		given := f.Density
		if d.direct() {
			given.Functions = 0
		}
		of, err := NewHDDLayer(given, s.Dims, s.Features, withAll(o))
		if err != nil {
			return nil, err
		}
		l, err := NewBagLayer(of)
		if err != nil {
			return nil, err
		}
		l.kernel = k
		return l, nil
	}}, nil
}

// fill finds the bandwidth of the estimate, and σ.
func (f densityForm) fill(v Values, x ops.Matrix) error {
	if !f.hides("lambdas") && f.Lambdas == 0 && !f.direct() {
		v["lambdas"] = float64(defaultLambdas)
	}
	k := &densityKernel{f.Density}
	k.Sigma = 1
	if k.Bandwidth == nil {
		b, err := bagsOf(x)
		if err != nil {
			return err
		}
		if k.Bandwidth, err = k.bandwidth(v.Word("bandwidth"), b); err != nil {
			return err
		}
		v["bandwidth"] = listText(k.Bandwidth)
	}
	return fillScale(v, "sigma", x, func(b *ops.Bags) (func(i, j int) float64, error) {
		g, err := k.GramBags(b)
		return func(i, j int) float64 { return -2 * math.Log(g.At(i, j)) }, err
	})
}

// fillScale fills in the scale of a kernel exp(-d²/2σ²) of sets, half their distance. It looks at all pairs of at most
// 64 sets, of which squared makes d².
func fillScale(v Values, name string, x ops.Matrix,
	squared func(b *ops.Bags) (func(i, j int) float64, error)) error {
	return fill(v, name, func() (float64, error) {
		b, err := bagsOf(x)
		if err != nil {
			return 0, err
		}
		b = b.Take(spread(b.Len(), 64))
		of, err := squared(b)
		if err != nil {
			return 0, err
		}
		return halfDistance("sets", b.Len(), of)
	})
}

// bagsOf returns x as sets of samples. The rows of a matrix are sets of one sample.
func bagsOf(x ops.Matrix) (*ops.Bags, error) {
	if b, ok := x.(*ops.Bags); ok && b.Len() > 0 {
		return b, nil
	}
	if domain.IsNil(x) || x.Dims() != 2 || x.Shape()[0] == 0 {
		return nil, fmt.Errorf("want bags, or rows [n, l], to derive it from: %w", ErrShape)
	}
	t, err := ops.Copy(nil, x, ops.Attr{Layer: "the data"})
	if err != nil {
		return nil, err
	}
	return ops.BagsOfRows(t)
}

// bandwidth finds a bandwidth by a rule, for a joint density or, in more than three dimensions, for the density of each
// coordinate. It is at least half the distance of two points of the grid, so that the bump of a sample does not fall
// between them.
func (d Density) bandwidth(rule string, b *ops.Bags) (h []float64, err error) {
	g, err := d.grid(b.Axes())
	if err != nil {
		return nil, err
	}
	parts := []*ops.Bags{b}
	if b.Axes() > g.Axes() {
		parts = nil
		for j := range b.Axes() {
			parts = append(parts, b.Axis(j))
		}
	}
	for _, part := range parts {
		var of []float64
		if rule == "cv" {
			of, err = ops.CrossValidatedBandwidth(crossValidationBags(part), nil)
		} else {
			of, err = ops.ScottBandwidth(part)
		}
		if err != nil {
			return nil, err
		}
		h = append(h, of...)
	}
	for j := range h {
		h[j] = math.Max(h[j], .5/float64(g.Points()[j%g.Axes()]))
	}
	return h, nil
}

// crossValidationBags returns bags, evenly spread, that have some millions of pairs of samples together, which take
// about a second.
func crossValidationBags(b *ops.Bags) *ops.Bags {
	const most = 1 << 22
	pairs, offsets := 0.0, b.Offsets()
	for i, lo := range offsets[:b.Len()] {
		pairs += math.Pow(float64(offsets[i+1]-lo), 2)
	}
	return b.Take(spread(b.Len(), max(1, int(math.Min(float64(b.Len()), most/pairs*float64(b.Len()))))))
}
