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
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func TestStatsErrors(t *testing.T) {
	x, y := trial.Problem(7, 5, 2, 41)
	var s, other RidgeStats
	if _, err := s.Solve(1); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "no rows") {
		t.Error(err)
	}
	ok(t, s.Add(x, y))
	before := must(s.Solve(1))
	wide, wideY := trial.Problem(7, 3, 2, 41)
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[2*5+1] = math.NaN()
	ok(t, other.Add(wide, wideY))
	for _, c := range []struct {
		name string
		err  error
		is   error
		want string
	}{
		{"width", s.Add(wide, y), domain.ErrShape, "[.,5]"},
		{"targets", s.Add(x, mat.NewDense(7, 1, nil)), domain.ErrShape, "[7,1]"},
		{"rows", s.Add(x, mat.NewDense(6, 2, nil)), domain.ErrShape, "[6,2]"},
		{"nil y", s.Add(x, nil), domain.ErrShape, "at least one row"},
		{"nil z", s.Add(nil, y), domain.ErrParam, "features"},
		{"NaN", s.Add(bad, y), domain.ErrDomain, "row 9 has the feature z[9,1] = NaN"},
		{"merge", s.Merge(&other), domain.ErrShape, "3 features"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if _, err := s.Solve(-1); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "lambda = -1") {
		t.Error(err)
	}
	after, err := s.Solve(1)
	if err != nil || s.N() != 7 || !mat.Equal(before.W, after.W) {
		t.Errorf("refused blocks changed the sums: %d rows, %v", s.N(), err)
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
	// One D², a block of the map and one transposed, what each of 101 blocks allocates in passing, and packing buffers that a
	// garbage collection takes from their pool.
	want := uint64(8*(features*features+2*101*features) + 101*20_000 + 4<<20)
	if got := after.TotalAlloc - before.TotalAlloc; got > want {
		t.Errorf("allocated %d bytes, want at most %d", got, want)
	}
}

func ExampleRidgeStats() {
	var all, part RidgeStats
	z := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{0, 1}))
	if err := all.Add(z, mat.NewDense(2, 1, []float64{1, 3})); err != nil {
		fmt.Println(err)
	}
	z = tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{2, 3}))
	if err := part.Add(z, mat.NewDense(2, 1, []float64{5, 7})); err != nil {
		fmt.Println(err)
	}
	if err := all.Merge(&part); err != nil {
		fmt.Println(err)
	}
	f, err := all.Solve(0)
	fmt.Printf("%d rows: w = %.3f, b = %.3f, %v\n", all.N(), f.W.At(0, 0), f.B[0], err)
	// Output: 4 rows: w = 2.000, b = 1.000, <nil>
}

// TestStatsMeanOverflows: 11 numbers that are the largest have a mean that the rounding of the sum may make infinite; the rows are then refused,
// and not lost.
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

// TestStatsRoundTrip: what is written is read, to the bit, and goes on as if nothing had been.
func TestStatsRoundTrip(t *testing.T) {
	signed := statsOf(t, 31, 5, 2, 3)
	signed.Signature = []float64{1, -1, 1, 1, -1}
	for name, s := range map[string]*RidgeStats{"plain": statsOf(t, 43, 7, 3, 1), "one": statsOf(t, 1, 1, 1, 2), "signed": signed, "empty": {}} {
		raw := must(s.MarshalBinary())
		var back RidgeStats
		ok(t, back.UnmarshalBinary(raw))
		again, err := back.MarshalBinary()
		if err != nil || !bytes.Equal(raw, again) || back.N() != s.N() || back.Features() != s.Features() || back.Targets() != s.Targets() || back.Of != s.Of {
			t.Errorf("%s: came back as something else (%v)", name, err)
		}
		if s.N() == 0 {
			continue
		}
		x, y := trial.Problem(19, s.features, s.targets, 9)
		var rest RidgeStats
		ok(t, errors.Join(back.Add(x, y), rest.Add(x, y), rest.Merge(s)))
		a, errA := back.Solve(.1)
		b, errB := rest.Solve(.1)
		if errA != nil || errB != nil || far(a, b) > 1e-11 {
			t.Errorf("%s: going on gives another fit (%v, %v)", name, errA, errB)
		}
	}
}

// TestStatsDamage: no file that was cut or changed is taken, and none changes what was there.
func TestStatsDamage(t *testing.T) {
	raw := must(statsOf(t, 23, 3, 2, 5).MarshalBinary())
	s := statsOf(t, 11, 2, 1, 6)
	before := must(s.MarshalBinary())
	refused := func(what string, at int, data []byte) {
		if err := s.UnmarshalBinary(data); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range raw {
		refused("cut at", i, raw[:i])
		changed := bytes.Clone(raw)
		changed[i] ^= 1 << (i % 8)
		refused("changed at", i, changed)
	}
	refused("one byte more than", len(raw), append(bytes.Clone(raw), 0))
	meta, tensors, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range tensors {
		shape := of.Shape().TotalSize() + 1
		for _, bad := range []*tensor.Dense{doubles(make([]float64, shape), shape), floatsOf(tensor.Float32, of.Float64s(), of.Shape()...)} {
			damaged := maps.Clone(tensors)
			damaged[name] = bad
			b := must(modelfile.Encode(meta, damaged))
			refused("another "+name, 0, b)
		}
	}
	for at, more := range []map[string]string{{}, {statsRows: "-1"}, {statsRows: "many"}, {statsRows: "3"}} {
		b := must(modelfile.Encode(more, nil))
		refused("metadata", at, b)
	}
	if after, err := s.MarshalBinary(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("damaged bytes changed the sums (%v)", err)
	}
}

// TestStatsOfParts: files that are mapped and summed apart, in any form, written, read and merged, give the fit of one pass.
func TestStatsOfParts(t *testing.T) {
	x, y := trial.Problem(211, 7, 2, 13)
	m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 5}, 7, 30, layers.WithSeed(3)))
	sum := &RidgeStats{}
	for lo := 0; lo < 211; lo += 50 {
		part := &RidgeStats{Of: "seed 3"}
		xs, ys := trial.RowsOf(x, y, lo, min(lo+50, 211))
		var rows ops.Matrix = xs
		if lo == 100 {
			rows = must(ops.CSROf(xs))
		}
		ok(t, part.AddRows(context.Background(), m, data.Pairs{X: rows, Y: ys}))
		raw := must(part.MarshalBinary())
		var back RidgeStats
		ok(t, errors.Join(back.UnmarshalBinary(raw), sum.Merge(&back)))
	}
	want := fit(t, m, x, y, RidgeOptions{})
	got := must(sum.Solve(want.Lambda))
	scale := mat.Norm(want.W, math.Inf(1))
	var diff mat.Dense
	diff.Sub(got.W, want.W)
	if e := mat.Norm(&diff, math.Inf(1)) / scale; e > 1e-9 { // the system's condition is 1e6 at the default lambda
		t.Errorf("parts give another fit, by %.2g", e)
	}
	other := &RidgeStats{Of: "seed 4"}
	ok(t, other.Add(trial.RowsOf(x, y, 0, 9)))
	if err := sum.Merge(other); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	if err := (&RidgeStats{}).AddRows(context.Background(), m, data.Pairs{X: x, Y: nil}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := sum.AddRows(cancelled, m, data.Pairs{X: x, Y: y}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStatsMSE: the error from the sums is that of the rows, for the best head and for any.
func TestStatsMSE(t *testing.T) {
	x, y := trial.Problem(57, 5, 3, 17)
	s := RidgeStats{}
	ok(t, s.Add(x, y))
	best := must(s.Solve(1e-3))
	poor := &RidgeFit{W: mat.NewDense(5, 3, nil), B: []float64{1, 2, 3}}
	for _, f := range []*RidgeFit{best, poor} {
		var p mat.Dense
		p.Mul(trial.MatOf(x), f.W)
		want := 0.0
		for i := range 57 {
			for j, b := range f.B {
				e := y.At(i, j) - p.At(i, j) - b
				want += e * e / (57 * 3)
			}
		}
		if got, err := s.MSE(f); err != nil || math.Abs(got/want-1) > 1e-11 {
			t.Errorf("MSE %v, want %v (%v)", got, want, err)
		}
	}
	if again, err := s.Solve(1e-3); err != nil || !mat.Equal(again.W, best.W) {
		t.Errorf("Solve or MSE changed the sums (%v)", err)
	}
	if _, err := s.MSE(&RidgeFit{W: mat.NewDense(4, 3, nil), B: make([]float64, 3)}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	if _, err := (&RidgeStats{}).MSE(best); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
}

// weighted are the sums of rows with weights, by their definition.
func weighted(z, y *mat.Dense, w []float64) *RidgeStats {
	n, d := z.Dims()
	_, k := y.Dims()
	s := &RidgeStats{}
	s.reset(d, k)
	for i := range n {
		s.mass += w[i]
		for j := range d {
			s.meanZ[j] += w[i] * z.At(i, j)
		}
		for t := range k {
			s.meanY[t] += w[i] * y.At(i, t)
		}
	}
	for j := range s.meanZ {
		s.meanZ[j] /= s.mass
	}
	for t := range s.meanY {
		s.meanY[t] /= s.mass
	}
	for i := range n {
		for j := range d {
			zj := z.At(i, j) - s.meanZ[j]
			for l := range j + 1 {
				s.g[j*d+l] += w[i] * zj * (z.At(i, l) - s.meanZ[l])
			}
			for t := range k {
				s.r[t*d+j] += w[i] * zj * (y.At(i, t) - s.meanY[t])
			}
		}
		for t := range k {
			s.yy[t] += w[i] * math.Pow(y.At(i, t)-s.meanY[t], 2)
		}
	}
	s.n = n
	return s
}

// sumsApart is the largest difference of two sums, each in proportion to its size.
func sumsApart(a, b *RidgeStats) float64 {
	d, k := a.features, a.targets
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

// TestStatsForget: rows that come in blocks, with Forget before each, are rows with the powers of the factor as weights, which merge, go to
// bytes and come back.
func TestStatsForget(t *testing.T) {
	const n, d, k, factor = 97, 7, 3, .8
	x, y := trial.Problem(n, d, k, 51)
	cuts := []int{0, 40, 41, 90, n}
	w := make([]float64, n)
	var s, late RidgeStats
	for b, lo := range cuts[:4] {
		for i := range cuts[b+1] {
			if i >= lo {
				w[i] = 1
			} else {
				w[i] *= factor
			}
		}
		ok(t, errors.Join(s.Forget(factor), s.Add(trial.RowsOf(x, y, lo, cuts[b+1]))))
	}
	want := weighted(trial.MatOf(x), y, w)
	if e := sumsApart(&s, want); e > 1e-12 || s.N() != n || s.Mass() != s.mass {
		t.Errorf("the sums are off by %.2g, and of %d rows", e, s.N())
	}
	raw := must(s.MarshalBinary())
	var back RidgeStats
	if err := back.UnmarshalBinary(raw); err != nil || back.Mass() != s.Mass() {
		t.Errorf("came back with the weight %v, not %v (%v)", back.Mass(), s.Mass(), err)
	}
	for i := 0; i < len(raw); i += 7 {
		changed := bytes.Clone(raw)
		changed[i] ^= 1 << (i % 8)
		if err := back.UnmarshalBinary(changed); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Fatalf("changed at %d: %v", i, err)
		}
	}
	ok(t, errors.Join(late.Add(trial.RowsOf(x, y, 0, 30)), late.Forget(.5), late.Merge(&back)))
	rows, targets := mat.NewDense(n+30, d, nil), mat.NewDense(n+30, k, nil)
	rows.Stack(trial.MatOf(x), trial.MatOf(x).Slice(0, 30, 0, d))
	targets.Stack(y, y.Slice(0, 30, 0, k))
	for range 30 {
		w = append(w, .5)
	}
	if e := sumsApart(&late, weighted(rows, targets, w)); e > 1e-12 {
		t.Errorf("merged, the sums are off by %.2g", e)
	}
	for _, bad := range []float64{0, -1, 1.5, math.NaN(), math.Inf(1)} {
		if err := s.Forget(bad); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := s.Forget(1e-300); !errors.Is(err, domain.ErrDomain) || sumsApart(&s, want) > 1e-12 {
		t.Error(err)
	}
	if err := (&RidgeStats{}).Forget(.5); err != nil {
		t.Error(err)
	}
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

// TestRidgeStatsWeights: weighted sums are written, read, gone on with and merged; sums with other weights are refused.
func TestRidgeStatsWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	part := func(lo, hi int, weights []float64) *RidgeStats {
		var rows []int
		for i := lo; i < hi; i++ {
			rows = append(rows, i)
		}
		s := &RidgeStats{ClassWeights: weights}
		ok(t, s.Add(data.Rows(x, rows), trial.TakeRows(y, rows)))
		return s
	}
	raw := must(part(0, 20, trial.ClassTimes).MarshalBinary())
	var back, merged RidgeStats
	if err := back.UnmarshalBinary(raw); err != nil || !slices.Equal(back.ClassWeights, trial.ClassTimes) {
		t.Fatal(back.ClassWeights, err)
	}
	if again, err := back.MarshalBinary(); err != nil || !slices.Equal(raw, again) {
		t.Error("came back as something else", err)
	}
	ok(t, errors.Join(merged.Merge(&back), merged.Merge(part(20, 61, trial.ClassTimes))))
	a, errA := merged.Solve(.1)
	b, errB := part(0, 61, trial.ClassTimes).Solve(.1)
	if errA != nil || errB != nil || far(a, b) > 1e-12 || merged.N() != 61 {
		t.Errorf("%d rows, %v off; %v, %v", merged.N(), far(a, b), errA, errB)
	}
	mse, err := merged.MSE(a)
	x2, y2 := trial.Repeated(x, y)
	var all RidgeStats
	ok(t, errors.Join(err, all.Add(x2, y2)))
	if want, err := all.MSE(a); err != nil || math.Abs(mse/want-1) > 1e-10 {
		t.Errorf("the error is %v, of repeated rows %v (%v)", mse, want, err)
	}
	for _, other := range [][]float64{nil, {1, 1, 1}} {
		if err := merged.Merge(part(0, 9, other)); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "class weights") {
			t.Errorf("merged with %v: %v", other, err)
		}
	}
	if err := (&RidgeStats{ClassWeights: trial.ClassTimes}).Merge(part(0, 9, nil)); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	for i, cut := range [][]byte{raw[:60], raw[:len(raw)-1], append([]byte(nil), raw...)} {
		if i == 2 {
			cut[56] ^= 1 // of the sum of the weights
		}
		if err := new(RidgeStats).UnmarshalBinary(cut); err == nil {
			t.Errorf("damaged bytes %d are taken", i)
		}
	}
	y.Set(7, 0, 3)
	if err := (&RidgeStats{ClassWeights: trial.ClassTimes}).Add(x, y); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "row 7 are of no class") {
		t.Error(err)
	}
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
