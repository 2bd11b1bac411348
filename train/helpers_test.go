package train_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestMain lets the heap grow to five times what is live before the collector runs, which spares CPU time, unless GOGC
// in the environment says otherwise.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// must2 is must of a function with two values.
func must2[A, B any](a A, b B, err error) (A, B) { return must(a, err), b }

// noError ends a test by its error, if it has one.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// second and third are the error that a function returns in that place.
func second(_ any, err error) error   { return err }
func third(_, _ any, err error) error { return err }

// wants checks the kind of an error, where it has one, and what it says.
func wants(t *testing.T, what any, err, is error, text string) {
	t.Helper()
	if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v: %v, want %v with %q", what, err, is, text)
	}
}

// mistake is the error of a call that must fail, its kind, and what it says.
type mistake struct {
	err, is error
	text    string
}

func wantsAll(t *testing.T, all []mistake) {
	t.Helper()
	for _, m := range all {
		wants(t, m.text, m.err, m.is, m.text)
	}
}

// counts are n histograms of three classes, rows of d counts that differ in their first bins, and a target of each: a
// smooth function of the row. Of a few dozen rows, some have a zero in each bin, so that minmax makes nothing negative.
func counts(n, d int, seed uint64) (x *tensor.Dense, labels []string, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x = tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64))
	for i := range n {
		row, class := x.Float64s()[i*d:(i+1)*d], rng.IntN(3)
		for range 20 {
			if rng.IntN(2) == 0 {
				row[class]++
			} else {
				row[rng.IntN(d)]++
			}
		}
		labels = append(labels, []string{"cat", "dog", "eel"}[class])
		y = append(y, 2+math.Sin(row[0]/5)+.2*row[1])
	}
	return x, labels, y
}

// twoShapes are n sets of 30 to 60 samples in so many dimensions: one bump, or two of the same mean and variance, in
// units of 7. Without shapes the classes differ by the sign of the correlation of the first two coordinates alone.
func twoShapes(n, axes int, seed uint64, shapes bool) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	var x []float64
	offsets, set := []int{0}, &data.Set{Source: "two shapes"}
	for i := range n {
		size := 30 + rng.IntN(30)
		for range size {
			for j := range axes {
				v := .2 * rng.NormFloat64()
				switch sign := float64(1 - i%2*2); {
				case !shapes && j == 1:
					v = sign*.6*x[len(x)-1]/7 + .8*v
				case shapes && i%2 == 1:
					v = math.Copysign(.18, v) + .087*rng.NormFloat64()
				}
				x = append(x, 7*v)
			}
		}
		offsets = append(offsets, offsets[i]+size)
		set.Labels = append(set.Labels, []string{"one", "two"}[i%2])
	}
	set.X = must(ops.NewBags(tensor.New(tensor.WithShape(len(x)/axes, axes), tensor.WithBacking(x)), offsets))
	return set
}

// ringSets are rows of two classes, one around the other, with their classes, and with a smooth target of each.
func ringSets(n int) (classes, targets *data.Set) {
	var rows [][]float64
	var labels []string
	var y []float64
	for i := range n {
		r, a := 1+float64(i%2), float64(i)*2.399963
		rows = append(rows, []float64{3 + r*math.Cos(a), 5 + 10*r*math.Sin(a), .1 * float64(i%7)})
		labels = append(labels, []string{"inner", "outer"}[i%2])
		y = append(y, math.Sin(a)+r)
	}
	x := must(data.FromSlices(rows))
	return &data.Set{X: x, Labels: labels}, &data.Set{X: x, Y: y}
}

// waves are n rows of 8 columns, of which the first two matter, in a unit: the class or the target is a wave of them.
func waves(n int, unit float64, targets bool) *data.Set {
	rng := rand.New(rand.NewPCG(3, 4))
	x, set := make([]float64, 8*n), &data.Set{}
	for i := range n {
		row := x[8*i : 8*i+8]
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		v := math.Sin(2*row[0]) + math.Cos(2*row[1]-.5)
		if targets {
			set.Y = append(set.Y, 100*unit*v)
		} else {
			set.Labels = append(set.Labels, fmt.Sprint(v > .5))
		}
		for j := range row {
			row[j] *= unit
		}
	}
	set.X = tensor.New(tensor.WithShape(n, 8), tensor.WithBacking(x))
	return set
}

// sparseTask are n sparse rows of d counts, the same rows dense, three classes as columns of -1 and 1, and two targets.
func sparseTask(n, d int, dt tensor.Dtype) (sparse *ops.CSR, dense *tensor.Dense, classes, targets *mat.Dense) {
	rng := rand.New(rand.NewPCG(5, 8))
	x, labels := tensor.New(tensor.WithShape(n, d), tensor.Of(tensor.Float64)), make([]int, n)
	targets = mat.NewDense(n, 2, nil)
	for i := range n {
		for range 6 {
			x.Float64s()[i*d+rng.IntN(d)] += .25
		}
		a, b := 0., 0.
		for j, v := range x.Float64s()[i*d : i*d+d] {
			a, b = a+v*math.Sin(float64(j)), b+v*v*math.Cos(float64(j))
		}
		if targets.SetRow(i, []float64{a, b}); a > .1 {
			labels[i] = 1
		} else if b > 0 {
			labels[i] = 2
		}
	}
	sparse = must(must(ops.CSROf(x)).As(dt, "test"))
	return sparse, must(sparse.Dense(nil)), trial.Classes(x, labels, 3).Y, targets
}

// written is a new file of a text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	noError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// csvOf writes the rows of a set to a file, with the label or the target in the last column.
func csvOf(t *testing.T, set *data.Set) string {
	t.Helper()
	var b strings.Builder
	x := set.X.(*tensor.Dense)
	for i, row := range slices.Collect(slices.Chunk(x.Float64s(), x.Shape()[1])) {
		for _, v := range row {
			fmt.Fprintf(&b, "%v,", v)
		}
		if set.Labels != nil {
			fmt.Fprintln(&b, set.Labels[i])
		} else {
			fmt.Fprintln(&b, set.Y[i])
		}
	}
	return written(t, b.String())
}

// numbers are the entries of dense rows or of samples, which float64 holds exactly.
func numbers(x ops.Matrix) []float64 {
	if b, ok := x.(*ops.Bags); ok {
		x = b.Samples()
	}
	return slices.Clone(ops.Float64s(x.(*tensor.Dense)))
}

// as is x in another element type.
func as(x *tensor.Dense, dt tensor.Dtype) *tensor.Dense {
	return must((&data.Set{X: x.Clone().(*tensor.Dense)}).As(dt)).(*tensor.Dense)
}

// right is the share of the rows whose class is predicted.
func right(m *train.Model, rows *data.Set) float64 {
	return must(report.Accuracy(must(m.Predict(rows.X)), must(m.Classes.Index(rows.Labels))))
}

// errorOf is the error rate of a model, or its root mean squared error.
func errorOf(m *train.Model, set *data.Set) float64 {
	if set.Labels != nil {
		return 1 - right(m, set)
	}
	return must(report.RMSE(must(m.PredictTargets(set.X)), set.Y))
}

// reloaded is the model of the file of a model, whole or by its spec.
func reloaded(t *testing.T, save func(path string) error) *train.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	noError(t, save(path))
	return must(train.Load(path))
}

// comesBack checks that a model that is saved and loaded has the same scores of rows.
func comesBack(t *testing.T, what any, m *train.Model, x ops.Matrix) {
	t.Helper()
	if !mat.Equal(must(reloaded(t, m.Save).Scores(x)), must(m.Scores(x))) {
		t.Errorf("%v: saved and loaded, the model has other scores", what)
	}
}

// allocated is how many bytes f allocates while nothing is collected: a collection empties the pools of buffers.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
