package bench

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var shapes = flag.String("shapes", "10000x64x4096,4096x16x8192,256x64x4096,2000x784x4096,3060x4200x2000,3000x4096x4096",
	"shapes of dense rows, rows x columns x features")

const (
	sparseShape   = "512x24000x3000" // a bag of words
	periodicShape = "4096x16x192"    // 12 functions of each column, and twice as many frequencies
)

// BenchmarkMaps measures a map at a shape in an element type.
func BenchmarkMaps(b *testing.B) {
	for _, name := range []string{"gaussian", "phase", "structured", "laplace", "normalised", "levy", "exp-chi2",
		"gradient", "autograd", "periodic", "sparse", "chi2", "intersection"} {
		b.Run("map="+name, func(b *testing.B) {
			list := *shapes
			switch name {
			case "sparse":
				list = sparseShape
			case "periodic":
				list = periodicShape
			}
			for _, shape := range strings.Split(list, ",") {
				b.Run("shape="+shape, func(b *testing.B) {
					var n, d, features int
					if _, err := fmt.Sscanf(shape, "%dx%dx%d", &n, &d, &features); err != nil || features%2 != 0 {
						b.Fatalf("-shapes %q: want rows x columns x features, such as 1000x64x2048, features even", shape)
					}
					for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
						if dt == tensor.Float64 && (name == "gradient" || name == "autograd" || name == "periodic") ||
							name == "structured" && d < 16 {
							continue
						}
						b.Run("type="+dt.String(), func(b *testing.B) { measure(b, name, n, d, features, dt) })
					}
				})
			}
		})
	}
}

// measure times a map. The peak is the better of one before and one after, so that a busy moment does not lower it.
func measure(b *testing.B, name string, n, d, features int, dt tensor.Dtype) {
	f, err := prepare(name, n, d, features, dt)
	for range 5 {
		if err == nil { // the heap takes some steps of a graph to reach its size
			err = f()
		}
	}
	clitest.OK(b, err)
	peak := blas.Peak(dt)
	for b.Loop() {
		clitest.OK(b, f())
	}
	speed := products(name, n, d, features) * float64(b.N) / b.Elapsed().Seconds() / 1e9
	if peak = max(peak, blas.Peak(dt)) * float64(runtime.GOMAXPROCS(0)); speed > 0 {
		b.ReportMetric(speed, "GFLOP/s")
		if peak > 0 {
			b.ReportMetric(100*speed/peak, "%peak")
		}
	}
}

// products is the number of multiplications and additions in the products of a map.
func products(name string, n, d, features int) float64 {
	full := 2 * float64(n) * float64(d) * float64(features)
	switch name {
	case "gaussian":
		return full / 2
	case "levy", "exp-chi2":
		return 3 * full / 2
	case "structured", "chi2", "intersection":
		return 0
	case "gradient", "autograd":
		return 3 * full // xW, xᵀ·dP, dP·Wᵀ
	case "periodic":
		return 3 * full / float64(d) * 4 * float64(features/d)
	case "sparse":
		return full / float64(d) * float64(stored(d))
	}
	return full
}

// stored is the number of entries of a sparse row: 1 %.
func stored(d int) int { return max(1, d/100) }

// prepare draws a map and its input, entries from 0 to 1, and returns the call to measure. The bandwidths keep the
// projections within some units, as bandwidths from data do.
func prepare(name string, n, d, features int, dt tensor.Dtype) (func() error, error) {
	var x ops.Matrix = uniform(dt, n, d)
	gauss, semigroup := spectral.Gaussian{Sigma: math.Sqrt(float64(d))}, spectral.ReciprocalSemigroup{Lambda: float64(d)}
	opts := []layers.Option{layers.WithDtype(dt), layers.WithSeed(1)}
	var m layers.Map
	var err error
	switch name {
	case "gradient", "autograd":
		return gradient(gauss, n, d, features, dt)
	case "periodic":
		return periodic(n, d, features, dt)
	case "laplace":
		m, err = layers.NewRandomLaplaceLayer(semigroup, d, features, opts...)
	case "normalised":
		m, err = layers.NewRandomLaplaceLayer(semigroup, d, features, append(opts, layers.WithNormalisation())...)
	case "levy":
		m, err = layers.NewLevyLayer(spectral.ExpSemigroup{Beta: 1 / float64(d)}, d, features, opts...)
	case "exp-chi2":
		k := spectral.Exponentiated{Of: spectral.Chi2{}, Sigma: math.Sqrt(float64(d))}
		m, err = layers.NewExponentiatedLayer(k, d, features, opts...)
	case "sparse":
		x, err = sparseRows(dt, n, d)
		if err == nil {
			m, err = layers.NewFourierLayer(gauss, d, features, append(opts, layers.WithPhase())...)
		}
	case "phase":
		m, err = layers.NewFourierLayer(gauss, d, features, append(opts, layers.WithPhase())...)
	case "chi2":
		m, err = layers.NewHomogeneousLayer(spectral.Chi2{}, d, opts[:1]...)
	case "intersection":
		m, err = layers.NewHomogeneousLayer(spectral.Intersection{}, d, opts[:1]...)
	case "structured":
		m, err = layers.NewFourierLayer(gauss, d, features, append(opts, layers.WithSampler(spectral.Structured{}))...)
	default:
		m, err = layers.NewFourierLayer(gauss, d, features, opts...)
	}
	if err != nil {
		return nil, err
	}
	dst := tensor.New(tensor.WithShape(n, m.Features()), tensor.Of(dt))
	return func() error {
		_, err := layers.Transform(m, dst, x)
		return err
	}, nil
}

// gradient is a step of the phase form: z, and for a given gradient of z the gradients of X, W and b.
func gradient(k spectral.Random, n, d, features int, dt tensor.Dtype) (func() error, error) {
	l, err := layers.NewFourierLayer(k, d, features, layers.WithDtype(dt), layers.WithSeed(1), layers.WithPhase())
	if err != nil {
		return nil, err
	}
	g := G.NewGraph()
	var in G.Nodes
	for i, v := range []*tensor.Dense{uniform(dt, n, d), l.Params()[0].Value, uniform(dt, 1, features)} {
		if i == 2 {
			if err := v.Reshape(features); err != nil {
				return nil, err
			}
		}
		in = append(in, G.NodeFromAny(g, v, G.WithName(fmt.Sprint("in", i))))
	}
	z, err := ops.Fourier(ops.Attr{}).Node(in...)
	if err != nil {
		return nil, err
	}
	return step(z, in)
}

// step is a forward and, from a given gradient of z, the backward for some nodes.
func step(z *G.Node, wrt G.Nodes) (func() error, error) {
	shape := z.Shape()
	dz := G.NodeFromAny(z.Graph(), uniform(z.Dtype(), shape[0], shape[1]), G.WithName("dz"))
	if _, err := G.Backpropagate(G.Nodes{z}, G.Nodes{dz}, wrt); err != nil {
		return nil, err
	}
	machine := G.NewTapeMachine(z.Graph())
	return func() error {
		machine.Reset()
		return machine.RunAll()
	}, nil
}

// periodic is a step of a periodic layer for its parameters, with so many functions of columns in all.
func periodic(n, d, functions int, dt tensor.Dtype) (func() error, error) {
	width := functions / d
	l, err := layers.NewPeriodicLayer(d, 2*width, width, layers.WithDtype(dt), layers.Tune(layers.All))
	if err != nil {
		return nil, err
	}
	z := l.Fwd(G.NodeFromAny(G.NewGraph(), uniform(dt, n, d), G.WithName("x")))
	if err := z.Err(); err != nil {
		return nil, err
	}
	return step(z.Node(), l.Model())
}

// sparseRows are rows of stored(d) entries from 0 to 1 in columns drawn without replacement.
func sparseRows(dt tensor.Dtype, n, d int) (*ops.CSR, error) {
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
	if dt == tensor.Float32 {
		return ops.NewCSR(n, d, ptr, cols, drawn.Float32s())
	}
	return ops.NewCSR(n, d, ptr, cols, drawn.Float64s())
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
