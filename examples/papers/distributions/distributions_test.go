package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

var number, cells = clitest.Number, clitest.Cells

// TestComponents: every method is there, the random maps are better than the constant and the linear ones are not, more
// sets are better, and all but the times is the same again.
func TestComponents(t *testing.T) {
	dir := t.TempDir()
	const args = "-sets 80,240 -test-sets 100 -features 256 -samples 60 -em 4 -kl 30 -points 16 -functions 6"
	r := clitest.Run(t, dir, args).OK(t)
	rows := cells(r.Stdout)
	if want := 3 + 2*10 + 2; len(rows) != want {
		t.Fatalf("%d rows, want %d: %s", len(rows), want, r.Stdout)
	}
	constant := number(t, rows[0][3])
	for i, row := range rows[3:23] {
		v := number(t, row[3])
		if linear := strings.HasSuffix(row[0], "linear"); linear == (v < .985*constant) || row[1] != []string{"80", "240"}[i%2] {
			t.Errorf("%v, and a constant has %v", row, constant)
		}
		if i%2 == 1 && !strings.HasSuffix(row[0], "linear") && v > number(t, rows[3+i-1][3]) {
			t.Errorf("%v is worse than with 80 sets", row)
		}
	}
	if rows[1][0] != "aic" || rows[2][0] != "bic" || rows[23][0] != "kl" || rows[24][0] != "hdd-js" || rows[24][1] != "30" {
		t.Errorf("%s", r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "distributions.png"), 1000, 0)
	again := cells(clitest.Run(t, dir, args+" -plot= -em 0 -kl 0 -methods hdd-tv").OK(t).Stdout)
	if fmt.Sprint(again[1][:8]) != fmt.Sprint(rows[7][:8]) || fmt.Sprint(again[2][:8]) != fmt.Sprint(rows[8][:8]) {
		t.Errorf("hdd-tv alone has %v, with the others %v", again, rows[7:9])
	}
}

// TestGram: the three estimates of the kernel go with the true one.
func TestGram(t *testing.T) {
	dir := t.TempDir()
	r := clitest.Run(t, dir, "-part gram -sets 12 -samples 600 -features 2000").OK(t)
	rows := cells(r.Stdout)
	if len(rows) != 3 || !strings.Contains(r.Stdout, "error of 2000 random features alone is 0.0859 for a pair") {
		t.Fatal(r.Stdout)
	}
	for _, row := range rows {
		if v := number(t, row[1]); !(v > .85 && v < 1 && number(t, row[3]) < .06 && number(t, row[3]) < number(t, row[4])) {
			t.Errorf("%v", row)
		}
	}
	clitest.Picture(t, filepath.Join(dir, "distributions.png"), 1000, 0)
}

// bagsCSV is a CSV file of sets of ten to twenty samples, whose coordinates go together in the even sets and have nothing
// to do with each other in the odd ones. The label of set i is label(i).
func bagsCSV(n, coordinates int, label func(i int) string) string {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(coordinates)))
	var b strings.Builder
	b.WriteString("bag")
	for j := range coordinates {
		fmt.Fprintf(&b, ",x%d", j+1)
	}
	b.WriteString(",label\n")
	for i := range n {
		for range 10 + rng.IntN(11) {
			fmt.Fprintf(&b, "set%d", i)
			centre := 20 * rng.Float64()
			for range coordinates {
				v := 20 * rng.Float64()
				if i%2 == 0 {
					v = centre + rng.NormFloat64()
				}
				fmt.Fprintf(&b, ",%.6g", v-7)
			}
			fmt.Fprintf(&b, ",%s\n", label(i))
		}
	}
	return b.String()
}

// TestBags: sets of a file, of two coordinates and of five, of which there are no histograms.
func TestBags(t *testing.T) {
	dir := t.TempDir()
	label := func(i int) string { return []string{"tied", "free"}[i%2] }
	clitest.File(t, dir, "bags.csv", bagsCSV(40, 2, label))
	clitest.File(t, dir, "five.csv", bagsCSV(40, 5, label))
	for _, args := range []string{"-in bags.csv -methods hdd-hellinger", "-in five.csv -methods hdd-hellinger -points 32", "-in five.csv -methods mean-map,histogram-js"} {
		r := clitest.Run(t, dir, "-part bags -features 64 "+args).OK(t)
		// The fourth cell is the percentage that is wrong.
		if rows := cells(r.Stdout); len(rows) != 1 || rows[0][1] != "40" || number(t, rows[0][3]) > 35 {
			t.Errorf("%s: %s", args, r.Stdout)
		}
	}
}

// TestImages: noisy images that are brighter on one side.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 0))
	for _, name := range []string{"train.bin", "test.bin"} {
		var file []byte
		for i := range 40 {
			file = append(file, byte(3+2*(i%2)))
			for range 3 {
				for p := range 1024 {
					file = append(file, byte(80+rng.IntN(60)+(i%2)*(p/1024+100*(p/512))))
				}
			}
		}
		clitest.File(t, dir, name, string(file))
	}
	r := clitest.Run(t, dir, "-part images -in train.bin -test test.bin -sets 40 -test-sets 40 -features 64 -methods hdd-js,mean-map -points 8 -functions 4").OK(t)
	rows := cells(r.Stdout)
	if len(rows) != 2 || number(t, rows[0][3]) > 5 || number(t, rows[1][3]) > 5 || rows[0][2] != "2048" {
		t.Errorf("%s", r.Stdout)
	}
	clitest.Picture(t, filepath.Join(dir, "distributions.png"), 1000, 0)
	clitest.Run(t, dir, "-part images -in train.bin -test test.bin -sets 50 -points 8 -functions 4").Fails(t, 1, "distributions", "train.bin: 40 images are fewer than the least number of -sets, 50")
}

func TestCost(t *testing.T) {
	r := clitest.Run(t, t.TempDir(), "-part cost -sets 20,40 -samples 50 -features 64").OK(t)
	if rows := cells(r.Stdout); len(rows) != 2 || rows[1][0] != "40" || number(t, rows[1][5]) > 500 {
		t.Errorf("%s", r.Stdout)
	}
	r = clitest.Run(t, t.TempDir(), "-part cost -sets 20 -samples 50 -features 64 -scattered").OK(t)
	if rows := cells(r.Stdout); len(rows) != 1 || !strings.Contains(r.Stdout, "4096 uniform points") {
		t.Errorf("%s", r.Stdout)
	}
}

// TestWrongFlags: each is one line and the status 2.
func TestWrongFlags(t *testing.T) {
	clitest.WrongFlags(t, "distributions", "learns on sets of samples", map[string]string{
		"-part figure":                 "-part figure: want one of components, gram, images, bags, cost",
		"-part bags":                   "-part bags needs -in",
		"-part images -in a":           "-part images needs -test",
		"-part bags -in a -plot ./a":   "-plot and -in name the same file",
		"-in a":                        "-in does not apply to -part components, which draws its sets",
		"-part gram -em 3":             "-em and -kl belong to -part components",
		"-kl 1":                        "want at least 2 test sets, 0 or at least 2 for -kl",
		"-part bags -in a -sets 30":    "-sets and -test-sets do not apply to -part bags",
		"-part bags -in a -samples 30": "-samples does not apply",
		"-part gram -sets 30,40":       "takes one number of -sets",
		"-scattered":                   "-scattered belongs to -part cost",
		"-part cost -points 9":         "-points does not apply to -part cost, which has 64 x 64",
		"-sets many":                   "-sets many: want whole numbers from 10",
		"-samples 2":                   "-samples 2: want whole numbers from 4",
		"-methods hdd":                 `"hdd" is none of all, hdd-js`,
		"-rule best":                   "want gauss, quantile or drawn",
		"-sampler best":                `no sampler is called "best"`,
		"-functions 60":                "60 functions of the cosine basis",
		"-lambdas 0":                   "0",
		"-features 0":                  "-features 0: want 1 to",
		"-seed 18446744073709551615":   "too large",
	})
	clitest.Run(t, t.TempDir(), "-part bags -in missing.csv").Fails(t, 1, "distributions", "missing.csv")
}

// TestMixture: the law of the covariances, and samples on the square: E aAAᵀ + B = 5/2·2/3 + 1/2 on the diagonal.
func TestMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	const n = 4000
	sum, components := 0.0, 0
	for range n {
		m := drawMixture(rng)
		components += len(m)
		c := m[0]
		sum += (c.a*c.a + c.b*c.b + c.c*c.c) / 2 / n
	}
	if want := 2.5*2/3 + .5; math.Abs(sum-want) > 4*1.5/math.Sqrt(n) {
		t.Errorf("mean variance %v, want %v", sum, want)
	}
	if mean := float64(components) / n; math.Abs(mean-5.5) > 4*2.87/math.Sqrt(n) {
		t.Errorf("%v components", mean)
	}
	for _, v := range drawMixture(rng).sample(nil, 200, rng) {
		if v < 0 || v > 1 {
			t.Fatalf("sample at %v", v)
		}
	}
}

// TestCriteria: two clusters far from each other are two to both criteria, and one is one.
func TestCriteria(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	var x []float32
	for i := range 600 {
		centre := .3
		if i < 300 && i%2 == 0 {
			centre = .7
		}
		x = append(x, float32(centre+.04*rng.NormFloat64()), float32(centre+.04*rng.NormFloat64()))
	}
	b, err := ops.NewBags(tensor.New(tensor.WithShape(600, 2), tensor.WithBacking(x)), []int{0, 300, 600})
	clitest.OK(t, err)
	aic, bic := byCriteria(b, 1)
	if bic[0] != 2 || bic[1] != 1 || aic[0] < 2 || aic[0] > 4 || aic[1] > 3 {
		t.Errorf("AIC %v, BIC %v, want 2 and 1", aic, bic)
	}
}

// TestEntropies: the divergence by entropies of two sets of known laws, which interpolation does not move.
func TestEntropies(t *testing.T) {
	g, err := ops.NewGrid(fine, fine)
	clitest.OK(t, err)
	p := make([]float64, g.Len())
	for v := range p {
		at := g.At(v)
		p[v] = 1 + at[0] - 2*at[1]
	}
	for _, c := range [][2]float64{{.3, .4}, {.01, .99}, {.123, .5}} {
		if got, want := interpolate(p, fine, c[0], c[1]), 1+c[0]-2*c[1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c, got, want)
		}
	}
	truth, sets := gramSets(4, 4000, 1, g)
	for i := range 4 {
		mass := 0.0
		for _, v := range truth.Float64s()[i*g.Len() : (i+1)*g.Len()] {
			mass += v / float64(g.Len())
		}
		if math.Abs(mass-1) > 1e-3 {
			t.Errorf("mixture %d has the mass %v", i, mass)
		}
	}
	for _, v := range entropyDivergences(sets, []float64{.04, .04}, g) {
		if v < 0 || v > math.Ln2 {
			t.Errorf("divergence %v", v)
		}
	}
}
