package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// mapNames are what can be measured, in the order of the table.
var mapNames = []string{"gaussian", "phase", "structured", "laplace", "normalised", "levy", "exp-chi2", "gradient", "autograd", "sparse", "chi2", "intersection"}

// measurement is one line of the output. The times are of a whole call; the peak is for all cores.
type measurement struct {
	Lib        string  `json:"lib"`
	Setting    string  `json:"setting"` // of OpenBLAS, for peers: default or SkylakeX
	BLAS       string  `json:"blas"`    // which BLAS a peer found there, with its choice of kernels
	Map        string  `json:"map"`
	Shape      string  `json:"shape"`
	N          int     `json:"n"`
	Dims       int     `json:"d"`
	Features   int     `json:"features"`
	Dtype      string  `json:"dtype"`
	Cores      int     `json:"cores"`
	Runs       int     `json:"runs"`
	MS         float64 `json:"ms"`
	MinMS      float64 `json:"min_ms"`
	NSPerOut   float64 `json:"ns_per_output"`
	GFLOPS     float64 `json:"gflops"`      // of the product; 0 for a map without one
	PeakGFLOPS float64 `json:"peak_gflops"` // 0 where there is no kernel to measure it with
	PeakShare  float64 `json:"peak_share"`
}

// fits says whether a map is measured in a cell.
func fits(name string, c cell) bool {
	switch name {
	case "structured":
		return c.shape.dense && c.shape.d >= 16 // below, the sampler is refused
	case "gradient", "autograd":
		return c.shape.gradient && c.dtype == "float32"
	case "sparse":
		return c.shape.sparse
	}
	return c.shape.dense
}

// stored is how many entries a sparse row of d columns has: 1 %.
func stored(d int) int { return max(1, d/100) }

// at is the cell in which a map is measured: the homogeneous ones, of order 1, make three columns of each, whatever the
// shape says.
func (c cell) at(name string) cell {
	if name == "chi2" || name == "intersection" {
		c.shape.features = 3 * c.shape.d
	}
	return c
}

// products is the number of multiplications and additions in the products of a map at a shape.
func products(name string, s shape) float64 {
	full := 2 * float64(s.n) * float64(s.d) * float64(s.features)
	switch name {
	case "gaussian":
		return full / 2 // D/2 frequencies
	case "levy", "exp-chi2":
		return 3 * full / 2 // as many, of three columns for each of x
	case "structured", "chi2", "intersection":
		return 0
	case "gradient", "autograd":
		return 3 * full // xW, xᵀ·dP, dP·Wᵀ
	case "sparse", "csr": // the peer too
		return full / float64(s.d) * float64(stored(s.d))
	}
	return full
}

// measure times one of our maps. The peak is the better of one before and one after, so that a busy moment does not
// lower it.
func measure(name string, c cell, runs int) (measurement, error) {
	c = c.at(name)
	f, err := prepare(name, c)
	if err != nil {
		return measurement{}, err
	}
	peak := blas.Peak(layers.Spec{Dtype: c.dtype}.ElementType())
	times, err := repeat(f, runs)
	if err != nil {
		return measurement{}, err
	}
	peak = max(peak, blas.Peak(layers.Spec{Dtype: c.dtype}.ElementType()))
	return newMeasurement("bochner", "", name, c, times, peak), nil
}

// newMeasurement makes a line of times in milliseconds and the peak of a core.
func newMeasurement(lib, setting, name string, c cell, times []float64, peak float64) measurement {
	slices.Sort(times)
	ms := median(times)
	m := measurement{Lib: lib, Setting: setting, Map: name, Shape: c.shape.name, N: c.shape.n, Dims: c.shape.d, Features: c.shape.features,
		Dtype: c.dtype, Cores: c.cores, Runs: len(times), MS: ms, MinMS: times[0], PeakGFLOPS: peak * float64(c.cores)}
	m.NSPerOut = ms * 1e6 / (float64(m.N) * float64(m.Features))
	m.GFLOPS = products(name, c.shape) / (ms * 1e6)
	if m.PeakGFLOPS > 0 {
		m.PeakShare = m.GFLOPS / m.PeakGFLOPS
	}
	return m
}

// median is the middle of sorted times.
func median(times []float64) float64 { return (times[(len(times)-1)/2] + times[len(times)/2]) / 2 }

// A call is repeated for the time warmUp and at least warmCalls times before it is timed. A core that has slept takes
// some milliseconds to reach its speed, and the heap takes some steps of a graph to reach its size.
const (
	warmUp    = 50 * time.Millisecond
	warmCalls = 5
)

// repeat warms f up and then times so many runs, in milliseconds.
func repeat(f func() error, runs int) ([]float64, error) {
	for start, calls := time.Now(), 0; calls < warmCalls || time.Since(start) < warmUp; calls++ {
		if err := f(); err != nil {
			return nil, err
		}
	}
	times := make([]float64, runs)
	for i := range times {
		start := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		times[i] = float64(max(time.Since(start).Nanoseconds(), 1)) / 1e6
	}
	return times, nil
}

// prepare draws a map and its input, entries from 0 to 1, and returns the call to measure. The bandwidths keep the
// projections within some units, as bandwidths from data do.
func prepare(name string, c cell) (func() error, error) {
	s, dt := c.shape, layers.Spec{Dtype: c.dtype}.ElementType()
	var x ops.Matrix
	if name == "sparse" {
		x = sparseRows(dt, s.n, s.d)
	} else {
		x = uniform(dt, s.n, s.d)
	}
	gauss := spectral.Gaussian{Sigma: math.Sqrt(float64(s.d))}
	typed := layers.WithDtype(dt)
	opts := []layers.Option{typed, layers.WithSeed(1)}
	var m layers.Map
	var err error
	switch name {
	case "gradient", "autograd":
		return prepareGradient(gauss, x.(*tensor.Dense), s, dt)
	case "laplace":
		m, err = layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: float64(s.d)}, s.d, s.features, opts...)
	case "normalised":
		m, err = layers.NewRandomLaplaceLayer(spectral.ReciprocalSemigroup{Lambda: float64(s.d)}, s.d, s.features, append(opts, layers.WithNormalisation())...)
	case "levy":
		m, err = layers.NewLevyLayer(spectral.ExpSemigroup{Beta: 1 / float64(s.d)}, s.d, s.features, opts...)
	case "exp-chi2":
		m, err = layers.NewExponentiatedLayer(spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: math.Sqrt(float64(s.d))}, s.d, s.features, opts...)
	case "phase", "sparse":
		m, err = layers.NewFourierLayer(gauss, s.d, s.features, append(opts, layers.WithPhase())...)
	case "chi2":
		m, err = layers.NewHomogeneousLayer(spectral.Chi2{}, s.d, typed)
	case "intersection":
		m, err = layers.NewHomogeneousLayer(spectral.Intersection{}, s.d, typed)
	case "structured":
		m, err = layers.NewFourierLayer(gauss, s.d, s.features, append(opts, layers.WithSampler(spectral.Structured{}))...)
	default:
		m, err = layers.NewFourierLayer(gauss, s.d, s.features, opts...)
	}
	if err != nil {
		return nil, err
	}
	dst := tensor.New(tensor.WithShape(s.n, s.features), tensor.Of(dt))
	return func() error {
		_, err := layers.Transform(m, dst, x)
		return err
	}, nil
}

// prepareGradient is a step of the phase form: z, and for a given gradient of z the gradients of X, W and b.
func prepareGradient(k spectral.Random, x *tensor.Dense, s shape, dt tensor.Dtype) (func() error, error) {
	w64, err := spectral.Frequencies(k, spectral.IID{}, s.d, s.features, 1)
	if err != nil {
		return nil, err
	}
	w := tensor.New(tensor.WithShape(s.d, s.features), tensor.Of(dt))
	for i, v := range w64.Float64s() {
		if dt == tensor.Float32 {
			w.Float32s()[i] = float32(v)
		} else {
			w.Float64s()[i] = v
		}
	}
	g := G.NewGraph()
	node := func(name string, v *tensor.Dense) *G.Node { return G.NodeFromAny(g, v, G.WithName(name)) }
	b := uniform(dt, 1, s.features)
	if err := b.Reshape(s.features); err != nil {
		return nil, err
	}
	in := G.Nodes{node("x", x), node("w", w), node("b", b)}
	z, err := ops.Fourier(ops.Attr{}).Node(in[0], in[1], in[2])
	if err != nil {
		return nil, err
	}
	if _, err := G.Backpropagate(G.Nodes{z}, G.Nodes{node("dz", uniform(dt, s.n, s.features))}, in); err != nil {
		return nil, err
	}
	machine := G.NewTapeMachine(g)
	return func() error {
		machine.Reset()
		return machine.RunAll()
	}, nil
}

// sparseRows are rows of stored(d) entries from 0 to 1 in columns drawn without replacement.
func sparseRows(dt tensor.Dtype, n, d int) *ops.CSR {
	rng, k := rand.New(rand.NewPCG(1, 3)), stored(d)
	ptr, cols := make([]int, n+1), make([]int32, 0, n*k)
	for i := range n {
		taken := map[int32]bool{}
		for len(taken) < k {
			taken[int32(rng.IntN(d))] = true
		}
		cols = slices.AppendSeq(cols, maps.Keys(taken))
		slices.Sort(cols[i*k:])
		ptr[i+1] = len(cols)
	}
	drawn := uniform(dt, 1, n*k)
	var values any
	if dt == tensor.Float32 {
		values = drawn.Float32s()
	} else {
		values = drawn.Float64s()
	}
	x, err := ops.NewCSR(n, d, ptr, cols, values)
	if err != nil {
		panic(err) // made wrong
	}
	return x
}

// uniform is a matrix of numbers from 0 to 1.
func uniform(dt tensor.Dtype, rows, cols int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	t := tensor.New(tensor.WithShape(rows, cols), tensor.Of(dt))
	for i := range rows * cols {
		if dt == tensor.Float32 {
			t.Float32s()[i] = rng.Float32()
		} else {
			t.Float64s()[i] = rng.Float64()
		}
	}
	return t
}
