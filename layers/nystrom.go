package layers

import (
	"cmp"
	"fmt"
	"math"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/dense"
	"gorgonia.org/tensor"
)

// NystromLayer is the Nyström map of any kernel, fitted on a sample of rows. With landmarks L from the sample, and the
// eigenvectors U and eigenvalues Λ of k(L, L),
//
//	z(x) = k(x, L) U Λ^{-1/2},   z(x)·z(x') = k(x, L) k(L, L)⁻¹ k(L, x').
//
// This is exact if x or x' is a landmark and every eigenvalue has a feature. Input [n, d] from the domain of the
// kernel; output [n, features], for the leading eigenvectors. If an eigenvalue is below 1e-12 of the largest, or
// 1e-6 in float32, for example because rows repeat, its feature is 0 for every x; Rank counts the others.
//
// Compared with random features, the map adapts to the data, and a row costs k(x, l) for every landmark l and landmarks
// × features operations. Nothing is tuned. The derivative for x needs a kernel with a gradient (spectral.Gradienter),
// which spectral.Exponentiated and the indefinite kernels of the sphere do not have; see ops.Nystrom. Parameters:
// landmarks [m, d] and projection [m, features], both fitted. Williams and Seeger (2001), Using the Nyström method to
// speed up kernel machines; Vedaldi and Zisserman (2012), section 4.1.
type NystromLayer struct {
	*mapper
	kernel spectral.Kernel
	choice LandmarkChoice
}

// maxLandmarks is the largest number of landmarks. The eigenvectors for so many take hours.
const maxLandmarks = 1 << 14

// Nystrom says what a NystromLayer is fitted to.
type Nystrom struct {
	Kernel spectral.Kernel `param:"kernel" default:"gaussian" doc:"the map whose kernel and parameters it has"`
	// The number of landmarks, at least the number of features and at most 16384. 0 is one for each feature. With
	// more, the features are the leading eigenvectors of a larger matrix.
	Landmarks int `param:"landmarks" range:"[0,16384]" default:"0" doc:"rows to compare with; 0 is one a feature"`
	// How the landmarks are chosen among the rows of the sample.
	Select LandmarkChoice `param:"select" words:"uniform,rpcholesky" default:"uniform" doc:"how they are chosen"`
}

func (f Nystrom) fill(v Values, x ops.Matrix) error { return fillKernel(f.Kernel, v, x) }

func (f Nystrom) plan(s Spec) (plan, error) {
	m := cmp.Or(f.Landmarks, s.Features)
	return plan{kernel: f.Kernel, size: float64(m) * (float64(s.Dims) + float64(s.Features)), rows: m,
		build: func(o options) (Layer, error) { return newNystromLayer(f, s.Dims, s.Features, o) }}, nil
}

// NewNystromLayer fits the map on a sample [N, d], float32 or float64, and keeps a copy of the landmarks only. WithSeed
// decides which rows become landmarks. Time is cubic in the number of landmarks: about two seconds for 1024 on two
// cores.
//
// Errors: a nil kernel or sample, fewer rows than landmarks, fewer landmarks than features or more than 16384, an
// unknown choice (ErrParam); a sample without rows (ErrShape); a cell outside the domain of the kernel, a kernel that
// is 0 or not finite on the landmarks (ErrDomain).
func NewNystromLayer(of Nystrom, sample *tensor.Dense, features int, opts ...Option) (*NystromLayer, error) {
	return newFitted(of, sample, opts, drawnOptions, func(of Nystrom, dims int, o options) (*NystromLayer, error) {
		return newNystromLayer(of, dims, features, o)
	})
}

// newNystromLayer fits the map, or leaves its parameters zero if the options say so.
func newNystromLayer(of Nystrom, dims, features int, o options) (*NystromLayer, error) {
	b, err := newBase("NystromLayer", dims, features, o, of.Kernel)
	if err != nil {
		return nil, err
	}
	m := cmp.Or(of.Landmarks, features)
	b.of = Nystrom{of.Kernel, m, of.Select}
	nystrom := func(a ops.Attr) ops.Op { return ops.Nystrom(of.Kernel, a) }
	l := &NystromLayer{newSingle(b, ops.Domain{}, true, nystrom), of.Kernel, of.Select}
	switch {
	case m < features || m > maxLandmarks:
		return nil, fmt.Errorf("%s: %d landmarks for %d features, want at least as many, and at most %d: %w", b.who(),
			m, features, maxLandmarks, ErrParam)
	case of.Select < UniformLandmarks || of.Select > CholeskyLandmarks:
		return nil, fmt.Errorf("%s: %v, want UniformLandmarks or CholeskyLandmarks: %w", b.who(), of.Select, ErrParam)
	}
	if err := cmp.Or(b.checkSize(m, dims), b.checkSize(m, features)); err != nil {
		return nil, err
	}
	l.params = []Param{{"landmarks", tensor.New(tensor.WithShape(m, dims), tensor.Of(o.dt)), false},
		{"projection", tensor.New(tensor.WithShape(m, features), tensor.Of(o.dt)), false}}
	if !o.undrawn {
		err = l.fit(o.sample, m)
	}
	return l, err
}

// fit chooses the landmarks and computes their projection.
func (l *NystromLayer) fit(sample *tensor.Dense, m int) error {
	sample, err := fittingRows(l.base, l.kernel.Domain(), sample)
	if err != nil {
		return err
	}
	if n := sample.Shape()[0]; n < m {
		return fmt.Errorf("%s: the sample has %d rows, and %d landmarks are asked for; ask for at most %d features: %w",
			l.who(), n, m, n, ErrParam)
	}
	if l.choice == CholeskyLandmarks {
		if err := l.checkSize(sample.Shape()[0], m); err != nil {
			return err
		}
	}
	rows, err := l.choice.landmarks(l.kernel, sample, m, l.sourceSeed())
	if err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	if l.params[0].Value, err = takeRows(sample, rows); err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	return l.project(rows)
}

// project computes the projection for the landmarks, which are the given rows of the sample.
func (l *NystromLayer) project(rows []int) error {
	m := len(rows)
	gram, err := spectral.Gram(l.kernel, l.params[0].Value, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	for i := range m {
		for j, v := range gram.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("%s: %w", l.who(), notFiniteKernel(rows[i], rows[j], v))
			}
		}
	}
	values, vectors, err := dense.Eigen(gram.RawMatrix().Data, m)
	if err != nil {
		return fmt.Errorf("%s: %w", l.who(), err)
	}
	if !(values[0] > 0) {
		return fmt.Errorf("%s: the kernel of every two landmarks is 0, so it has no features; look for rows of "+
			"zeros, or scale the data: %w", l.who(), ErrDomain)
	}
	floor := 1e-12
	if l.dt == tensor.Float32 {
		floor = 1e-6
	}
	p := make([]float64, m*l.features)
	for k := range l.features {
		if values[k] <= 0 || values[k] < floor*values[0] {
			continue
		}
		scale := 1 / math.Sqrt(values[k])
		for j := range m {
			p[j*l.features+k] = scale * vectors[k*m+j]
		}
	}
	return ops.Assign(l.params[1].Value, newTensor(l.dt, p, m, l.features))
}

// Kernel returns the kernel that the map approximates.
func (l *NystromLayer) Kernel() spectral.Kernel { return l.kernel }

// Landmarks returns the number of landmarks.
func (l *NystromLayer) Landmarks() int { return l.params[0].Value.Shape()[0] }

// Rank returns the number of features that are not 0 for every x.
func (l *NystromLayer) Rank() int {
	seen := map[int]bool{}
	for i, v := range ops.Float64s(l.params[1].Value) {
		if v != 0 {
			seen[i%l.features] = true
		}
	}
	return len(seen)
}

func (l *NystromLayer) String() string {
	return l.text(fmt.Sprintf("%s, %d landmarks, rank %d, %v", kernelText(l.kernel), l.Landmarks(), l.Rank(), l.dt))
}
