package given

import (
	"fmt"
	"math"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Spread is the weighted mean and the standard deviation of each target. It sums differences from the first row, in a
// unit that grows with them, so that neither a large mean nor large or small targets cost digits.
type Spread struct {
	mass    float64
	columns []columnSpread
	other   bool // whether a row is of no class
}

// columnSpread has the mean and the sum of squares about it, less origin and in unit, a power of two.
type columnSpread struct{ origin, unit, mean, square float64 }

// SpreadOf is the spread of the rows of y, all of weight 1.
func SpreadOf(y *mat.Dense) *Spread {
	s := new(Spread)
	for i := range y.RawMatrix().Rows {
		s.Add(1, y.RawRowView(i))
	}
	return s
}

// Add adds a row, by the update of West (1979).
func (s *Spread) Add(weight float64, y []float64) {
	if s.columns == nil {
		s.columns = make([]columnSpread, len(y))
		for j, v := range y {
			s.columns[j].origin = v
		}
	}
	s.mass += weight
	s.other = s.other || ClassOf(y) < 0
	for j := range s.columns {
		c := &s.columns[j]
		v := y[j] - c.origin
		if a := math.Abs(v); !(a < 2*c.unit) && a > 0 {
			unit := PowerOf2(a)
			less := c.unit / unit
			c.unit, c.mean, c.square = unit, c.mean*less, c.square*less*less
		}
		if c.unit > 0 {
			v /= c.unit
		}
		off := v - c.mean
		c.mean += off * weight / s.mass
		c.square += weight * off * (v - c.mean)
	}
}

// PowerOf2 is the largest power of two up to v, for v above 0 and finite; otherwise it is v.
func PowerOf2(v float64) float64 {
	if !(v > 0 && v <= math.MaxFloat64) {
		return v
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, e-1)
}

// Classes says whether each row is of a class: 1 in one column and -1 in the others, as OneVersusRest makes them, or -1
// or 1 in the one column.
func (s *Spread) Classes() bool { return !s.other }

// Mean is the mean of target j.
func (s *Spread) Mean(j int) float64 {
	return s.columns[j].origin + s.columns[j].unit*s.columns[j].mean
}

// Deviation is the standard deviation of target j; 0 for one that does not vary.
func (s *Spread) Deviation(j int) float64 {
	return s.columns[j].unit * math.Sqrt(s.columns[j].square/s.mass)
}

// Unit returns the unit in which targets are fitted: less their means, each over the largest power of two up to its
// deviation. common takes the largest of these powers for all targets, so that their sums of squares stay in
// proportion. Errors: domain.ErrDomain for targets whose differences overflow.
func (s *Spread) Unit(who string, common bool) (*Unit, error) {
	u, largest := &Unit{}, 0.
	for j := range s.columns {
		mean, scale := s.Mean(j), PowerOf2(s.Deviation(j))
		if mean-mean != 0 || scale-scale != 0 {
			return nil, fmt.Errorf("train: %s: the differences of target %d overflow; scale the targets: %w", who, j,
				domain.ErrDomain)
		}
		u.Centre, u.Scale = append(u.Centre, mean), append(u.Scale, scale)
		u.Deviation = append(u.Deviation, s.Deviation(j))
		largest = max(largest, scale)
	}
	for j := range u.Scale {
		if common {
			u.Scale[j] = largest
		}
		if u.Scale[j] == 0 {
			u.Scale[j] = 1
		}
	}
	return u, nil
}

// Unit is the unit of targets in a fit: target t is (t - Centre)/Scale. The scales are powers of two, which round
// nothing. nil leaves targets as they are, as those of classes.
type Unit struct {
	Centre, Scale []float64
	Deviation     []float64 // of each target as it was given
}

// UnitOf is the unit of the rows of y, which are finite, and nil for classes.
func UnitOf(who string, y *mat.Dense, common bool) (*Unit, error) {
	if AreClasses(y) {
		return nil, nil
	}
	return SpreadOf(y).Unit(who, common)
}

// Targets returns the rows of y in the unit.
func (u *Unit) Targets(y *mat.Dense) *mat.Dense {
	if u == nil {
		return y
	}
	out := mat.DenseCopyOf(y)
	out.Apply(func(_, j int, v float64) float64 { return (v - u.Centre[j]) / u.Scale[j] }, out)
	return out
}

// Weights takes the weights w [D, k] and the intercepts b of a linear head out of the unit.
func (u *Unit) Weights(who string, w, b []float64) error {
	if u == nil {
		return nil
	}
	for i := range w {
		w[i] *= u.Scale[i%len(b)]
	}
	for j := range b {
		b[j] = b[j]*u.Scale[j] + u.Centre[j]
	}
	for _, v := range [][]float64{w, b} {
		if i, j, bad := NotFinite(v, 1, len(v), len(v)); i >= 0 {
			return fmt.Errorf("train: %s: a weight or intercept of target %d is %v; scale the features or the targets: %w",
				who, j%len(b), bad, domain.ErrDomain)
		}
	}
	return nil
}

// Largest is the largest scale, 1 without a unit.
func (u *Unit) Largest() float64 {
	if u == nil {
		return 1
	}
	return floats.Max(u.Scale)
}

// SetWeights sets the weights of a head that was fitted in the unit. Errors: domain.ErrDomain for a float32 head that
// cannot hold them: some are too large, a target varies too little, or an intercept rounds by more than its target
// varies.
func (u *Unit) SetWeights(who string, head layers.Head, w, b []float64) error {
	if u == nil || head.Dtype() != tensor.Float32 {
		return head.SetWeights(w, b)
	}
	largest := floats.Norm(w, math.Inf(1))
	for j, v := range b {
		v, dev := math.Abs(v), u.Deviation[j]
		if max(v, largest) > math.MaxFloat32 || dev > 0 && (dev < 0x1p-100 || v*0x1p-24 > dev) {
			return fmt.Errorf("train: %s: target %d varies by about %v, the intercept is %v and the largest weight %v, which "+
				"a float32 head cannot hold; take float64, or scale the targets: %w", who, j, dev, b[j], largest, domain.ErrDomain)
		}
	}
	return head.SetWeights(w, b)
}

// FitFloat32 says whether a float32 head can hold the targets beside their mean, with room for the weights.
func FitFloat32(y *mat.Dense) bool {
	s := SpreadOf(y)
	for j := range y.RawMatrix().Cols {
		dev, mean := s.Deviation(j), math.Abs(s.Mean(j))
		if dev > 0 && (dev < 0x1p-100 || dev > 0x1p100 || mean*0x1p-20 > dev) || mean > 0x1p100 {
			return false
		}
	}
	return true
}

// Square is the square of a scale. Errors: domain.ErrDomain if it overflows or loses digits.
func Square(who string, scale float64) (float64, error) {
	v := scale * scale
	if !(v >= 1e-304 && v <= 1e304) {
		return v, fmt.Errorf("train: %s: the targets vary by about %v, whose square float64 cannot hold; scale the "+
			"targets: %w", who, scale, domain.ErrDomain)
	}
	return v, nil
}

// AreClasses says whether each row of y is of a class: 1 in one column and -1 in the others, as OneVersusRest makes
// them, or -1 or 1 in the one column.
func AreClasses(y *mat.Dense) bool {
	for i := range y.RawMatrix().Rows {
		if ClassOf(y.RawRowView(i)) < 0 {
			return false
		}
	}
	return true
}
