package linear

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// coded are sums that were written and read, to the bit.
func coded(t *testing.T, s *RidgeStats) *RidgeStats {
	t.Helper()
	raw, back := must(s.MarshalBinary()), &RidgeStats{}
	ok(t, back.UnmarshalBinary(raw))
	if !bytes.Equal(must(back.MarshalBinary()), raw) || back.N() != s.N() || back.Mass() != s.Mass() ||
		back.Features() != s.Features() || back.Targets() != s.Targets() || back.Of != s.Of ||
		!slices.Equal(back.ClassWeights, s.ClassWeights) || !slices.Equal(back.Signature, s.Signature) {
		t.Errorf("%+v came back as %+v", s, back)
	}
	return back
}

// TestStats: rows that come in blocks, through a map, dense and sparse, or as parts that were written, read and merged,
// have the moments of all rows, with the weights of classes and with Forget before each block, which is a weight too.
// The mean squared error of any head is that of its residuals.
func TestStats(t *testing.T) {
	const n, d, k = 97, 7, 3
	x, y, _ := trial.Overlapping(t, n, d, k)
	cuts, ctx := []int{0, 40, 41, 90, n}, t.Context()
	for name, c := range map[string]struct {
		weights []float64
		factor  float64
	}{"plain": {nil, 1}, "weights": {trial.ClassTimes, 1}, "forgetting": {nil, .8}, "both": {trial.ClassTimes, .8}} {
		w := make([]float64, n)
		whole, merged := RidgeStats{ClassWeights: c.weights, Of: "made"}, RidgeStats{}
		for b, lo := range cuts[:4] {
			for i := range cuts[b+1] {
				if w[i] *= c.factor; i >= lo {
					if w[i] = 1; c.weights != nil {
						w[i] = c.weights[given.ArgMax(y.RawRowView(i))]
					}
				}
			}
			part := &RidgeStats{ClassWeights: c.weights, Of: "made"}
			xs, ys := trial.RowsOf(x, y, lo, cuts[b+1])
			ok(t, whole.Forget(c.factor), whole.Add(xs, ys), part.AddRows(ctx, nil, trial.InBlocks(t, xs, ys, 10)),
				merged.Forget(c.factor), merged.Merge(coded(t, part)))
		}
		want := weighted(trial.MatOf(x), y, w)
		for form, s := range map[string]*RidgeStats{"blocks": &whole, "parts": &merged, "coded": coded(t, &whole)} {
			if e := sumsApart(s, want); e > 1e-12 || s.N() != n || math.Abs(s.Mass()/floats.Sum(w)-1) > 1e-14 {
				t.Errorf("%s, %s: the sums are off by %.2g, and of %d rows of the weight %v", name, form, e, s.N(), s.Mass())
			}
		}
		best := must(whole.Solve(1e-3))
		for _, f := range []*Fit{best, {W: mat.NewDense(d, k, nil), B: []float64{1, 2, 3}}} {
			var p mat.Dense
			p.Mul(trial.MatOf(x), f.W)
			square := 0.
			for i := range n {
				for j, b := range f.B {
					square += w[i] * math.Pow(y.At(i, j)-p.At(i, j)-b, 2) / (floats.Sum(w) * k)
				}
			}
			if got, err := whole.MSE(f); err != nil || math.Abs(got/square-1) > 1e-11 {
				t.Errorf("%s: MSE %v, want %v (%v)", name, got, square, err)
			}
		}
		if again := must(whole.Solve(1e-3)); !mat.Equal(again.W, best.W) || sumsApart(&whole, want) > 1e-12 {
			t.Errorf("%s: Solve or MSE changed the sums", name)
		}
	}
	whole, half := RidgeStats{}, RidgeStats{}
	ok(t, whole.Add(x, y), whole.Add(x, y), half.Add(x, y), half.Merge(&half))
	if e := sumsApart(&half, &whole); e > 1e-12 {
		t.Errorf("sums that are merged with themselves are off by %.2g", e)
	}
	signed := statsOf(t, 31, 5, 2, 3)
	signed.Signature = []float64{1, -1, 1, 1, -1}
	coded(t, signed)
	coded(t, statsOf(t, 1, 1, 1, 2))
	coded(t, &RidgeStats{})
}

func TestStatsErrors(t *testing.T) {
	x, y := trial.Problem(7, 5, 2, 41)
	var s, other RidgeStats
	ok(t, s.Add(x, y), (&RidgeStats{}).Forget(.5), other.Merge(nil), other.Merge(&RidgeStats{}))
	wide, wideY := trial.Problem(7, 3, 2, 41)
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[2*5+1] = math.NaN()
	ok(t, other.Add(wide, wideY))
	before := must(s.MarshalBinary())
	classes, labels, _ := trial.Overlapping(t, 9, 5, 3)
	of := func(weights []float64, of string, signs []float64) *RidgeStats {
		s := &RidgeStats{ClassWeights: weights, Of: of, Signature: signs}
		ok(t, s.Add(classes, labels))
		return s
	}
	head := &Fit{W: mat.NewDense(4, 2, nil), B: make([]float64, 2)}
	soft := mat.DenseCopyOf(labels)
	soft.Set(7, 0, 3)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	signs := []float64{1, 1, 1, 1, -1}
	refuse(t, []refusal{
		{"empty", second((&RidgeStats{}).Solve(1)), domain.ErrShape, "no rows"},
		{"width", s.Add(wide, y), domain.ErrShape, "[.,5]"},
		{"targets", s.Add(x, mat.NewDense(7, 1, nil)), domain.ErrShape, "[7,1]"},
		{"rows", s.Add(x, mat.NewDense(6, 2, nil)), domain.ErrShape, "[6,2]"},
		{"nil y", s.Add(x, nil), domain.ErrShape, "at least one row"},
		{"nil z", s.Add(nil, y), domain.ErrParam, "features"},
		{"NaN", s.Add(bad, y), domain.ErrDomain, "row 9 has the feature z[9,1] = NaN"},
		{"no targets", s.AddRows(t.Context(), nil, data.Pairs{X: x}), domain.ErrShape, "y is []"},
		{"cancelled", s.AddRows(stopped, nil, data.Pairs{X: x, Y: y}), context.Canceled, "stopped"},
		{"merge", s.Merge(&other), domain.ErrShape, "3 features"},
		{"merge another map", of(nil, "a", nil).Merge(of(nil, "b", nil)), domain.ErrShape, `over "b" into those over "a"`},
		{"merge other signs", of(nil, "", signs).Merge(of(nil, "", []float64{1, 1, 1, -1, 1})), domain.ErrShape, "other signs"},
		{"merge without weights", of(trial.ClassTimes, "", nil).Merge(of(nil, "", nil)), domain.ErrShape, "class weights"},
		{"merge other weights", of(trial.ClassTimes, "", nil).Merge(of([]float64{1, 1, 1}, "", nil)), domain.ErrShape, "class weights"},
		{"merge into weights", (&RidgeStats{ClassWeights: trial.ClassTimes}).Merge(of(nil, "", nil)), domain.ErrShape, "class weights"},
		{"no class", (&RidgeStats{ClassWeights: trial.ClassTimes}).Add(classes, soft), domain.ErrDomain, "row 7 are of no class"},
		{"lambda", second(s.Solve(-1)), domain.ErrParam, "lambda = -1"},
		{"few signs", second(of(nil, "", []float64{1, 1}).Solve(.1)), domain.ErrShape, "2 signs for 5 features"},
		{"sign 0", second(of(nil, "", []float64{1, 1, 0, 1, 1}).Solve(.1)), domain.ErrParam, "Signature[2] = 0"},
		{"head", second(s.MSE(head)), domain.ErrShape, "[4,2]"},
		{"no head", second(s.MSE(nil)), domain.ErrParam, "make it by Solve"},
		{"no rows", second((&RidgeStats{}).MSE(head)), domain.ErrShape, "no rows"},
		{"forget 0", s.Forget(0), domain.ErrParam, "factor 0"},
		{"forget more", s.Forget(1.5), domain.ErrParam, "factor 1.5"},
		{"forget NaN", s.Forget(math.NaN()), domain.ErrParam, "NaN"},
		{"forget all", s.Forget(1e-300), domain.ErrDomain, "start from a zero value"},
	}...)
	if !bytes.Equal(must(s.MarshalBinary()), before) {
		t.Error("what was refused changed the sums")
	}
}

// TestStatsMemory: a fit holds D² numbers and blocks, not the n x D features (26 MB here) nor a second D².
func TestStatsMemory(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("the race detector empties the pools")
	}
	const n, d, features = 10007, 2, 332
	x, y := trial.Problem(n, d, 1, 43)
	m := trial.Fourier(t, d, features, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fit(t, m, x, y, RidgeOptions{Lambdas: []float64{1}, BlockRows: 100})
	runtime.ReadMemStats(&after)
	// One D², a block of the map and one transposed, what each of 101 blocks allocates in passing, and packing buffers
	// that a garbage collection takes from their pool.
	want := uint64(8*(features*features+2*101*features) + 101*20_000 + 4<<20)
	if got := after.TotalAlloc - before.TotalAlloc; got > want {
		t.Errorf("allocated %d bytes, want at most %d", got, want)
	}
}

// TestStatsMeanOverflows: 11 numbers that are the largest have a mean that the rounding of the sum may make infinite;
// the rows are then refused, and not lost.
func TestStatsMeanOverflows(t *testing.T) {
	const n = 11
	var s RidgeStats
	z := tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(slices.Repeat([]float64{math.MaxFloat64}, n)))
	err, want := s.Add(z, mat.NewDense(n, 1, nil)), n
	if err != nil {
		want = 0
	}
	if err != nil && !errors.Is(err, domain.ErrDomain) || s.N() != want {
		t.Errorf("%v, and %d rows", err, s.N())
	}
}

// statsOf are the sums of a problem.
func statsOf(t *testing.T, n, d, k int, seed uint64) *RidgeStats {
	t.Helper()
	s := &RidgeStats{Of: "made"}
	ok(t, s.Add(trial.Problem(n, d, k, seed)))
	return s
}

// TestStatsDamage: no file is taken whose tensors or metadata do not fit, and none changes what was there. That a file
// is refused which was cut or changed anywhere is shown in package modelfile.
func TestStatsDamage(t *testing.T) {
	raw := must(statsOf(t, 23, 3, 2, 5).MarshalBinary())
	s := statsOf(t, 11, 2, 1, 6)
	before := must(s.MarshalBinary())
	refused := func(what string, data []byte) {
		if err := s.UnmarshalBinary(data); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a part", raw[:9])
	meta, tensors, err := modelfile.Decode(raw)
	ok(t, err)
	for name, of := range tensors {
		shape := of.Shape().TotalSize() + 1
		for _, bad := range []*tensor.Dense{doubles(make([]float64, shape), shape), floatsOf(tensor.Float32, of.Float64s(), of.Shape()...)} {
			damaged := maps.Clone(tensors)
			damaged[name] = bad
			refused("another "+name, must(modelfile.Encode(meta, damaged)))
		}
	}
	for _, more := range []map[string]string{{}, {statsRows: "-1"}, {statsRows: "many"}, {statsRows: "3"}} {
		refused(fmt.Sprint(more), must(modelfile.Encode(more, nil)))
	}
	if after, err := s.MarshalBinary(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("damaged bytes changed the sums (%v)", err)
	}
}

// weighted are the sums of rows with weights, by their definition.
func weighted(z, y *mat.Dense, w []float64) *RidgeStats {
	n, d := z.Dims()
	_, k := y.Dims()
	s := &RidgeStats{}
	s.reset(d, k)
	s.n, s.mass = n, floats.Sum(w)
	for j := range d {
		s.meanZ[j] = stat.Mean(mat.Col(nil, j, z), w)
	}
	for t := range k {
		s.meanY[t] = stat.Mean(mat.Col(nil, t, y), w)
	}
	for i := range n {
		zi, yi := mat.Row(nil, i, z), mat.Row(nil, i, y)
		floats.Sub(zi, s.meanZ)
		floats.Sub(yi, s.meanY)
		for j, v := range zi {
			floats.AddScaled(s.g[j*d:j*d+j+1], w[i]*v, zi[:j+1])
		}
		for t, v := range yi {
			floats.AddScaled(s.r[t*d:(t+1)*d], w[i]*v, zi)
			s.yy[t] += w[i] * v * v
		}
	}
	return s
}

// sumsApart is the largest difference of two sums, each in proportion to its size.
func sumsApart(a, b *RidgeStats) float64 {
	d, k := a.Features(), a.Targets()
	worst := math.Abs(a.mass/b.mass - 1)
	root := func(v []float64, i int) float64 { return math.Sqrt(v[i]) }
	for j := range d {
		gj := root(b.g, j*d+j)
		worst = max(worst, math.Abs(a.meanZ[j]-b.meanZ[j])*math.Sqrt(b.mass)/gj)
		for l := range j + 1 {
			worst = max(worst, math.Abs(a.g[j*d+l]-b.g[j*d+l])/(gj*root(b.g, l*d+l)))
		}
		for t := range k {
			worst = max(worst, math.Abs(a.r[t*d+j]-b.r[t*d+j])/(gj*root(b.yy, t)))
		}
	}
	for t := range k {
		worst = max(worst, math.Abs(a.yy[t]/b.yy[t]-1), math.Abs(a.meanY[t]-b.meanY[t])*math.Sqrt(b.mass/b.yy[t]))
	}
	return worst
}

// Rows that count half as much as the next.
func ExampleRidgeStats_Forget() {
	var fading RidgeStats
	for i, v := range []float64{0, 1, 2, 3, 5, 7, 9} {
		x, y := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{float64(i)})), mat.NewDense(1, 1, []float64{v})
		if err := errors.Join(fading.Forget(.5), fading.Add(x, y)); err != nil {
			fmt.Println(err)
			return
		}
	}
	f, err := fading.Solve(0)
	fmt.Printf("%d rows of the weight %.2f: the slope is %.2f, %v\n", fading.N(), fading.Mass(), f.W.At(0, 0), err)
	// Output: 7 rows of the weight 1.98: the slope is 1.79, <nil>
}

// TestSumClasses: the sums of ±1 targets, which are taken class by class, are half the sums of ±2 targets, which are
// taken by a product, to rounding, also of features that hardly vary about a large mean, or whose sum overflows.
func TestSumClasses(t *testing.T) {
	const n, d, k = 700, 37, 5
	rng := rand.New(rand.NewPCG(1, 2))
	x, w, y, twice := make([]float64, n*d), make([]float64, n), mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	for i := range n {
		y.SetRow(i, []float64{-1, -1, -1, -1, -1})
		y.Set(i, rng.IntN(k-1), 1) // the last class has no rows
	}
	twice.Scale(2, y)
	for _, mean := range []float64{0, 1e8, 1e307} {
		for _, weights := range [][]float64{nil, {1, 2, .5, 3, .1}} {
			for i := range x {
				x[i] = mean + rng.NormFloat64()
			}
			for i := range w {
				if w[i] = 1; weights != nil {
					w[i] = weights[slices.Index(y.RawRowView(i), 1)]
				}
			}
			sums := func(y *mat.Dense) *ridgeBlock {
				b := &ridgeBlock{z: x, w: w, moments: moments{n: n, mass: floats.Sum(w)}}
				if !new(RidgeStats).sum(b, y) {
					t.Fatal("the features are not finite")
				}
				return b
			}
			byClass, byProduct := sums(y), sums(twice)
			near := func(what string, got, want []float64, scale, bound float64) {
				t.Helper()
				for i, v := range want {
					if !(math.Abs(got[i]-scale*v) <= bound) {
						t.Fatalf("mean %g, %v, %s: number %d is %v, want %v within %v", mean, weights, what, i, got[i],
							scale*v, bound)
					}
				}
			}
			u := n * 0x1p-53
			near("mean of the targets", byClass.meanY, byProduct.meanY, .5, 4*u)
			near("squares of the targets", byClass.yy, byProduct.yy, .25, 4*n*3*u)
			near("mean of the features", byClass.meanZ, byProduct.meanZ, 1, 4*u*(mean+4))
			if mean < 1e300 {
				near("products", byClass.r, byProduct.r, .5, 8*n*3*u*(mean+4))
			}
		}
	}
	rows := mat.NewDense(4, 3, []float64{1, -1, -1, 1, 1, -1, -1, -1, -1, 1, 0, -1}) // the others are of no class
	of := &ridgeBlock{z: []float64{1, 2, 3, 4}, moments: moments{n: 4, mass: 4}}
	if new(RidgeStats).sum(of, rows); math.Abs(of.r[0]+1) > 1e-14 {
		t.Errorf("rows of no class have R = %v", of.r)
	}
}

// TestRidgeGoroutines: a block of an update starts goroutines by the number of cores, however many rows it has: each of
// the passes over the block, and of the packing and multiplying of its products, has at most one on a core.
func TestRidgeGoroutines(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("the race detector finds nothing in a count of goroutines")
	}
	const d, passes = 96, 12
	started := func() uint64 {
		sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	for _, procs := range []int{4, 16, 64} {
		before := runtime.GOMAXPROCS(procs)
		for _, rows := range []int{500, 4000} {
			cells := make([]float32, rows*d)
			for i := range cells {
				cells[i] = float32(i*i%101) / 101
			}
			z, y := tensor.New(tensor.WithShape(rows, d), tensor.WithBacking(cells)), mat.NewDense(rows, 1, nil)
			for i := range rows {
				y.Set(i, 0, float64(i%7))
			}
			stats := RidgeStats{Float32Products: true}
			first := started()
			ok(t, stats.Add(z, y))
			if n := started() - first; n > uint64(passes*procs) {
				t.Errorf("%d rows on %d cores: %d goroutines, want up to %d", rows, procs, n, passes*procs)
			}
		}
		runtime.GOMAXPROCS(before)
	}
}
