package train_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// TestSVMAgainstLIBLINEAR: on letter and usps, as they are, the objectives of all classes are together no further above the least than those of
// LIBLINEAR's solver 2 under its own defaults, and the accuracy on the test rows is within .3 points.
func TestSVMAgainstLIBLINEAR(t *testing.T) {
	liblinear, err := exec.LookPath("liblinear-train")
	if err != nil {
		t.Skip("liblinear-train is not there; on Debian: apt-get install liblinear-tools")
	}
	for _, name := range []string{"letter", "usps"} {
		base := filepath.Join("..", "..", "shared", "data", name, name)
		if _, err := os.Stat(base + ".train.libsvm.gz"); err != nil {
			t.Skip("the data are not there:", err)
		}
		x, labels, k := firstRows(t, base+".train.libsvm.gz", 3000)
		test, want, _ := firstRows(t, base+".test.libsvm.gz", 2000)
		d, scale := x.Shape()[1], spreadOf(x)
		y, err := data.OneVersusRest(labels, k)
		if err != nil {
			t.Fatal(err)
		}
		const c = 1e-3
		fit, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, linear.SVMOptions{Lambdas: []float64{1 / (2 * c * scale)}})
		if err != nil {
			t.Fatal(err)
		}
		best, err := linear.FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, linear.SVMOptions{Lambdas: []float64{1 / (2 * c * scale)}, Tol: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		beta := math.Sqrt(scale)
		w := runLIBLINEAR(t, liblinear, x, labels, k, []string{"-s", "2", "-c", fmt.Sprint(c), "-B", fmt.Sprintf("%.17g", beta), "-q"})
		wrong, excess := [2]int{}, [2]float64{}
		for j := range k {
			theirs := svmObjective(w[j], nil, x, func(i int) float64 { return y.At(i, j) }, c, beta, 0, true)
			for i, f := range []float64{fit.Objective[j], theirs} {
				excess[i] += f/best.Objective[j] - 1
			}
		}
		if !(excess[0] >= 0 && excess[0] <= excess[1]) {
			t.Errorf("%s: the objectives are %.3g above the least, LIBLINEAR's %.3g", name, excess[0]/float64(k), excess[1]/float64(k))
		}
		for i, l := range want {
			row := test.Float64s()[i*d : (i+1)*d]
			var best [2]float64
			var at [2]int
			for j := range k {
				ours, theirs := fit.B[j], w[j][d]*beta
				for q, v := range row {
					ours += v * fit.W.At(q, j)
					theirs += v * w[j][q]
				}
				for s, f := range []float64{ours, theirs} {
					if j == 0 || f > best[s] {
						best[s], at[s] = f, j
					}
				}
			}
			for s := range wrong {
				if at[s] != l {
					wrong[s]++
				}
			}
		}
		if diff := math.Abs(float64(wrong[0]-wrong[1])) / float64(len(want)); diff > .003 {
			t.Errorf("%s: %d errors of %d, LIBLINEAR %d", name, wrong[0], len(want), wrong[1])
		}
	}
}

// firstRows reads at most so many rows, with classes numbered from 0.
func firstRows(t *testing.T, path string, most int) (*tensor.Dense, []int, int) {
	t.Helper()
	set, err := data.Read(path, data.Options{Form: data.FormDense})
	if err != nil {
		t.Fatal(err)
	}
	classes := data.NewClasses(set.Labels)
	labels, err := classes.Index(set.Labels)
	if err != nil {
		t.Fatal(err)
	}
	x := set.X.(*tensor.Dense)
	n, d := min(most, x.Shape()[0]), x.Shape()[1]
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x.Float64s()[:n*d])), labels[:n], len(classes)
}

// runLIBLINEAR trains and reads the weights of each class, the last that of the constant feature.
func runLIBLINEAR(t *testing.T, program string, x *tensor.Dense, labels []int, k int, args []string) [][]float64 {
	t.Helper()
	dir := t.TempDir()
	rows, model := filepath.Join(dir, "rows"), filepath.Join(dir, "model")
	f, err := os.Create(rows)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(f)
	d := x.Shape()[1]
	for i, l := range labels {
		fmt.Fprint(b, l)
		for j, v := range x.Float64s()[i*d : (i+1)*d] {
			if v != 0 || j == d-1 { // so that all columns are there
				fmt.Fprintf(b, " %d:%.17g", j+1, v)
			}
		}
		fmt.Fprintln(b)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, append(args, rows, model)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	head, weights, _ := strings.Cut(string(text), "\nw\n")
	var order []int
	for _, line := range strings.Split(head, "\n") {
		if l, ok := strings.CutPrefix(line, "label "); ok {
			for _, f := range strings.Fields(l) {
				j, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, j)
			}
		}
	}
	out := make([][]float64, k)
	for _, line := range strings.Split(strings.TrimSpace(weights), "\n") {
		for q, f := range strings.Fields(line) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			out[order[q]] = append(out[order[q]], v)
		}
	}
	return out
}
